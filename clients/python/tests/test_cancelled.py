"""Calls of asyncio that are broken off, or that find no thread free."""

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import unittest

from cairn_client import AsyncCairn, CairnTimeoutError, MemoryQueue, Retry
from cairn_client.spool import Spool

from .collecting_server import CollectingServer
from .scripted_server import ScriptedServer


def event(name):
    return {"actor_id": name, "action": "a.b"}


class CancelledTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def client(self, url, **options):
        given = {"timeout": 60.0, "retry": Retry(0.001, 0.004), "handle_exit": False, **options}
        return AsyncCairn(url, "key", on_error=lambda *_: None, **given)

    def test_a_call_that_is_cancelled_neither_loses_nor_doubles_its_event(self):
        for place in ("memory", "spool"):
            for do in ("record", "enqueue"):
                with self.subTest(place=place, do=do):
                    # A server of its own: a request that was broken off may still be taken when all has ended.
                    server = CollectingServer()
                    self.addCleanup(server.close)
                    queue = MemoryQueue() if place == "memory" else Spool(os.path.join(self.folder, do))
                    asyncio.run(self.cancel(do, queue, server))

    async def cancel(self, do, queue, server):
        names = [f"{number}" for number in range(120)]
        async with self.client(server.url, queue=queue) as cairn:
            calls = [asyncio.ensure_future(getattr(cairn, do)(event(name))) for name in names]
            # Some before they began, some while they wait for a thread or an answer, some at their end.
            for turns, call in enumerate(calls):
                if turns % 3 == 1:
                    await asyncio.sleep(0)
                call.cancel()
            results = await asyncio.gather(*calls, return_exceptions=True)
            # The client is not stuck.
            self.assertEqual((await cairn.record(event("after"))).status, "queued")
            self.assertEqual((await cairn.enqueue(event("after too"))).status, "kept")
            while cairn.counters.waiting > 0 or len(server.events) < 2:
                await cairn.flush(timeout=60.0)
        with server.lock:
            events = list(server.events)
        actors = [each["actor_id"] for each in events]
        keys = [each["idempotency_key"] for each in events]
        # The same event may come twice, with its key: the service records it once.
        self.assertEqual(len(set(keys)), len(set(actors)))
        self.assertLessEqual(set(actors), {*names, "after", "after too"})
        # A call whose first step ran has its event in the log; one that never began has none.
        for name, result in zip(names, results):
            if not isinstance(result, BaseException):
                self.assertIn(name, actors)

    def test_a_record_that_is_cancelled_while_it_is_asked_goes_on_in_the_queue(self):
        expect = {"method": "POST", "path": "/api/v1/events"}
        steps = [{"expect": expect, "answer": {"end": "hang"}}, {"expect": expect, "answer": {"take": "queued"}}]
        server = ScriptedServer(steps)
        self.addCleanup(server.close)

        async def run():
            async with self.client(server.url) as cairn:
                call = asyncio.ensure_future(cairn.record(event("ada")))
                while server.at == 0:
                    await asyncio.sleep(0.001)
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
                while cairn.counters.queued == 0:
                    await asyncio.sleep(0.001)
                self.assertEqual((cairn.counters.deferred, cairn.counters.dropped), (1, 0))

        asyncio.run(run())
        self.assertEqual(server.faults, [])

    def test_a_call_that_is_cancelled_ends_its_request_and_holds_up_no_end_of_the_process(self):
        silent = ScriptedServer([{"expect": {"method": "GET", "path": "/x"}, "answer": {"end": "hang"}, "again": 99}])
        self.addCleanup(silent.close)
        program = """if True:
            import asyncio, sys
            from cairn_client import AsyncCairn

            async def run():
                cairn = AsyncCairn(sys.argv[1], "key")
                asked = [cairn.events.get("1", timeout=3600.0) for _ in range(40)]
                asked.append(cairn.exports.download("1", timeout=3600.0))
                tasks = [asyncio.ensure_future(each) for each in asked]
                await asyncio.wait(tasks, timeout=0.2)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                print("cancelled")

            asyncio.run(run())
        """
        ran = subprocess.run(
            [sys.executable, "-c", program, silent.url], capture_output=True, text=True, timeout=120
        )
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "cancelled\n", ""))

    def test_the_time_limit_counts_the_wait_for_a_thread(self):
        silent = ScriptedServer([{"expect": {"method": "GET", "path": "/x"}, "answer": {"end": "hang"}, "again": 99}])
        self.addCleanup(silent.close)

        async def run():
            cairn = self.client(silent.url, queue=Spool(self.folder))
            asked = [asyncio.ensure_future(cairn.events.get(f"{n}", timeout=3600.0)) for n in range(40)]
            while silent.at < 32:
                await asyncio.sleep(0.001)
            with self.assertRaises(CairnTimeoutError):
                await cairn.record(event("a"), timeout=0.01)
            kept = await cairn.enqueue(event("b"), timeout=0.01, failure="open")
            self.assertIn(kept.status, ("kept", "deferred"))
            waiting = await cairn.close(timeout=0.01)
            for each in asked:
                each.cancel()
            silent.close()
            return waiting

        self.assertEqual(asyncio.run(run()), 1)
