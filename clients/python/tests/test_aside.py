"""Events that never get through hold up no other, and are not lost."""

import contextlib
import os
import sqlite3
import tempfile
import threading
import unittest

from cairn_client import Cairn, MemoryQueue, QueueFullError, Retry
from cairn_client.outbox import Outbox
from cairn_client.spool import Spool, read_spool

from .collecting_server import CollectingServer

BLOCKED = {"17", "18", "240"}
NAMES = [str(number) for number in range(300)]
REST = sorted(set(NAMES) - BLOCKED)


def event(name):
    return {"actor_id": name, "action": "a.b"}


class AsideTest(unittest.TestCase):
    def setUp(self):
        self.open = threading.Event()
        self.server = CollectingServer(lambda each: self.open.is_set() or each["actor_id"] not in BLOCKED)
        self.addCleanup(self.server.close)
        self.reports = []
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def client(self, queue, **options):
        def on_error(error, report):
            self.reports.append((report.kind, [each.key for each in report.events]))

        given = {"retry": Retry(0.001, 0.004), "handle_exit": False, "timeout": 60.0, **options}
        cairn = Cairn(self.server.url, "test-key", queue=queue, on_error=on_error, **given)
        self.addCleanup(lambda: cairn.close(timeout=0.01))
        return cairn

    def test_others_go_on_in_whole_batches(self):
        for queue in (MemoryQueue(), Spool(os.path.join(self.folder, "spool"))):
            with self.subTest(type(queue).__name__):
                self.open.clear()
                self.server.events.clear()
                cairn = self.client(queue)
                for name in NAMES:
                    cairn.enqueue(event(name))
                self.assertEqual(cairn.flush(timeout=60.0), 3)
                self.assertEqual((self.server.actors, cairn.counters.waiting), (REST, 3))
                self.server.blocked.clear()
                for number in range(1000):
                    cairn.enqueue(event(f"more {number}"))
                self.assertEqual(cairn.flush(timeout=60.0), 3)
                # Each of the three is tried beside the batches, alone.
                self.assertEqual([actors for actors in self.server.blocked if len(actors) > 1], [])
                self.assertLessEqual({actors[0] for actors in self.server.blocked}, BLOCKED)
                self.assertEqual({kind for kind, _ in self.reports}, {"retry"})
                self.open.set()
                self.assertEqual(cairn.flush(timeout=60.0), 0)
                self.assertEqual(sorted(set(self.server.actors)), sorted(self.server.actors))
                self.assertEqual(len(self.server.actors), 1300)
                self.assertEqual((cairn.close(), cairn.counters.queued), (0, 1300))

    def test_they_count_in_the_bound_of_the_queue_and_are_said_to_be_lost_at_its_end(self):
        cairn = self.client(MemoryQueue(events=4), when_full="wait")
        for name in ("17", "18", "240"):
            cairn.enqueue(event(name))
        cairn.enqueue(event("a"))
        cairn.flush(timeout=60.0)
        self.assertEqual((self.server.actors, cairn.counters.waiting), (["a"], 3))
        cairn.enqueue(event("b"))
        with self.assertRaises(QueueFullError):
            while True:
                cairn.enqueue(event("17"), timeout=0.0)
        waiting = cairn.close(timeout=0.01)
        self.assertEqual(cairn.counters.dropped, waiting + 1)
        self.assertEqual(self.reports[-1][0], "dropped")

    def test_they_stay_in_the_spool_for_the_next_process(self):
        cairn = self.client(Spool(self.folder))
        for name in NAMES:
            cairn.enqueue(event(name))
        cairn.flush(timeout=60.0)
        self.assertEqual(cairn.close(timeout=0.01), 3)
        self.assertEqual(len(read_spool(self.folder).waiting), 3)
        self.open.set()
        other = self.client(Spool(self.folder))
        self.assertEqual(other.flush(timeout=60.0), 0)
        self.assertEqual(self.server.actors, sorted(NAMES))

    def test_they_stay_in_the_outbox_for_the_next_relay(self):
        path = os.path.join(self.folder, "app.db")
        connect = lambda: sqlite3.connect(path, timeout=60.0)
        outbox = Outbox()

        def rows(columns):
            with contextlib.closing(connect()) as connection:
                return connection.execute(f"SELECT {columns} FROM cairn_outbox").fetchall()

        with contextlib.closing(connect()) as connection:
            outbox.migrate(connection)
            for name in NAMES:
                outbox.audit(connection, event(name))
            connection.commit()
        given = {"connect": connect, "poll": 3600.0, "retry": Retry(0.001, 0.004)}
        relay = outbox.relay(self.server.url, "k", on_error=lambda *_: None, **given)
        self.addCleanup(relay.close)
        relay.flush(timeout=60.0)
        self.assertEqual((self.server.actors, rows("count(*)")), (REST, [(3,)]))
        relay.close(timeout=0.01)
        self.assertEqual(rows("claimed_by"), [(None,)] * 3)
        self.open.set()
        other = outbox.relay(self.server.url, "k", **given)
        self.addCleanup(other.close)
        other.flush(timeout=60.0)
        self.assertEqual((self.server.actors, rows("count(*)")), (sorted(NAMES), [(0,)]))
