"""A relay beside a database that fails: it ends within its limit, and nothing is lost or told wrong."""

import json
import sqlite3
import threading
import unittest

from cairn_client import Retry
from cairn_client.outbox import Outbox

from .scripted_server import ScriptedServer

EVENT = {"actor_id": "ada", "action": "a.b", "idempotency_key": "k", "occurred_at": "2026-01-02T03:04:05Z"}
ROWS = [(1, "k", json.dumps(EVENT))]


class Silent:
    """A connection to a database that falls silent at the statement that begins so."""

    def __init__(self, statement):
        self.statement = statement
        self.reached = threading.Event()
        self.released = threading.Event()
        self.description = None
        self.count = 0

    def connect(self):
        self.count += 1
        # The first is made to see of which kind it is.
        if self.count > 1:
            self.execute("connect")
        return self

    def cursor(self):
        return self

    def execute(self, sql, values=None):
        self.description = ["id", "event_key", "event"] if "RETURNING o.id" in sql else None
        if sql.startswith(self.statement):
            self.reached.set()
            self.released.wait()

    def fetchall(self):
        return ROWS

    def close(self):
        pass


class RelayTest(unittest.TestCase):
    def server(self, *steps):
        expect = {"method": "POST", "path": "/api/v1/events"}
        server = ScriptedServer([{"expect": expect, "answer": step} for step in steps])
        self.addCleanup(server.close)
        return server

    def relay(self, server, connect, **options):
        given = {"poll": 3600.0, "retry": Retry(0.001, 0.004), "on_error": lambda *_: None, **options}
        relay = Outbox().relay(server.url, "test-key", connect=connect, **given)
        self.addCleanup(relay.close)
        return relay

    def test_it_ends_within_its_limit_wherever_its_database_falls_silent(self):
        for statement in ("connect", "BEGIN", "WITH free", "DELETE", "UPDATE", "COMMIT"):
            with self.subTest(statement):
                silent = Silent(statement)
                answer = {"status": 503, "body": {}} if statement == "UPDATE" else {"take": "queued"}
                relay = self.relay(self.server(answer), silent.connect)
                self.assertTrue(silent.reached.wait(60))
                closing = threading.Thread(target=lambda: relay.close(timeout=0.01), daemon=True)
                closing.start()
                closing.join(60)
                self.assertFalse(closing.is_alive())
                # What waits for the limit of the relay itself waits no longer.
                relay.wait()
                silent.released.set()

    def test_a_statement_that_is_not_answered_is_tried_again_on_a_new_connection(self):
        path = f"file:{self.id()}?mode=memory&cache=shared"
        kept = sqlite3.connect(path, uri=True)
        self.addCleanup(kept.close)
        Outbox().migrate(kept)
        Outbox().audit(kept, EVENT)
        kept.commit()
        connections = []

        class Slow(sqlite3.Connection):
            def cursor(self, *given):
                cursor = super().cursor(*given)
                # Without an end, unless it is interrupted.
                if len(connections) == 2:
                    cursor.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT max(i) FROM n")
                return cursor

        def connect():
            connections.append(sqlite3.connect(path, uri=True, factory=Slow, check_same_thread=False))
            return connections[-1]

        reports = []
        server = self.server({"take": "queued"})
        relay = self.relay(
            server, connect, statement_timeout=0.05, on_error=lambda error, _: reports.append(str(error))
        )
        relay.flush(timeout=60.0)
        self.assertEqual((relay.counters.queued, server.faults), (1, []))
        self.assertIn("no answer within 0.05 s", reports[0])

    def test_what_the_service_said_is_told_also_where_the_database_learns_of_it_later(self):
        for answer, counted in (({"take": "queued"}, (1, 0)), ({"status": 422, "body": refusal()}, (0, 1))):
            path = f"file:{self.id()}{counted}?mode=memory&cache=shared"
            kept = sqlite3.connect(path, uri=True)
            self.addCleanup(kept.close)
            Outbox().migrate(kept)
            Outbox().audit(kept, EVENT)
            kept.commit()
            # Then, and at the next look.
            fails = [True, True]

            class Failing(sqlite3.Connection):
                def cursor(self, *given):
                    return super().cursor(Cursor)

            class Cursor(sqlite3.Cursor):
                def execute(self, sql, *given):
                    if sql.startswith(("DELETE", "INSERT")) and fails:
                        fails.pop()
                        raise sqlite3.OperationalError("locked")
                    return super().execute(sql, *given)

            kinds = []
            server = self.server(answer)
            relay = self.relay(
                server,
                lambda: sqlite3.connect(path, uri=True, factory=Failing),
                on_error=lambda _, report: kinds.append(report.kind),
            )
            relay.flush(timeout=60.0)
            self.assertEqual((relay.counters.queued, relay.counters.refused), counted)
            self.assertEqual(sorted(kinds), sorted(["queue"] + ["refused"] * counted[1]))
            self.assertEqual(kept.execute("SELECT count(*) FROM cairn_outbox").fetchone(), (0,))
            self.assertEqual((server.at, server.faults), (1, []))


def refusal():
    return {"error": "validation_failed", "message": "no", "errors": []}
