"""The edges of the spool: calls within calls, files of others, keys that come twice."""

import contextlib
import errno
import json
import os
import pathlib
import tempfile
import threading
import unittest

from cairn_client import Outcome, Refusal
from cairn_client.spool import Spool, SpoolFiles, read_spool
from cairn_client.spool._lines import event_line

from .test_spool import event, keys_in, recorded

NOBODY = 65_534
OURS, THEIRS = (f"{digit * 16}-00000001.v1.log" for digit in "12")


def letter(key):
    refusal = {"error": "validation_failed", "message": "no"}
    return {"time": "t", "key": key, "refusal": refusal, "event": {"actor_id": "ada", "action": "a.b"}}


def lines_of(letters):
    return "".join(json.dumps(each) + "\n" for each in letters)


@contextlib.contextmanager
def as_nobody():
    """As a user who has no rights of its own."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


class HookedFiles(SpoolFiles):
    """Calls what it is told before an operation on a path, or on a file."""

    def __init__(self):
        self.hooks = {}

    def hook(self, name, *given):
        self.hooks.get(name, lambda *_: None)(*given)

    def open(self, path):
        self.hook("open", path)
        return super().open(path)

    def read(self, path):
        self.hook("read", path)
        return super().read(path)

    def rename(self, path, to):
        self.hook("rename", path)
        super().rename(path, to)

    def write(self, file, data):
        self.hook("write", data)
        super().write(file, data)

    def datasync(self, file):
        self.hook("datasync")
        super().datasync(file)


class EdgesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o711)
        self.folder = os.path.join(os.path.realpath(folder.name), "spool")
        self.files = HookedFiles()

    def path(self, name):
        return pathlib.Path(self.folder, name)

    def spool(self, **options):
        spool = Spool(self.folder, **options)
        self.addCleanup(spool.close)
        return spool

    def run_apart(self, run):
        """What `run` gives in a thread, so that one that waits for itself is noticed."""
        given, failed = [], []

        def guarded():
            try:
                given.append(run())
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        thread.join(20)
        if thread.is_alive():
            # Nothing that it holds comes free.
            self._cleanups.clear()
        self.assertFalse(thread.is_alive(), "it waits for itself")
        if failed:
            raise failed[0]
        return given[0]


class RequeueTest(EdgesTest):
    def test_a_requeue_within_another_moves_nothing(self):
        spool = self.spool(files=self.files)
        self.path("dead-letter.jsonl").write_text(lines_of([letter("a"), letter("b")]))
        nested = []

        def again(path):
            if path.endswith(".requeue"):
                nested.append(spool.requeue())

        self.files.hooks["read"] = again
        self.assertEqual(self.run_apart(spool.requeue), (2, 0))
        self.assertEqual((nested, keys_in(spool)), ([(0, 0)], ["a", "b"]))

    def test_a_requeue_that_interrupts_the_disk_moves_nothing_and_does_not_wait_for_one_that_does(self):
        spool = self.spool(files=self.files)
        self.path("dead-letter.jsonl").write_text(lines_of([letter("a")]))
        nested = []
        # The thread that writes is interrupted while another waits for it.
        self.files.hooks["write"] = lambda _: nested.append(spool.requeue(timeout=60.0))
        self.assertEqual(self.run_apart(lambda: spool.requeue(timeout=60.0)), (1, 0))
        self.assertEqual((nested, keys_in(spool)), ([(0, 0)], ["a"]))

    def test_a_requeue_waits_for_that_of_another_thread(self):
        spool = self.spool(files=self.files)
        self.path("dead-letter.jsonl").write_text(lines_of([letter("a")]))
        came, held = threading.Event(), threading.Event()
        self.files.hooks["read"] = lambda path: (came.set(), held.wait())
        found = []
        both = [threading.Thread(target=lambda: found.append(spool.requeue())) for _ in range(2)]
        both[0].start()
        came.wait()
        both[1].start()
        both[1].join(0.05)
        self.assertEqual(found, [])
        held.set()
        for each in both:
            each.join()
        self.assertEqual(found, [(1, 0), (0, 0)])


class RightsTest(EdgesTest):
    def test_files_of_others_that_it_may_not_open_or_rename_stay_where_they_are_and_are_counted(self):
        for what, code in (("open", errno.EACCES), ("rename", errno.EPERM)):
            with self.subTest(what):
                os.makedirs(self.folder, exist_ok=True)
                self.path(OURS).write_bytes(event_line(event("a")))
                self.path(THEIRS).write_bytes(event_line(event("b")))

                def foreign(path, *_):
                    if path.endswith(THEIRS):
                        raise OSError(code, "not yours")

                self.files.hooks[what] = foreign
                spool = self.spool(files=self.files, adopt_every=0.005)
                self.assertEqual((spool.size(), keys_in(spool)), (1, ["a"]))
                self.assertEqual((spool.counters.adopted, spool.counters.left), (1, 1))
                self.assertIn(THEIRS, os.listdir(self.folder))
                spool.take(1, 1 << 20)
                spool.settle(recorded("a"))
                # Once it has the right it takes them over.
                told = threading.Event()
                spool.watch(told.set)
                self.files.hooks.clear()
                told.wait()
                self.assertEqual((keys_in(spool), spool.size()), (["b"], 1))
                self.assertEqual((spool.counters.adopted, spool.counters.left), (2, 0))
                spool.take(1, 1 << 20)
                spool.settle(recorded("b"))
                spool.close()
                self.assertEqual(os.listdir(self.folder), [])

    def test_a_folder_of_another_user_costs_nobody_but_that_user_its_files(self):
        os.makedirs(self.folder)
        self.path(OURS).write_bytes(event_line(event("a")))
        self.path(THEIRS).write_bytes(event_line(event("b")))
        self.path("dead-letter.jsonl").write_text(lines_of([letter("d")]))
        others = f"dead-letter.{'2' * 16}-1.requeue"
        ours = f"dead-letter.{'1' * 16}-1.requeue"
        self.path(others).write_text(lines_of([letter("e")]))
        self.path(ours).write_text(lines_of([letter("f")]))
        private = (THEIRS, "dead-letter.jsonl", others)
        for name in private:
            self.path(name).chmod(0o600 if os.geteuid() == 0 else 0)
        if os.geteuid() == 0:
            for name in ("", OURS, ours):
                os.chown(self.path(name), NOBODY, NOBODY)
        with as_nobody():
            spool = Spool(self.folder)
            try:
                self.assertEqual((keys_in(spool), spool.counters.left), (["a"], 1))
                with self.assertRaises(PermissionError):
                    spool.requeue()
                self.assertEqual((keys_in(spool), spool.size()), (["a", "f"], 2))
            finally:
                spool.close()
        self.assertLessEqual(set(private), set(os.listdir(self.folder)))

    def test_a_folder_that_cannot_be_written_to_or_read_is_not_opened(self):
        os.makedirs(self.folder)
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        for mode in (0o555, 0o333, 0o666, 0):
            with self.subTest(oct(mode)):
                os.chmod(self.folder, mode)
                self.addCleanup(os.chmod, self.folder, 0o700)
                with as_nobody(), self.assertRaises(PermissionError):
                    Spool(self.folder).close()


class SameKeyTest(EdgesTest):
    def taken(self, spool):
        return [(each.key, len(each.data)) for each in spool.take(100, 1 << 20)]

    def waiting(self):
        return [each.key for each in read_spool(self.folder).waiting]

    def test_each_of_several_events_with_one_key_has_a_fate_of_its_own(self):
        spool = self.spool()
        same = [event("a", size) for size in (1, 2, 3)]
        for each in (same[0], same[1], event("b"), same[2]):
            spool.add(each, 60.0)
        first, second, third = (("a", len(each.data)) for each in same)
        self.assertEqual(self.taken(spool), [first, ("b", len(event("b").data))])
        # Nor do the others come while the first is on its way.
        self.assertEqual(self.taken(spool), [])
        spool.settle(recorded("a", "b"))
        # A process that ends now loses none of them: the first is sent again, which the service knows.
        self.assertEqual((self.waiting(), spool.size()), (["a", "a", "a"], 2))
        self.assertEqual(self.taken(spool), [second])
        spool.release([same[1]])
        self.assertEqual(self.taken(spool), [second])
        refusal = Refusal("validation_failed", "wrong")
        spool.settle([Outcome("a", "refused", refusal=refusal)])
        letters = read_spool(self.folder).dead_letters
        self.assertEqual([each["event"]["metadata"]["text"] for each in letters], ["xx"])
        self.assertEqual(self.taken(spool), [third])
        spool.settle(recorded("a"))
        # One mark for all of them.
        self.assertEqual((self.waiting(), spool.size(), self.taken(spool)), ([], 0, []))
        spool.add(event("a", 4), 60.0)
        self.assertEqual((self.waiting(), self.taken(spool)), (["a"], [("a", len(event("a", 4).data))]))

    def test_events_with_one_key_in_files_of_others_have_fates_of_their_own(self):
        os.makedirs(self.folder)
        self.path(OURS).write_bytes(event_line(event("a", 1)) + event_line(event("b")))
        self.path(THEIRS).write_bytes(event_line(event("a", 2)))
        spool = self.spool()
        self.assertEqual([key for key, _ in self.taken(spool)], ["a", "b"])
        spool.settle(recorded("a"))
        self.assertEqual(sorted(self.waiting()), ["a", "b"])
        self.assertEqual(self.taken(spool), [("a", len(event("a", 2).data))])
        spool.settle(recorded("a", "b"))
        self.assertEqual((self.waiting(), spool.size()), ([], 0))

    def test_a_full_segment_forgets_no_event_that_is_on_its_way(self):
        spool = self.spool(max_bytes=1 << 20)
        spool.add(event("a", 70_000), 60.0)
        self.assertEqual(len(self.taken(spool)), 1)
        spool.add(event("b"), 60.0)
        self.assertEqual([key for key, _ in self.taken(spool)], ["b"])
        spool.settle(recorded("a", "b"))
        self.assertEqual((self.waiting(), spool.size()), ([], 0))
