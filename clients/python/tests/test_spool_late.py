"""A spool whose disk answers late or whose calls are interrupted: no event is stuck, or lost unsaid."""

import dis
import errno
import os
import sys
import threading

from cairn_client import (
    Cairn,
    CairnError,
    CairnTimeoutError,
    ClosedError,
    Outcome,
    QueueFullError,
    Refusal,
    Retry,
)
from cairn_client.spool import read_spool

from .collecting_server import CollectingServer
from .test_spool import event, keys_in, recorded
from .test_spool_edges import EdgesTest
from .waiting import until


class LateDiskTest(EdgesTest):
    def setUp(self):
        super().setUp()
        self.free = threading.Event()
        # A test that fails leaves no thread that waits.
        self.addCleanup(self.free.set)
        self.said = []

    def spool(self, **options):
        spool = super().spool(files=self.files, **options)
        # Its cleanup comes before that of the spool.
        self.addCleanup(self.free.set)
        return spool

    def hold(self, failure=None):
        """The disk answers once it is free, perhaps with a failure."""
        came = threading.Event()

        def hold():
            came.set()
            self.free.wait()
            if failure is not None:
                raise failure

        self.files.hooks["datasync"] = hold
        return came

    def late(self, spool, key, timeout=0.01):
        """An event whose time limit is over before the disk has answered."""
        with self.assertRaises(CairnTimeoutError):
            spool.add(event(key), timeout, lambda error: self.said.append((key, error)))

    def client(self, spool, **options):
        server = CollectingServer()
        self.addCleanup(server.close)
        given = {"retry": Retry(0.001, 0.004), "handle_exit": False, "on_error": lambda *_: None, **options}
        cairn = Cairn(server.url, "key", queue=spool, **given)
        self.addCleanup(lambda: cairn.close(timeout=0.01))
        self.addCleanup(self.free.set)
        return cairn, server

    def test_an_event_that_the_disk_keeps_late_is_sent_and_said_once(self):
        spool = self.spool()
        told = threading.Event()
        spool.watch(told.set)
        self.hold()
        for key in "ab":
            self.late(spool, key)
        self.assertEqual((spool.size(), self.said), (2, []))
        self.free.set()
        told.wait()
        until(lambda: len(self.said) == 2)
        self.assertEqual(self.said, [("a", None), ("b", None)])
        self.assertEqual((keys_in(spool), spool.size()), (["a", "b"], 2))
        # One that is not late is said to its call alone.
        spool.add(event("c"), 60.0, lambda error: self.said.append(("c", error)))
        spool.close()
        self.assertEqual(len(self.said), 2)

    def test_an_event_that_the_disk_does_not_keep_is_said_late_with_its_cause(self):
        spool = self.spool(max_bytes=1 << 20)
        told = []
        spool.watch(lambda: told.append(1))
        self.hold(OSError(errno.ENOSPC, "no space"))
        for key in "ab":
            self.late(spool, key)
        self.free.set()
        until(lambda: len(self.said) == 2)
        self.assertEqual([key for key, _ in self.said], ["a", "b"])
        for _, error in self.said:
            self.assertIsInstance(error, CairnError)
            self.assertIn("no space", str(error))
        self.assertIsNot(self.said[0][1], self.said[1][1])
        self.assertEqual((told, keys_in(spool), spool.size()), ([], [], 0))

    def test_an_event_for_which_a_late_disk_has_no_room_is_said_late(self):
        spool = self.spool(max_bytes=1 << 20)
        came = self.hold()
        with self.assertRaises(CairnTimeoutError):
            spool.add(event("a", 600_000), 0.01, lambda error: self.said.append(("a", error)))
        came.wait()
        # Each has room as long as the other is not on the disk.
        spool._adds.reserved = 0
        with self.assertRaises(CairnTimeoutError):
            spool.add(event("b", 600_000), 0.01, lambda error: self.said.append(("b", error)))
        self.free.set()
        until(lambda: len(self.said) == 2)
        self.assertIsInstance(dict(self.said)["b"], QueueFullError)
        self.assertEqual((dict(self.said)["a"], keys_in(spool)), (None, ["a"]))

    def test_a_client_sends_what_was_deferred_until_its_disk_answered(self):
        for do in ("enqueue", "record"):
            with self.subTest(do):
                self.free.clear()
                self.files.hooks.clear()
                self.folder += do
                cairn, server = self.client(self.spool())
                # It has looked into the queue, and looks again only where it is told.
                cairn.flush(timeout=60.0)
                self.hold()
                if do == "record":
                    cairn._sender.send = lambda *_: ([], CairnTimeoutError("no answer"), [])
                done = getattr(cairn, do)({"actor_id": "ada", "action": "a.b"}, failure="open", timeout=0.01)
                self.assertEqual((done.status, server.events), ("deferred", []))
                cairn._sender.__dict__.clear()
                cairn._sender.__init__(cairn._http)
                self.free.set()
                # Nobody enqueues or flushes.
                until(lambda: cairn.counters.queued == 1)
                self.assertEqual((server.actors, cairn.counters.waiting), (["ada"], 0))

    def test_a_close_waits_for_a_late_disk_and_what_was_kept_is_the_next_process_s(self):
        spool = self.spool()
        came = self.hold()
        self.late(spool, "a")
        came.wait()
        self.late(spool, "b", 0.0)
        closing = threading.Thread(target=spool.close)
        closing.start()
        until(lambda: spool._closed)
        with self.assertRaises(ClosedError):
            spool.add(event("c"), 60.0)
        self.free.set()
        closing.join()
        self.assertEqual(self.said, [("a", None), ("b", None)])
        self.assertEqual([each.key for each in read_spool(self.folder).waiting], ["a", "b"])
        self.assertEqual(keys_in(self.spool()), ["a", "b"])

    def test_a_client_that_ends_while_its_disk_is_late_says_what_waits(self):
        cairn, _ = self.client(self.spool())
        self.hold()
        enqueued = cairn.enqueue({"actor_id": "ada", "action": "a"}, failure="open", timeout=0.01)
        self.assertEqual(enqueued.status, "deferred")
        self.assertEqual((cairn.counters.waiting, cairn.close(timeout=0.01)), (1, 1))

    def test_what_is_said_late_may_call_the_spool_again(self):
        spool = self.spool()
        came = self.hold()
        nested = []

        def again(error):
            nested.append(error)
            with self.assertRaises(CairnTimeoutError):
                spool.add(event("again"), 60.0, nested.append)
            nested.append(spool.requeue())

        with self.assertRaises(CairnTimeoutError):
            spool.add(event("a"), 0.01, again)
        came.wait()
        self.free.set()
        until(lambda: len(nested) == 3)
        self.assertEqual((nested, keys_in(spool)), ([None, (0, 0), None], ["a", "again"]))


