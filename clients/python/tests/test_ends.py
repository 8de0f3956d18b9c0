"""How clients end: what interrupts that, or stands in its way, loses nothing in silence."""

import subprocess
import sys
import tempfile
import threading
import types
import unittest
import warnings
from unittest import mock

from cairn_client import Cairn, CairnError, ClosedError, MemoryQueue, QueueFullError, Retry
from cairn_client import _ends, _worker
from cairn_client._events import Outcome, PreparedEvent
from cairn_client.spool import Spool

from .collecting_server import CollectingServer
from .scripted_server import ScriptedServer
from .waiting import until

EXPECT = {"method": "POST", "path": "/api/v1/events"}
HANG = {"expect": EXPECT, "answer": {"end": "hang"}}
TAKE = {"expect": EXPECT, "answer": {"take": "queued"}}


def event(name="ada"):
    return {"actor_id": name, "action": "a.b"}


class NoThread(threading.Thread):
    def start(self):
        raise RuntimeError("can't start new thread")


def no_thread():
    """No thread of a client can be started."""
    names = types.SimpleNamespace(**{**vars(threading), "Thread": NoThread})
    return mock.patch.object(_worker, "threading", names)


@unittest.skipIf(sys.version_info < (3, 10), "an exception at a step breaks these interpreters")
class StepsTest(unittest.TestCase):
    """Exceptions of a signal's handler at each step of a call, one after the other."""

    def setUp(self):
        self.server = CollectingServer()
        self.addCleanup(self.server.close)
        # The collector closes the socket of a request that was broken off there.
        kept = warnings.catch_warnings()
        kept.__enter__()
        self.addCleanup(kept.__exit__, None, None, None)
        warnings.simplefilter("ignore", ResourceWarning)

    def raised_within(self, call, step):
        """Whether the call had so many steps: then it was interrupted by an exception there."""
        steps = 0

        def trace(frame, what, _):
            if not frame.f_globals.get("__name__", "").startswith("cairn_client"):
                return None
            frame.f_trace_opcodes = True
            return count

        def count(frame, what, _):
            nonlocal steps
            steps += 1
            if steps == step:
                raise KeyboardInterrupt
            return count

        sys.settrace(trace)
        try:
            call()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        return steps >= step

    def each_step(self, by, try_step):
        step, seen = 1, 0
        while try_step(step):
            step += by
            seen += 1
        self.assertGreater(seen, 20)

    def client(self, said):
        def on_error(error, report):
            said.append(report.kind)

        options = {"timeout": 60.0, "retry": Retry(0.001, 0.004), "handle_exit": False}
        return Cairn(self.server.url, "test-key", on_error=on_error, **options)

    def call_of(self, method, cairn):
        if method in ("enqueue", "record"):
            return lambda: getattr(cairn, method)(event("during"), failure="open")
        return lambda: getattr(cairn, method)(timeout=60.0)

    def test_an_exception_at_any_step_of_a_call_leaves_a_client_that_works(self):
        for method, by in (("enqueue", 3), ("record", 41), ("flush", 3)):

            def try_step(step):
                said = []
                cairn = self.client(said)
                if method == "flush":
                    cairn.enqueue(event("before"))
                within = self.raised_within(self.call_of(method, cairn), step)
                cairn.enqueue(event("after"))
                self.assertEqual((cairn.flush(timeout=60.0), cairn.close(timeout=60.0)), (0, 0), step)
                self.assertEqual(cairn.counters.dropped, 0, step)
                return within

            with self.subTest(method):
                self.server.events.clear()
                tried = []
                self.each_step(by, lambda step: tried.append(step) or try_step(step))
                self.assertEqual(self.server.actors.count("after"), len(tried))
                if method == "flush":
                    self.assertEqual(self.server.actors.count("before"), len(tried))

    def test_an_exception_at_any_step_of_a_close_loses_nothing_in_silence(self):
        def try_step(step):
            self.server.events.clear()
            said = []
            cairn = self.client(said)
            cairn.enqueue(event("before"))
            within = self.raised_within(lambda: cairn.close(timeout=60.0), step)
            left = cairn.close(timeout=60.0)
            sent = len({each["idempotency_key"] for each in self.server.events})
            self.assertEqual(sent + left, 1, step)
            self.assertEqual((cairn.counters.dropped, said.count("dropped")), (left, left), step)
            return within

        self.each_step(3, try_step)


