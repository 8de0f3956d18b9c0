"""Options that are refused by their names, and limits that no timer can take."""

import os
import sqlite3
import tempfile
import threading
import unittest

from cairn_client import Batch, Cairn, ClosedError, MemoryQueue, QueueFullError, Retry
from cairn_client.outbox import Outbox
from cairn_client.spool import Spool

from .collecting_server import CollectingServer

EVENT = {"actor_id": "ada", "action": "a.b"}
HUGE = (1e10, 1e18, 1e308, float("inf"))


class LimitsTest(unittest.TestCase):
    def setUp(self):
        self.server = CollectingServer()
        self.addCleanup(self.server.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def client(self, **options):
        cairn = Cairn(self.server.url, "key", handle_exit=False, on_error=lambda *_: None, **options)
        self.addCleanup(lambda: cairn.close(timeout=0.01))
        return cairn

    def test_what_is_no_option_is_refused_with_its_name(self):
        for options, said in (
            ({"failure": "opne"}, "failure must be closed or open"),
            ({"when_full": "wiat"}, "when_full must be wait or drop"),
            ({"failure": ""}, "failure must be"),
            ({"when_ful": "wait"}, "when_ful"),
            ({"timeout": "2"}, "timeout must be a number"),
            ({"timeout": -1}, "timeout must be a number"),
            ({"timeout": float("nan")}, "timeout must be a number"),
            ({"timeout": True}, "timeout must be a number"),
            ({"batch": Batch(count=0)}, "batch.count must be"),
            ({"batch": Batch(count="100")}, "batch.count must be"),
            ({"batch": Batch(delay=-1.0)}, "batch.delay must be"),
            ({"retry": Retry(base=-1.0)}, "base must be"),
        ):
            with self.subTest(options), self.assertRaisesRegex(TypeError, said):
                self.client(**options)
        cairn = self.client()
        for call in (cairn.record, cairn.enqueue):
            for options, said in (
                ({"failure": "opne"}, "failure must be closed or open"),
                ({"failure": ""}, "failure must be"),
                ({"timeout": "2"}, "timeout must be a number"),
                ({"retries": 2}, "retries"),
            ):
                with self.subTest(options), self.assertRaisesRegex(TypeError, said):
                    call(EVENT, **options)
        with self.assertRaisesRegex(TypeError, "when_full must be wait or drop"):
            cairn.enqueue(EVENT, when_full="wiat")
        self.assertEqual((cairn.counters.kept, cairn.counters.refused), (0, 0))

    def test_limits_that_no_timer_can_take_are_longer_ones(self):
        path = os.path.join(self.folder, "app.db")
        with sqlite3.connect(path) as connection:
            Outbox().migrate(connection)
        for huge in HUGE:
            for make in (MemoryQueue, lambda: Spool(self.folder, adopt_every=huge)):
                cairn = self.client(timeout=huge, queue=make(), batch=Batch(count=2, delay=huge))
                self.assertEqual(cairn.record(EVENT, timeout=huge).status, "queued")
                for _ in range(3):
                    cairn.enqueue(EVENT, timeout=huge)
                self.assertEqual(cairn.flush(timeout=huge), 0)
                self.assertEqual(cairn.close(timeout=huge), 0)
                self.assertEqual(cairn.counters.queued, 4)
            with sqlite3.connect(path) as connection:
                Outbox().audit(connection, EVENT)
            relay = Outbox().relay(
                self.server.url,
                "key",
                connect=lambda: sqlite3.connect(path),
                poll=huge,
                statement_timeout=huge,
                request_timeout=huge,
            )
            relay.flush(timeout=huge)
            relay.close(timeout=huge)
            self.assertEqual(relay.counters.queued, 1)

    def test_a_call_that_waits_for_room_ends_with_the_client_and_takes_nothing_then(self):
        held = CollectingServer(lambda event: False)
        self.addCleanup(held.close)
        cairn = Cairn(
            held.url,
            "key",
            timeout=float("inf"),
            queue=MemoryQueue(events=1),
            handle_exit=False,
            on_error=lambda *_: None,
        )
        cairn.enqueue(EVENT)
        raised = []

        def wait():
            try:
                cairn.enqueue(EVENT)
            except (ClosedError, QueueFullError) as error:
                raised.append(type(error))

        waiting = [threading.Thread(target=wait, daemon=True) for _ in range(4)]
        for each in waiting:
            each.start()
        self.assertEqual(cairn.close(timeout=0.01), 1)
        for each in waiting:
            each.join(60)
        self.assertEqual((raised, cairn.counters.kept), ([ClosedError] * 4, 1))
