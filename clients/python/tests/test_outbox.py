"""
The outbox over sqlite3 and psycopg: what commits is sent once, what is rolled back never.

PostgreSQL takes part where CAIRN_TEST_POSTGRES names one; psycopg must be there then. CAIRN_TEST_PGBOUNCER
may name the same database behind PgBouncer in transaction mode.
"""

import asyncio
import contextlib
import json
import os
import socket
import sqlite3
import tempfile
import threading
import unittest

from cairn_client import Batch, EventRefusedError, Retry
from cairn_client.outbox import Outbox, audit, outbox_sql

from .collecting_server import CollectingServer
from .scripted_server import ScriptedServer
from .waiting import until

EVENT = {"actor_id": "ada", "action": "invoice.paid"}
POSTGRES = os.environ.get("CAIRN_TEST_POSTGRES")
BOUNCER = os.environ.get("CAIRN_TEST_PGBOUNCER")


class SilentProxy:
    """Passes on what comes, until it is silent; its connections stay open."""

    def __init__(self, host, port):
        self.silent = threading.Event()
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.to = (host, port)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(self.to)
            except OSError:
                return
            self.sockets += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.pass_on, args=(one, other), daemon=True).start()

    def pass_on(self, one, other):
        try:
            while data := one.recv(65536):
                if self.silent.is_set():
                    return
                other.sendall(data)
        except OSError:
            pass

    def close(self):
        for each in (self.listener, *self.sockets):
            each.close()


