"""The client against a real server: what it says became of events is what the log holds."""

import asyncio
import os
import unittest

from cairn_client import AsyncCairn, Cairn, EventRefusedError

URL, KEY = os.environ.get("CAIRN_TEST_URL"), os.environ.get("CAIRN_TEST_KEY")


@unittest.skipUnless(URL and KEY, "CAIRN_TEST_URL and CAIRN_TEST_KEY name no server")
class RealServerTest(unittest.TestCase):
    def setUp(self):
        self.reports = []
        self.cairn = Cairn(
            URL, KEY, timeout=60.0, on_error=lambda error, report: self.reports.append((report, error))
        )
        self.addCleanup(self.cairn.close)

    def test_events_are_recorded_once_with_their_key_and_time(self):
        event = {"actor_id": "ada", "action": "python.recorded", "occurred_at": "2026-01-02T03:04:05.678Z"}
        first = self.cairn.record(event)
        found = self.cairn.events.get(first.id)
        self.assertEqual(
            (first.status, found["idempotency_key"], found["occurred_at"][:23]),
            ("queued", first.key, "2026-01-02T03:04:05.678"),
        )
        again = self.cairn.record({**event, "idempotency_key": first.key})
        self.assertEqual((again.status, again.id), ("duplicate", first.id))

    def test_what_is_enqueued_is_sent_in_batches_and_a_refused_one_holds_up_no_other(self):
        for index in range(250):
            session = "x" * 300 if index % 100 == 7 else "short"
            event = {"actor_id": f"actor {index}", "action": "python.enqueued", "session_id": session}
            self.cairn.enqueue(event)
        self.assertEqual(self.cairn.flush(timeout=60.0), 0)
        counters = self.cairn.counters
        self.assertEqual((counters.kept, counters.queued, counters.refused), (250, 247, 3))
        self.assertEqual([report.kind for report, _ in self.reports], ["refused"] * 3)
        self.assertIn("session_id", str(self.reports[0][1]))
        while self.cairn.events.count(action="python.enqueued")["data"]["total"] < 247:
            pass
        pages = self.cairn.events.list(action="python.enqueued", limit=100)
        self.assertEqual(len({event["actor"]["id"] for event in pages}), 247)

    def test_a_refused_event_says_what_is_wrong(self):
        with self.assertRaises(EventRefusedError) as raised:
            self.cairn.record({"actor_id": "ada", "action": "a.b", "tenant_id": "x" * 300})
        self.assertEqual(raised.exception.refusal.errors[0]["field"], "tenant_id")

    def test_asyncio_records_and_reads(self):
        async def run():
            async with AsyncCairn(URL, KEY, timeout=60.0) as cairn:
                calls = [
                    cairn.record({"actor_id": f"async {n}", "action": "python.async"}) for n in range(50)
                ]
                statuses = {one.status for one in await asyncio.gather(*calls)}
                return statuses, await cairn.checkpoints.latest()

        statuses, checkpoint = asyncio.run(run())
        self.assertEqual(statuses, {"queued"})
        self.assertIn("\n\u2014 ", checkpoint)
