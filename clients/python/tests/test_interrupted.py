"""Calls within calls: a signal's handler and a finalizer may record events wherever they interrupt the client."""

import itertools
import os
import random
import sys
import tempfile
import threading
import unittest

from cairn_client import Cairn, MemoryQueue, QueueFullError, Retry
from cairn_client.spool import Spool

from .collecting_server import CollectingServer
from .waiting import until

CALLS = 40
INTERRUPTIONS = 400


def event(name):
    return {"actor_id": name, "action": "a.b"}


class Interrupting:
    """Calls a function between two steps of the client's code, in the thread that runs it, now and then."""

    def __init__(self, call, seed):
        self.call = call
        self.random = random.Random(seed)
        self.here = threading.local()
        self.left = 0

    def trace(self, frame, what, _):
        if not frame.f_globals.get("__name__", "").startswith(("cairn_client", "threading")):
            return None
        frame.f_trace_opcodes = True
        return self.step

    def step(self, frame, what, _):
        steps = getattr(self.here, "steps", 1) - 1
        if steps <= 0 and self.left > 0:
            self.left -= 1
            steps = self.random.randrange(1, 150)
            self.call()
        self.here.steps = steps
        return self.step


class InterruptedTest(unittest.TestCase):
    def queues(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return MemoryQueue, lambda: Spool(os.path.join(folder.name, "spool"))

    def run_apart(self, run):
        """In a thread, so that one that waits for itself is noticed."""
        failed = []

        def guarded():
            try:
                run()
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        thread.join(150)
        self.assertFalse(thread.is_alive(), "it waits for itself")
        self.assertEqual(failed, [])

    def interrupted(self, make, method, seed, in_sender, flushes=False):
        """Events of calls that are interrupted by calls, and what the service got."""
        server = CollectingServer()
        self.addCleanup(server.close)
        options = {"timeout": 60.0, "retry": Retry(0.001, 0.004), "on_error": lambda *_: None}
        names = []
        made = []

        def again():
            # A name of its own, whichever thread it is.
            name = f"nested {next(numbers)}"
            names.append(name)
            getattr(made[0], method)(event(name), failure="open")
            if flushes:
                made[0].flush(timeout=60.0)

        numbers = itertools.count()
        interrupting = Interrupting(again, seed)

        def run():
            if in_sender:
                threading.settrace(interrupting.trace)
            try:
                cairn = Cairn(server.url, "test-key", queue=make(), handle_exit=False, **options)
                made.append(cairn)
                interrupting.left = INTERRUPTIONS
                if not in_sender:
                    sys.settrace(interrupting.trace)
                for number in range(CALLS):
                    getattr(cairn, method)(event(f"call {number}"))
                    cairn.flush(timeout=60.0)
            finally:
                sys.settrace(None)
                threading.settrace(None)
            interrupting.left = 0
            cairn.flush(timeout=60.0)
            cairn.close(timeout=60.0)

        self.run_apart(run)
        cairn = made[0]
        self.assertGreater(len(names), 30)
        self.assertEqual(server.actors, sorted([*names, *(f"call {number}" for number in range(CALLS))]))
        counters = cairn.counters
        self.assertEqual((counters.queued, counters.dropped, counters.waiting), (CALLS + len(names), 0, 0))

    def test_a_call_may_interrupt_a_call(self):
        for seed, make in enumerate(self.queues()):
            for method in ("enqueue", "record"):
                with self.subTest(method, seed=seed):
                    self.interrupted(make, method, seed, False)

    def test_a_flush_may_interrupt_a_call(self):
        for seed, make in enumerate(self.queues()):
            with self.subTest(seed=seed):
                self.interrupted(make, "enqueue", seed, False, flushes=True)

    def test_a_call_may_interrupt_the_threads_that_send_and_keep(self):
        for seed, make in enumerate(self.queues()):
            for method in ("enqueue", "record"):
                with self.subTest(method, seed=seed):
                    self.interrupted(make, method, seed, True)

    def test_the_thread_that_sends_does_not_wait_for_room_that_only_it_can_make(self):
        held = CollectingServer(lambda each: False)
        self.addCleanup(held.close)
        raised = []

        def on_error(error, report):
            if report.kind == "retry" and not raised:
                try:
                    cairn.enqueue(event("within"))
                except QueueFullError as full:
                    raised.append(full)

        cairn = Cairn(
            held.url,
            "test-key",
            timeout=float("inf"),
            queue=MemoryQueue(events=1),
            on_error=on_error,
            handle_exit=False,
        )

        def run():
            cairn.enqueue(event("first"))
            until(lambda: raised)
            cairn.close(timeout=0.01)

        self.run_apart(run)
        self.assertEqual(len(raised), 1)