class Contract:
    """What holds on each database."""

    def server(self, *answers, path="/api/v1/events"):
        steps = [{"expect": {"method": "POST", "path": path}, "answer": answer} for answer in answers]
        server = ScriptedServer(steps)
        self.addCleanup(server.close)
        return server

    def relay(self, server, **options):
        given = {"poll": 3600.0, "retry": Retry(0.001, 0.004), "on_error": lambda *_: None}
        # No claim and no request ends by itself, however slow the machine is.
        given.update(connect=self.connect, lease=3600.0, request_timeout=900.0, statement_timeout=900.0)
        relay = self.outbox.relay(server.url, "test-key", **{**given, **options})
        self.addCleanup(relay.close)
        return relay

    def collecting(self):
        server = CollectingServer()
        self.addCleanup(server.close)
        return server

    def rows(self, columns="event_key", table="cairn_outbox"):
        with contextlib.closing(self.connect()) as connection:
            return [tuple(row) for row in connection.execute(f"SELECT {columns} FROM {table} ORDER BY id")]

    def add(self, *actors):
        connection = self.connect()
        keys = [self.outbox.audit(connection, {"actor_id": actor, "action": "a.b"}) for actor in actors]
        connection.commit()
        connection.close()
        return keys

    def test_an_event_commits_or_is_rolled_back_with_its_transaction(self):
        connection = self.connect()
        audit(connection.cursor(), EVENT)
        connection.rollback()
        key = audit(connection, {**EVENT, "metadata": {"text": "\0 % :key ключ"}})
        self.assertEqual(self.rows(), [])
        connection.commit()
        connection.close()
        ((found, text),) = self.rows("event_key, event")
        self.assertEqual((found, json.loads(text)["metadata"]["text"]), (key, "\0 % :key ключ"))

    def test_a_context_that_raises_or_gives_no_mapping_fails_no_transaction(self):
        for context in (lambda: 1 / 0, lambda: "ada"):
            said = []
            outbox = Outbox(context=context, on_error=lambda error, report: said.append(report.kind))
            with contextlib.closing(self.connect()) as connection:
                outbox.audit(connection, EVENT)
                connection.rollback()
            self.assertEqual(said, ["fields"])

    def test_audit_needs_a_transaction_and_an_event(self):
        connection = self.connect_autocommit()
        with self.assertRaisesRegex(TypeError, "transaction"):
            audit(connection, EVENT)
        with self.assertRaises(TypeError):
            audit(object(), EVENT)
        with self.assertRaises(EventRefusedError):
            audit(connection, {"actor_id": "ada"})
        with self.assertRaises(EventRefusedError):
            audit(connection, {**EVENT, "idempotency_key": "a\0b"})
        connection.execute("BEGIN")
        audit(connection, EVENT)
        connection.execute("COMMIT")
        connection.close()
        self.assertEqual(len(self.rows()), 1)

    def test_a_relay_sends_what_is_committed_and_removes_it(self):
        self.add("a", "b", "c")
        server = self.server({"status": 503, "body": {}}, {"take": "queued"}, path="/api/v1/events/batch")
        relay = self.relay(server)
        relay.flush(timeout=60.0)
        self.assertEqual((self.rows(), server.faults), ([], []))
        self.assertEqual((relay.counters.queued, relay.counters.retries), (3, 1))

    def test_what_the_service_refuses_is_moved_with_its_reason_and_blocks_no_other(self):
        bad, good = self.add("bad", "good")
        item = {"status": "rejected", "error": "validation_failed", "message": "no", "errors": []}
        answer = {"take": [item, "queued"], "headers": {"x-request-id": "req-1"}}
        relay = self.relay(self.server(answer, path="/api/v1/events/batch"))
        relay.flush(timeout=60.0)
        self.assertEqual(self.rows(), [])
        ((key, refusal),) = self.rows("event_key, refusal", "cairn_outbox_refused")
        said = {"error": "validation_failed", "message": "no", "errors": [], "request_id": "req-1"}
        self.assertEqual((key, json.loads(refusal)), (bad, said))
        self.assertEqual((relay.counters.queued, relay.counters.refused), (1, 1))

    def test_two_relays_share_the_work_and_one_takes_over_what_another_has_left(self):
        self.add(*(str(n) for n in range(250)))
        held = ScriptedServer([{"expect": {"method": "POST", "path": "/none"}, "answer": {"end": "hang"}}])
        self.addCleanup(held.close)
        stuck = self.relay(held)
        until(lambda: held.at == 1)
        taken = {"take": "queued"}
        first = self.server({**taken}, {**taken}, path="/api/v1/events/batch")
        self.relay(first).flush(timeout=60.0)
        # The first hundred are another's until its lease is over.
        self.assertEqual((first.at, len(self.rows())), (2, 100))
        stuck.close(timeout=0.01)
        self.assertEqual(self.rows("claimed_by"), [(None,)] * 100)
        with contextlib.closing(self.connect()) as connection:
            ends = self.ago if self.ago is not None else 1
            connection.execute(f"UPDATE cairn_outbox SET claimed_by = 'gone', claimed_until = {ends}")
            connection.commit()
        last = self.server({**taken}, path="/api/v1/events/batch")
        self.relay(last).flush(timeout=60.0)
        self.assertEqual((last.at, self.rows()), (1, []))

    def test_an_event_twice_is_two_rows_and_sent_once_after_the_other(self):
        connection = self.connect()
        for _ in range(2):
            audit(connection, {**EVENT, "idempotency_key": "same"})
        connection.commit()
        connection.close()
        server = self.server({"take": ["queued"]}, {"take": ["duplicate"]})
        relay = self.relay(server)
        relay.flush(timeout=60.0)
        self.assertEqual((self.rows(), relay.counters[:2], server.faults), ([], (1, 1), []))

    def test_tables_of_other_names(self):
        other = Outbox(table='odd "%s :key')
        connection = self.connect()
        for _ in range(2):
            other.migrate(connection)
        other.audit(connection, EVENT)
        connection.commit()
        connection.close()
        server = self.server({"take": "queued"})
        relay = other.relay(server.url, "k", connect=self.connect, on_error=lambda *_: None)
        self.addCleanup(relay.close)
        relay.flush(timeout=60.0)
        self.assertEqual(relay.counters.queued, 1)
        for name in ("", "a\0b"):
            with self.assertRaises(TypeError):
                Outbox(table=name)
        with self.assertRaises(TypeError):
            outbox_sql("postgres", table="x" * 56)


class SqliteTest(Contract, unittest.TestCase):
    ago = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "app.db")
        self.outbox = Outbox()
        with contextlib.closing(self.connect()) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            self.outbox.migrate(connection)

    def connect(self):
        return sqlite3.connect(self.path, timeout=60.0)

    def connect_autocommit(self):
        return sqlite3.connect(self.path, timeout=60.0, isolation_level=None)


