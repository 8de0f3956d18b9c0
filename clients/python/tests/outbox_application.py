"""
The two processes of an application with an outbox: `packages/client/test/kills/OutboxApplication.ts` in
Python. One does business in transactions, the other is its relay. Each kills itself at the point that it is
told.
"""

import contextlib
import json
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from cairn_client import Batch, Retry
from cairn_client.outbox import Outbox

from .kill_points import KillPoints, send_through

task = json.loads(sys.argv[1])
is_sqlite = task["kind"] == "sqlite"
points = KillPoints(task.get("killPoint"))
outbox = Outbox()
if not is_sqlite:
    import psycopg

# Threads that do business, each on a connection of its own.
WORKERS = 3
# How many seconds the claims of a killed relay last here.
LEASE = 1.0


def connect():
    return sqlite3.connect(task["database"], timeout=10.0) if is_sqlite else psycopg.connect(task["database"])


def point_of(sql):
    """The point of a relay's statement; None for what begins and ends its transaction."""
    words = {"RETURNING": "claim", "DELETE": "removal", "UPDATE": "release"}
    return next((point for word, point in words.items() if word in sql), None)


class Mortal:
    """
    A relay's cursor with points before each of its statements, after it and before it is committed, and once
    it is. Over sqlite3 a removal and a release are committed by themselves.
    """

    point = None

    def execute(self, sql, *given):
        point = point_of(sql)
        if point is None:
            return super().execute(sql, *given)
        points.reach(f"{point} before")
        super().execute(sql, *given)
        points.reach(f"{point} within")
        self.point = point
        return self

    def close(self):
        super().close()
        if self.point is not None:
            points.reach(f"{self.point} after")
            self.point = None


def mortal_connect():
    if is_sqlite:
        return sqlite3.connect(task["database"], factory=MortalConnection)
    cursor = type("MortalCursor", (Mortal, psycopg.Cursor), {})
    return psycopg.connect(task["database"], cursor_factory=cursor)


class MortalCursor(Mortal, sqlite3.Cursor):
    pass


class MortalConnection(sqlite3.Connection):
    def cursor(self):
        return super().cursor(MortalCursor)


def written(connection, number):
    """Writes an event, and its row in the application's own table, into the transaction."""
    event = {
        "actor_id": "ada",
        "action": "trial.audited",
        "resource": "invoice",
        "resource_id": f"{task['run']}-{number}",
        "metadata": {"number": number, "text": "x" * (number * 37 % 700)},
    }
    points.reach("insert before")
    before = time.time_ns() // 1_000_000
    key = outbox.audit(connection if number % 2 else connection.cursor(), event)
    after = time.time_ns() // 1_000_000
    points.reach("insert after")
    connection.execute(f"INSERT INTO business VALUES ('{key}', '{before}', '{after}')")


def transaction(connection, number):
    """One of four is rolled back, and one commits without a part of it."""
    written(connection, number)
    if number % 4 == 1:
        connection.rollback()
        return
    if number % 4 == 3:
        connection.execute("SAVEPOINT part")
        written(connection, number + 1_000_000)
        connection.execute("ROLLBACK TO SAVEPOINT part")
    points.reach("commit before")
    points.reach_soon("commit within", 0.0002)
    connection.commit()
    points.reach("commit after")


def work():
    numbers = count()

    def worker(_):
        with contextlib.closing(connect()) as connection:
            # Each number goes to one of the threads.
            for number in numbers:
                if number >= task["transactions"]:
                    return
                transaction(connection, number)

    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(worker, range(WORKERS)))


def relay():
    send_through(points)
    relay = outbox.relay(
        task["url"],
        task["apiKey"],
        connect=mortal_connect,
        poll=0.01,
        lease=LEASE,
        retry=Retry(0.005, 0.1),
        batch=Batch(count=20, delay=0.001),
        on_error=lambda error, report: print(report.kind, error, file=sys.stderr),
    )
    if task["transactions"] > 0:
        relay.wait()
    with contextlib.closing(connect()) as connection:
        if not is_sqlite:
            connection.autocommit = True
        # What a killed relay had claimed waits for the end of its lease.
        while connection.execute("SELECT count(*) FROM cairn_outbox").fetchone()[0] > 0:
            relay.flush(timeout=1.0)
    relay.close()


(work if task["role"] == "application" else relay)()
