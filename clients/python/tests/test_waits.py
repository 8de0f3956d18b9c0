"""What waits for its next try: who flushes, ends or mends it does not wait for that."""

import subprocess
import sys
import threading
import unittest

from cairn_client import Cairn, Retry

from .scripted_server import ScriptedServer
from .waiting import until

EVENT = {"actor_id": "ada", "action": "a.b"}
EXPECT = {"method": "POST", "path": "/api/v1/events"}
BUSY = {"status": 503, "body": {"error": "unavailable", "message": "no"}}


class WaitsTest(unittest.TestCase):
    def server(self, *answers):
        server = ScriptedServer([{"expect": EXPECT, "answer": answer} for answer in answers])
        self.addCleanup(server.close)
        return server

    def test_a_flush_tries_at_once_however_long_the_wait_would_be(self):
        server = self.server(BUSY, {"take": "queued"})
        failed = threading.Event()
        cairn = Cairn(
            server.url,
            "test-key",
            retry=Retry(3600.0, 3600.0),
            handle_exit=False,
            on_error=lambda *_: failed.set(),
        )
        cairn.enqueue(EVENT)
        failed.wait()
        self.assertEqual((cairn.flush(timeout=60.0), server.at, server.faults), (0, 2, []))
        cairn.close()

    def test_a_flush_that_comes_while_a_failure_is_reported_is_not_missed(self):
        server = self.server(BUSY, {"take": "queued"})
        flushed = []

        def on_error(error, report):
            # Of another thread, which has asked before this one waits.
            flushing.start()
            until(lambda: cairn._drain._flushes and cairn._drain._wake.is_rung)

        cairn = Cairn(
            server.url, "test-key", retry=Retry(3600.0, 3600.0), handle_exit=False, on_error=on_error
        )
        flushing = threading.Thread(target=lambda: flushed.append(cairn.flush(timeout=60.0)))
        cairn.enqueue(EVENT)
        until(lambda: flushed)
        self.assertEqual((flushed, server.at, server.faults), ([0], 2, []))
        cairn.close()

    def test_an_end_tries_at_once_too(self):
        program = (
            "import os, signal, sys, threading; from cairn_client import *\n"
            "failed = threading.Event()\n"
            "options = {'retry': Retry(3600.0, 3600.0), 'on_error': lambda *_: failed.set()}\n"
            "cairn = Cairn(sys.argv[1], 'test-key', handle_sigterm=True, **options)\n"
            "cairn.enqueue({'actor_id': 'ada', 'action': 'a.b'})\n"
            "failed.wait()\n"
            "if sys.argv[2] == 'sigterm':\n"
            "    os.kill(os.getpid(), signal.SIGTERM)\n"
            "    threading.Event().wait()\n"
        )
        for end, code in (("interpreter", 0), ("sigterm", -15)):
            with self.subTest(end):
                server = self.server(BUSY, {"take": "queued"})
                ended = subprocess.run([sys.executable, "-c", program, server.url, end], timeout=120)
                self.assertEqual((ended.returncode, server.at, server.faults), (code, 2, []))

    def test_a_mended_event_with_the_key_of_one_that_waits_is_sent_after_it(self):
        refusal = {"status": 422, "body": {"error": "validation_failed", "message": "no", "errors": []}}
        server = self.server(refusal, {"take": "queued"})
        cairn = Cairn(server.url, "test-key", handle_exit=False, on_error=lambda *_: None)
        for actor in ("wrong", "mended"):
            cairn.enqueue({**EVENT, "actor_id": actor, "idempotency_key": "same"})
        self.assertEqual((cairn.flush(timeout=60.0), server.faults), (0, []))
        self.assertEqual((cairn.counters.refused, cairn.counters.queued), (1, 1))
        cairn.close()