if POSTGRES:
    import psycopg

    class PostgresTest(Contract, unittest.TestCase):
        ago = "clock_timestamp() - interval '1 second'"

        def setUp(self):
            self.outbox = Outbox()
            with self.connect() as connection:
                connection.execute("DROP TABLE IF EXISTS cairn_outbox, cairn_outbox_refused")

            # Both at once, as processes of a deployment do.
            def migrate():
                with self.connect() as connection:
                    self.outbox.migrate(connection)

            both = [threading.Thread(target=migrate) for _ in range(2)]
            for each in both:
                each.start()
            for each in both:
                each.join()

        def connect(self):
            return psycopg.connect(POSTGRES)

        def connect_autocommit(self):
            return psycopg.connect(POSTGRES, autocommit=True)

        def test_any_isolation_of_the_callers_connections(self):
            # Into how many requests the relays divide the events is chance.
            server = self.collecting()
            keys = []
            for name in ("READ_UNCOMMITTED", "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"):

                def connect():
                    level = name.lower().replace("_", "\\ ")
                    connection = psycopg.connect(
                        POSTGRES, options=f"-c default_transaction_isolation={level}"
                    )
                    connection.isolation_level = psycopg.IsolationLevel[name]
                    return connection

                relays = [self.relay(server, connect=connect) for _ in range(2)]
                with connect() as connection, connect() as other:
                    keys.append(audit(connection, EVENT))
                    audit(other, EVENT)
                    connection.commit()
                    # What is committed goes beside a transaction that is open.
                    relays[0].flush(timeout=60.0)
                    audit(other, EVENT)
                    other.rollback()
                    keys.append(audit(other, EVENT))
                for relay in relays:
                    relay.flush(timeout=60.0)
                    relay.close()
                self.assertEqual(self.rows(), [])
            self.assertEqual(sorted(event["idempotency_key"] for event in server.events), sorted(keys))

        def test_a_database_behind_a_network_that_falls_silent(self):
            self.add("a")
            info = psycopg.conninfo.conninfo_to_dict(POSTGRES)
            proxy = SilentProxy(info["host"], int(info["port"]))
            self.addCleanup(proxy.close)
            connect = lambda: psycopg.connect(POSTGRES, host="127.0.0.1", port=proxy.port)
            server = self.server({"end": "hang"}, {"take": "queued"})
            relay = self.relay(server, connect=connect, statement_timeout=60.0)
            until(lambda: server.at == 1)
            proxy.silent.set()
            closing = threading.Thread(target=lambda: relay.close(timeout=0.01), daemon=True)
            closing.start()
            closing.join(60)
            self.assertFalse(closing.is_alive())
            with self.connect() as connection:
                connection.execute(f"UPDATE cairn_outbox SET claimed_until = {self.ago}")
            self.relay(server).flush(timeout=60.0)
            self.assertEqual((self.rows(), server.faults), ([], []))

        @unittest.skipUnless(BOUNCER, "CAIRN_TEST_PGBOUNCER names no database behind PgBouncer")
        def test_a_pooler_that_gives_each_transaction_another_session(self):
            def connect(**options):
                return psycopg.connect(BOUNCER, **options)

            actors = [str(number) for number in range(60)]
            server = self.collecting()
            reports = []
            told = lambda error, _: reports.append(str(error))
            one = Batch(count=1)
            relays = [self.relay(server, connect=connect, batch=one, on_error=told) for _ in range(3)]
            with connect(prepare_threshold=None) as connection:
                for actor in actors:
                    audit(connection, {"actor_id": actor, "action": "a.b"})
                    connection.commit()
            for relay in relays:
                relay.flush(timeout=60.0)
            for relay in relays:
                relay.close(timeout=60.0)
            self.assertEqual((self.rows(), server.actors, reports), ([], sorted(actors), []))
            with psycopg.connect(BOUNCER, autocommit=True) as connection:
                for _ in range(10):
                    left = connection.execute("SHOW statement_timeout", prepare=False).fetchone()
                    self.assertEqual(left, ("0",))

        def test_an_asynchronous_connection(self):
            async def run():
                async with await psycopg.AsyncConnection.connect(POSTGRES) as connection:
                    with self.assertRaisesRegex(TypeError, "audit_async"):
                        audit(connection, EVENT)
                    return await self.outbox.audit_async(connection, EVENT)

            key = asyncio.run(run())
            self.assertEqual(self.rows(), [(key,)])