class Interruption(BaseException):
    """What a signal's handler raises."""


class Interrupting:
    """Raises in the spool's code, in this thread, the nth time that a signal's handler may run there."""

    def __init__(self, nth):
        self.left = nth
        self.before = {}

    def trace(self, frame, what, _):
        if not frame.f_globals.get("__name__", "").startswith("cairn_client.spool"):
            return None
        # In this order: Python 3.13 looks whether there is the one when it is told the other.
        frame.f_trace = self.step
        frame.f_trace_opcodes = True
        return self.step

    def step(self, frame, what, _):
        if what == "opcode":
            before = self.before.get(frame, "")
            self.before[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]]
            if before.startswith(("CALL", "RESUME", "JUMP_BACKWARD")):
                self.left -= 1
                if self.left == 0:
                    raise Interruption
        return self.step

    def run(self, work):
        """Whether it was interrupted."""
        sys.settrace(self.trace)
        try:
            work()
        except Interruption:
            return True
        finally:
            sys.settrace(None)
        return False


class InterruptionTest(EdgesTest):
    def each(self, made, work, look):
        """Does `work` with something new each time, interrupted at each place where that may be."""
        # Some interpreters tell the steps of a function only from its second call on.
        given = made()
        Interrupting(sys.maxsize).run(lambda: work(given))
        self.end(given)
        nth = 0
        is_interrupted = True
        while is_interrupted:
            nth += 1
            with self.subTest(nth=nth):
                given = made()
                is_interrupted = Interrupting(nth).run(lambda: work(given))
                # In another thread: this one may take a lock again.
                self.run_apart(lambda: look(given, is_interrupted))
                self.end(given)
        self.assertGreater(nth, 5)

    def end(self, spool):
        self.run_apart(spool.close)
        for name in os.listdir(self.folder):
            self.path(name).unlink()

    def made(self, *keys):
        spool = self.spool()
        for key in keys:
            spool.add(event(key), 60.0)
        return spool

    def confirms(self, spool):
        """Adds, takes and settles an event."""
        spool.add(event("probe"), 60.0)
        self.assertIn("probe", [each.key for each in spool.take(100, 1 << 20)])
        spool.settle(recorded("probe"))

    def test_take_gives_its_events_to_who_hears_of_them(self):
        def look(spool, is_interrupted):
            self.assertEqual(keys_in(spool), ["a", "b"] if is_interrupted else [])
            self.confirms(spool)

        self.each(lambda: self.made("a", "b"), lambda spool: spool.take(100, 1 << 20), look)

    def test_settle_leaves_no_event_that_nobody_sends_or_counts(self):
        outcomes = [*recorded("a"), Outcome("b", "refused", refusal=Refusal("wrong", "wrong"))]

        def made():
            spool = self.made("a", "b", "c")
            spool.take(100, 1 << 20)
            return spool

        def look(spool, is_interrupted):
            waiting = keys_in(spool)
            self.assertLessEqual(set(waiting), {"a", "b"})
            letters = [each["key"] for each in read_spool(self.folder).dead_letters]
            self.assertLessEqual({"b"} - set(waiting), set(letters))
            # Until it is counted anew.
            self.assertIn(spool.size() - len(waiting) - 1, (0, 1))
            # Those that come later with their keys are not held up.
            self.run_apart(lambda: [spool.add(event(key, 9), 60.0) for key in "ab"])
            sizes = [len(each.data) for each in spool.take(100, 1 << 20) if each.key not in waiting]
            self.assertEqual(sizes, [len(event("a", 9).data)] * (2 - len(waiting)))
            spool.settle(recorded("a", "b", "c"))
            spool.take(100, 1 << 20)
            spool.settle(recorded("a", "b"))
            self.confirms(spool)
            self.assertEqual(spool.size(), 0)

        self.each(made, lambda spool: spool.settle(outcomes), look)

    def test_release_gives_all_back_or_can_be_called_again(self):
        def made():
            spool = self.made("a", "b")
            spool.take(100, 1 << 20)
            return spool

        def look(spool, is_interrupted):
            spool.release([event("a"), event("b")])
            self.assertEqual(keys_in(spool), ["a", "b"])
            self.confirms(spool)

        self.each(made, lambda spool: spool.release([event("a"), event("b")]), look)

    def test_add_keeps_an_event_that_is_said_or_keeps_none(self):
        said = []

        def work(spool):
            said.clear()
            spool.add(event("a"), 60.0, said.append)
            said.append("added")

        def look(spool, is_interrupted):
            spool.add(event("b"), 60.0)
            if keys_in(spool) != ["b"]:
                self.assertEqual(keys_in(spool), ["a", "b"])
                until(lambda: said)
            told = [None] if is_interrupted else ["added"]
            self.assertEqual((said, spool.size()), (told, 2) if said else ([], 1))

        self.each(self.made, work, look)

    def test_a_commit_that_is_interrupted_is_done_again(self):
        said = []

        def made():
            said.clear()
            spool = self.made("before")
            poke, spool._worker.poke = spool._worker.poke, lambda *_: None
            for key in "ab":
                with self.assertRaises(CairnTimeoutError):
                    spool.add(event(key), 0.0, lambda error, key=key: said.append((key, error)))
            spool._worker.poke = poke
            return spool

        def look(spool, is_interrupted):
            spool.add(event("c"), 60.0)
            until(lambda: len(said) >= 2)
            self.assertEqual(dict(said), {"a": None, "b": None})
            sent = []
            while True:
                taken = [each.key for each in spool.take(100, 1 << 20)]
                if not taken:
                    break
                sent += taken
                spool.settle(recorded(*taken))
            # What is in the queue twice is sent twice, and recorded once.
            self.assertEqual(set(sent), {"before", "a", "b", "c"})
            self.assertEqual(spool.size(), 0)

        self.each(made, lambda spool: spool._commit_all(), look)

    def test_a_close_that_is_interrupted_can_be_called_again(self):
        def look(spool, is_interrupted):
            spool.close()
            self.assertEqual([each.key for each in read_spool(self.folder).waiting], ["a"])

        self.each(lambda: self.made("a"), lambda spool: spool.close(), look)