class WorkerTest(unittest.TestCase):
    def test_a_start_that_is_interrupted_makes_no_second_thread(self):
        for is_early in (True, False):
            with self.subTest(is_early=is_early):
                begun, most, free = threading.Event(), [], threading.Event()
                at_work = set()

                def work():
                    at_work.add(threading.current_thread())
                    most.append(len(at_work))
                    begun.set()
                    free.wait()
                    at_work.discard(threading.current_thread())

                class Interrupted(threading.Thread):
                    def start(self):
                        if not is_early:
                            super().start()
                            begun.wait()
                        raise KeyboardInterrupt

                names = types.SimpleNamespace(**{**vars(threading), "Thread": Interrupted})
                worker = _worker.Worker("test", work)
                with mock.patch.object(_worker, "threading", names), self.assertRaises(KeyboardInterrupt):
                    worker.poke()
                # One works, however often it is asked for.
                for _ in range(3):
                    self.assertTrue(worker.poke())
                begun.wait()
                self.assertLessEqual(sum(thread.name == "test" for thread in threading.enumerate()), 1)
                free.set()
                worker.end(60.0)
                self.assertEqual(max(most), 1)


class EndsTest(unittest.TestCase):
    def scripted(self, *steps):
        server = ScriptedServer(steps)
        self.addCleanup(server.close)
        return server

    def run_program(self, program, *args):
        ended = subprocess.run(
            [sys.executable, "-c", program, *args], capture_output=True, text=True, timeout=120
        )
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        return ended.stdout

    def test_the_end_of_the_process_goes_on_with_a_close_that_was_interrupted(self):
        opened = threading.Event()
        server = CollectingServer(lambda each: opened.is_set())
        self.addCleanup(server.close)
        program = """if True:
            import os, signal, sys
            from cairn_client import Cairn

            failures = []

            def on_error(error, report):
                failures.append(report.kind)
                if len(failures) == 2:
                    os.kill(os.getpid(), signal.SIGINT)

            cairn = Cairn(sys.argv[1], "test-key", on_error=on_error)
            try:
                cairn.enqueue({"actor_id": "ada", "action": "a.b"})
                cairn.close(timeout=3600.0)
            except KeyboardInterrupt:
                print("interrupted", flush=True)
                sys.stdin.read()
        """
        ran = subprocess.Popen(
            [sys.executable, "-c", program, server.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.assertEqual(ran.stdout.readline(), b"interrupted\n")
        opened.set()
        ran.communicate()
        self.assertEqual((ran.returncode, server.actors), (0, ["ada"]))

    def test_the_end_of_the_process_waits_for_a_close_in_another_thread(self):
        server = CollectingServer(lambda each: opened.wait(0.5) or True)
        opened = threading.Event()
        self.addCleanup(server.close)
        program = """if True:
            import sys, threading
            from cairn_client import Cairn
            cairn = Cairn(sys.argv[1], "test-key")
            cairn.enqueue({"actor_id": "ada", "action": "a.b"})
            threading.Thread(target=cairn.close, daemon=True).start()
            while not cairn._closed:
                pass
        """
        self.run_program(program, server.url)
        self.assertEqual(server.actors, ["ada"])

    def test_all_clients_end_at_once_within_one_limit(self):
        ending = _ends._Ending()
        calls = []

        class Leaving:
            def __init__(self, has_thread):
                self.has_thread = has_thread

            def _hurry(self, is_end):
                calls.append(("hurry", is_end))
                return self.has_thread

            def _leave(self, timeout):
                calls.append(("leave", self.has_thread, timeout))

        for kind in (True, False):
            calls.clear()
            clients = [Leaving(kind) for _ in range(4)]
            for each in clients:
                ending.add(each)
            ending.leave()
            del clients
            self.assertEqual(calls[:4], [("hurry", True)] * 4)
            limits = [timeout for _, _, timeout in calls[4:]]
            self.assertEqual(len(limits), 4)
            self.assertLessEqual(max(limits), _ends.LONGEST_END)
            # One that takes all the time given to it leaves some to the next where nothing sends beside it.
            self.assertLessEqual(limits[0], _ends.LONGEST_END if kind else _ends.LONGEST_END / 4)

    def test_clients_that_are_made_meanwhile_stop_no_end(self):
        ending = _ends._Ending()

        class Quick:
            def _hurry(self, is_end):
                return True

            def _leave(self, timeout):
                left.append(self)

        def make():
            while not over.is_set():
                some = [Quick() for _ in range(50)]
                for each in some:
                    ending.add(each)

        left, over = [], threading.Event()
        kept = [Quick() for _ in range(2000)]
        for each in kept:
            ending.add(each)
        making = threading.Thread(target=make)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        making.start()
        try:
            for _ in range(100):
                left.clear()
                ending.leave()
                self.assertGreaterEqual(len(left), len(kept))
        finally:
            over.set()
            making.join()

    def test_whatever_on_error_raises_the_sender_goes_on(self):
        busy = {"expect": EXPECT, "answer": {"status": 503, "body": {"error": "unavailable", "message": "no"}}}
        server = self.scripted(busy, TAKE)

        def on_error(error, report):
            raise SystemExit

        options = {"retry": Retry(0.001, 0.004), "handle_exit": False}
        cairn = Cairn(server.url, "test-key", on_error=on_error, **options)
        cairn.enqueue(event())
        until(lambda: server.at == 2)
        self.assertEqual((cairn.flush(timeout=60.0), cairn.counters.queued), (0, 1))
        cairn.close()

    def test_where_no_thread_can_be_started_only_a_flush_or_an_end_sends(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for make in (MemoryQueue, lambda: Spool(folder.name)):
            with self.subTest(make), no_thread():
                server = self.scripted(HANG, TAKE, TAKE)
                cairn = Cairn(server.url, "test-key", queue=make(), handle_exit=False, on_error=lambda *_: None)
                self.assertEqual(cairn.enqueue(event()).status, "kept")
                self.assertEqual(server.at, 0)
                self.assertEqual(cairn.flush(timeout=0.2), 1)
                self.assertEqual((server.at, cairn.flush(timeout=60.0)), (1, 0))
                cairn.enqueue(event("later"))
                self.assertEqual((cairn.close(timeout=60.0), cairn.counters.queued), (0, 2))

    def test_a_sender_for_which_there_was_no_thread_gets_one_later(self):
        server = self.scripted(TAKE)
        cairn = Cairn(server.url, "test-key", handle_exit=False)
        with no_thread():
            cairn.enqueue(event())
        self.assertEqual(cairn.flush(timeout=60.0), 0)
        cairn.close()

    def test_a_record_that_ends_after_its_client_is_not_said_to_wait(self):
        server = self.scripted(HANG)
        said = []
        cairn = Cairn(
            server.url, "test-key", handle_exit=False, on_error=lambda error, report: said.append(report.kind)
        )
        given = []
        call = threading.Thread(
            target=lambda: given.append(cairn.record(event(), timeout=0.5, failure="open").status)
        )
        call.start()
        until(lambda: server.at == 1)
        cairn.close(timeout=0.01)
        call.join()
        self.assertEqual((given, said, cairn.counters.dropped), (["dropped"], ["dropped"], 1))

    def test_an_error_of_a_closed_client_has_the_key_of_the_event(self):
        cairn = Cairn("http://localhost:1", "test-key", handle_exit=False, on_error=lambda *_: None)
        cairn.close()
        for call in (cairn.record, cairn.enqueue):
            with self.assertRaises(ClosedError) as raised:
                call({**event(), "idempotency_key": "mine"})
            self.assertEqual(raised.exception.key, "mine")
        # Each lost event counts, also that of a call which must not raise.
        cairn.record(event(), failure="open")
        self.assertEqual(cairn.counters.dropped, 2)

    def test_a_memory_that_is_full_by_its_bytes_has_room_only_once_some_was_made(self):
        queue = MemoryQueue(size=150)
        queue.add(PreparedEvent("a", b"a" * 100), 0.0)
        with self.assertRaises(QueueFullError):
            queue.add(PreparedEvent("b", b"b" * 100), 0.0)
        self.assertFalse(queue.room(0.01))
        queue.take(1, 1)
        queue.settle([Outcome("a", "queued")])
        self.assertTrue(queue.room(0.0))
        queue.add(PreparedEvent("b", b"b" * 100), 0.0)

    def test_a_context_that_gives_no_mapping_costs_its_members_alone(self):
        async def later():
            return {}

        for given in (later, lambda: "text", lambda: ["a"], lambda: 7, lambda: 1 / 0):
            server = self.scripted(TAKE)
            said = []
            cairn = Cairn(
                server.url,
                "test-key",
                context=given,
                handle_exit=False,
                on_error=lambda error, report: said.append((report.kind, isinstance(error, CairnError))),
            )
            self.assertEqual(cairn.record(event()).status, "queued")
            self.assertEqual(said, [("fields", True)])
            cairn.close()
