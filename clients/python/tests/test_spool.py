"""The spool: what it confirmed it has, whatever ends the process and whatever the disk does."""

import errno
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

from cairn_client import (
    Cairn,
    CairnError,
    Outcome,
    PreparedEvent,
    QueueFullError,
    Refusal,
    Retry,
)
from cairn_client.spool import Spool, SpoolFiles, read_spool
from cairn_client.spool._lines import read_segment

from .collecting_server import CollectingServer
from .scripted_server import ScriptedServer
from .waiting import until

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent


def event(key, size=0):
    body = {"actor_id": "ada", "action": "a", "idempotency_key": key, "metadata": {"text": "x" * size}}
    return PreparedEvent(key, json.dumps(body).encode())


def keys_in(spool):
    taken = spool.take(10_000, 1 << 30)
    spool.release(taken)
    return [each.key for each in taken]


def recorded(*keys):
    return [Outcome(key, "queued", "1") for key in keys]


class FaultyFiles(SpoolFiles):
    """Counts operations, and fails those that it is told."""

    def __init__(self):
        self.failing = {}
        self.counts = {}

    def door(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1
        if self.failing.get(name, 0) > 0:
            self.failing[name] -= 1
            raise OSError(errno.ENOSPC, "no space")

    def write(self, file, data):
        if self.failing.get("write", 0) > 0:
            super().write(file, data[: len(data) // 2])
        self.door("write")
        super().write(file, data)

    def datasync(self, file):
        self.door("datasync")
        super().datasync(file)

    def truncate(self, file, length):
        self.door("truncate")
        super().truncate(file, length)


class SpoolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(os.path.realpath(folder.name), "spool")

    def spool(self, **options):
        spool = Spool(self.folder, **options)
        self.addCleanup(spool.close)
        return spool

    def spooling(self, *keys):
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.spooling", self.folder, *keys],
            cwd=HERE.parent,
            stdout=subprocess.PIPE,
        )
        self.addCleanup(child.wait)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), b"added\n")
        return child

    def test_segments_are_read_as_every_client_reads_them(self):
        vectors = json.loads((ROOT / "testdata/client/spool/segments.json").read_text("utf-8"))
        self.assertGreater(len(vectors["cases"]), 10)
        for case in vectors["cases"]:
            with self.subTest(case["name"]):
                waiting, damaged, whole = read_segment(case["segment"].encode())
                self.assertEqual([each.key for each in waiting], case["waiting"])
                self.assertEqual((list(damaged), whole), (case["damaged"], case["whole_bytes"]))

    def test_what_is_confirmed_is_kept_through_a_kill_and_is_its_owners_while_that_lives(self):
        child = self.spooling("a", "b", "c")
        beside = self.spool()
        self.assertEqual(keys_in(beside), [])
        # Also while it is stopped and answers nobody.
        child.send_signal(signal.SIGSTOP)
        self.assertEqual(keys_in(self.spool()), [])
        child.kill()
        child.wait()
        adopters = [self.spool() for _ in range(3)]
        self.assertEqual([keys for keys in map(keys_in, adopters) if keys], [["a", "b", "c"]])
        self.assertEqual(sum(each.counters.adopted for each in adopters), 1)

    def test_what_is_settled_is_not_sent_again_and_its_files_go(self):
        spool = self.spool()
        for key in "abcd":
            spool.add(event(key), 60.0)
        spool.take(3, 1 << 30)
        spool.settle(recorded("a", "c"))
        spool.release([event("b")])
        self.assertEqual(keys_in(spool), ["b", "d"])
        spool.close()
        self.assertEqual([each.key for each in read_spool(self.folder).waiting], ["b", "d"])
        spool = self.spool()
        self.assertEqual((keys_in(spool), spool.size()), (["b", "d"], 2))
        spool.take(2, 1 << 30)
        spool.settle(recorded("b", "d"))
        spool.close()
        self.assertEqual(os.listdir(self.folder), [])

    def test_events_of_many_threads_share_a_sync(self):
        files = FaultyFiles()
        spool = self.spool(files=files)
        held = threading.Event()
        before = files.datasync

        def datasync(file):
            held.wait()
            before(file)

        files.datasync = datasync
        poke, came = spool._worker.poke, []
        spool._worker.poke = lambda *delay: (poke(*delay), delay or came.append(1))
        adds = [threading.Thread(target=spool.add, args=(event(str(n)), 60.0)) for n in range(50)]
        for add in adds:
            add.start()
        # All have come: one group is on its way, and the rest are the next.
        until(lambda: len(came) == 50)
        held.set()
        for add in adds:
            add.join()
        self.assertEqual(spool.size(), 50)
        self.assertLessEqual(files.counts["datasync"], 2)

    def test_a_disk_that_fails_keeps_what_was_confirmed_and_confirms_no_other(self):
        for failing in ({"write": 1}, {"datasync": 1}, {"write": 1, "truncate": 1}):
            files = FaultyFiles()
            spool = self.spool(files=files)
            spool.add(event("before"), 60.0)
            files.failing = dict(failing)
            with self.assertRaisesRegex(CairnError, "no space"):
                spool.add(event("failed"), 60.0)
            spool.add(event("after"), 60.0)
            found = keys_in(spool)
            self.assertEqual(found, ["before", "after"], failing)
            waiting = [each.key for each in read_spool(self.folder).waiting]
            self.assertEqual(sorted(waiting), ["after", "before"], failing)
            spool.take(2, 1 << 30)
            spool.settle(recorded("before", "after"))
            spool.close()

    def test_a_segment_that_was_taken_away_is_written_again(self):
        spool = self.spool()
        spool.add(event("a"), 60.0)
        (name,) = [name for name in os.listdir(self.folder) if name.endswith(".log")]
        os.unlink(os.path.join(self.folder, name))
        spool.add(event("b"), 60.0)
        self.assertEqual([each.key for each in read_spool(self.folder).waiting], ["a", "b"])
        self.assertEqual(keys_in(spool), ["a", "b"])

    def test_a_full_spool_has_no_room_until_events_are_settled(self):
        spool = self.spool(max_bytes=1 << 20)
        kept = []
        with self.assertRaises(QueueFullError):
            for n in range(20):
                spool.add(event(str(n), 100_000), 60.0)
                kept.append(str(n))
        self.assertEqual((len(kept), spool.room(0.0)), (10, False))
        spool.take(5, 1 << 30)
        spool.settle(recorded(*kept[:5]))
        self.assertTrue(spool.room(0.0))
        spool.add(event("more", 100_000), 60.0)

    def test_refused_events_and_damaged_records_are_dead_letters_and_can_be_put_back(self):
        spool = self.spool()
        # What a kill has torn costs no other letter.
        with open(os.path.join(self.folder, "dead-letter.jsonl"), "w") as file:
            file.write('{"time":')
        for key in "abc":
            spool.add(event(key), 60.0)
        spool.take(3, 1 << 30)
        refusal = Refusal("validation_failed", "wrong", [{"field": "action", "message": "wrong"}])
        spool.settle([Outcome("a", "refused", refusal=refusal, request_id="req-1"), *recorded("b")])
        spool.release([event("c")])
        spool.close()
        (name,) = [name for name in os.listdir(self.folder) if name.endswith(".log")]
        path = os.path.join(self.folder, name)
        with open(path, "ab") as file:
            file.write(b"00000000 damaged\n")
        spool = self.spool()
        self.assertEqual((keys_in(spool), spool.counters.damaged), (["c"], 1))
        spool.take(1, 1 << 30)
        spool.settle(recorded("c"))
        letters = read_spool(self.folder).dead_letters
        self.assertEqual([letter["key"] for letter in letters], ["a", None])
        self.assertEqual(letters[0]["refusal"], refusal.as_json())
        self.assertEqual((letters[0]["request_id"], letters[1]["line"]), ("req-1", "00000000 damaged"))
        self.assertEqual((spool.requeue(), keys_in(spool)), ((1, 2), ["a"]))
        self.assertEqual([letter["key"] for letter in read_spool(self.folder).dead_letters], [None])

    def test_requeue_deletes_no_line_that_it_says_it_left_and_the_rest_is_sent(self):
        server = CollectingServer()
        self.addCleanup(server.close)
        path = pathlib.Path(self.folder, "dead-letter.jsonl")
        spool = self.spool(max_dead_letter_bytes=1)
        cairn = Cairn(server.url, "key", queue=spool, handle_exit=False, on_error=lambda *_: None)
        self.addCleanup(lambda: cairn.close(timeout=0.01))
        refusal = {"error": "validation_failed", "message": "no"}
        good = {"time": "t", "key": "k", "refusal": refusal, "event": {"actor_id": "ada", "action": "a.b"}}
        left = [b"torn {", b"[]", b'"text"', b"\xff\xfe", b'{"key":null,"refusal":{},"line":"x"}', b"{}"]
        path.write_bytes(b"\n".join([left[0], json.dumps(good).encode(), b"", *left[1:]]))
        calls = []
        both = [threading.Thread(target=lambda: calls.append(spool.requeue(timeout=60.0))) for _ in range(2)]
        for each in both:
            each.start()
        for each in both:
            each.join()
        self.assertEqual(sorted(calls), [(0, len(left)), (1, len(left))])
        self.assertEqual(path.read_bytes().splitlines(), left)
        # Nobody enqueues or flushes.
        until(lambda: cairn.counters.queued == 1)
        self.assertEqual(server.actors, ["ada"])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_child_of_a_fork_leaves_the_files_and_the_lock_to_its_parent(self):
        spool = self.spool()
        spool.add(event("parent"), 60.0)
        there, here = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                ok = spool.size() == 0 and keys_in(spool) == []
                spool.add(event("child"), 60.0)
                ok = ok and keys_in(spool) == ["child"]
                os.write(here, b"1" if ok else b"0")
                signal.pause()
            finally:
                os._exit(1)
        self.addCleanup(os.close, there)
        self.addCleanup(os.close, here)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.kill, child, signal.SIGKILL)
        self.assertEqual(os.read(there, 1), b"1")
        spool.add(event("after"), 60.0)
        self.assertEqual(keys_in(spool), ["parent", "after"])
        # The child lives, and holds nothing of its parent's.
        spool.close()
        self.assertEqual(keys_in(self.spool()), ["parent", "after"])

    def test_a_file_that_cannot_be_read_when_it_is_adopted_is_tried_again_and_reported(self):
        child = self.spooling("a")
        child.kill()
        child.wait()
        files = FaultyFiles()
        before = files.read

        def read(path):
            files.door("read")
            return before(path)

        files.read, files.failing = read, {"read": 3}
        server = ScriptedServer(
            [{"expect": {"method": "POST", "path": "/api/v1/events"}, "answer": {"take": "queued"}}]
        )
        self.addCleanup(server.close)
        kinds = []
        cairn = Cairn(
            server.url,
            "test-key",
            queue=self.spool(files=files),
            retry=Retry(0.001, 0.004),
            on_error=lambda error, report: kinds.append(report.kind),
            handle_exit=False,
        )
        # Without a first event.
        until(lambda: cairn.counters.queued == 1)
        cairn.close()
        self.assertEqual((kinds, server.faults, cairn.counters.queued), (["queue", "queue"], [], 1))

    def test_a_client_sends_what_an_earlier_process_left(self):
        child = self.spooling("a", "b")
        child.kill()
        child.wait()
        expect = {"method": "POST", "path": "/api/v1/events/batch"}
        server = ScriptedServer([{"expect": expect, "answer": {"take": "queued"}}])
        self.addCleanup(server.close)
        program = (
            "import sys; from cairn_client import *; from cairn_client.spool import *\n"
            "cairn = Cairn(sys.argv[1], 'test-key', queue=Spool(sys.argv[2]))\n"
            "sys.exit(cairn.flush(timeout=60.0))"
        )
        subprocess.run([sys.executable, "-c", program, server.url, self.folder], check=True, timeout=120)
        self.assertEqual((server.faults, server.at, os.listdir(self.folder)), ([], 1, []))
