"""What differs between psycopg and sqlite3."""

from __future__ import annotations

import re
import socket
import sqlite3
import threading
from typing import Any, Callable, Mapping, Optional, Sequence

from .._bell import clamped
from .._errors import CairnTimeoutError, ClosedError

# A name of a table in its quotes, or the name of a value; `::` is a cast.
_NAMED = re.compile(r'("(?:[^"]|"")*")|(?<![:\w]):([a-z]+)\b')


def text_for(dialect: str, sql: str) -> str:
    """A statement with the placeholders of the driver."""
    if dialect == "sqlite":
        return sql
    return _NAMED.sub(lambda found: found[1] or f"%({found[2]})s", sql.replace("%", "%%"))


def dialect_of(tx: Any) -> str:
    """The dialect of a connection or cursor."""
    return "sqlite" if isinstance(tx, (sqlite3.Connection, sqlite3.Cursor)) else "postgres"


def transaction_of(tx: Any) -> Any:
    """The connection of the caller's transaction. Raises `TypeError` where no transaction can be there."""
    connection = getattr(tx, "connection", tx)
    if not hasattr(connection, "cursor"):
        raise TypeError("audit needs the connection or cursor of the transaction, not a pool")
    if isinstance(connection, sqlite3.Connection):
        is_open = connection.in_transaction
        commits = connection.isolation_level is None or getattr(connection, "autocommit", -1) is True
    else:
        is_open = int(connection.info.transaction_status) != 0
        commits = bool(connection.autocommit)
    if commits and not is_open:
        raise TypeError("audit needs a transaction, and the connection commits each statement by itself")
    return connection


def _cut(connection: Any) -> None:
    """Ends what waits for an answer on a connection, from another thread."""
    try:
        if isinstance(connection, sqlite3.Connection):
            connection.interrupt()
            return
        with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as sock:
            sock.shutdown(socket.SHUT_RDWR)
    except Exception:
        # It ended by itself.
        pass


class Database:
    """The relay's own connection, on which each statement is a transaction by itself."""

    def __init__(self, dialect: str, connect: Callable[[], Any], timeout: float) -> None:
        """`timeout`: most seconds that a statement may take."""
        self._dialect = dialect
        self._connect = connect
        self._timeout = timeout
        self._lock = threading.Lock()
        # For what other threads do with the connection while a statement runs.
        self._state = threading.Lock()
        self._connection: Any = None
        self._ended = False

    def run(self, sql: str, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """Runs a statement, and again where the database says that two transactions were in conflict."""
        for tries in range(5):
            try:
                with self._lock:
                    return self._limited(text_for(self._dialect, sql), values)
            except Exception as error:
                if tries == 4 or getattr(error, "sqlstate", None) not in ("40001", "40P01"):
                    raise
        raise ClosedError("the outbox gave no answer")

    def _limited(self, sql: str, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        late = threading.Event()

        def end() -> None:
            late.set()
            self._interrupt()

        timer = threading.Timer(clamped(self._timeout), end)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError:
            # The interpreter ends, and starts no threads any more.
            pass
        try:
            return self._once(sql, values)
        except Exception:
            # Whatever it is, a new connection has no part in it.
            self._close()
            if late.is_set():
                raise CairnTimeoutError(f"the outbox gave no answer within {self._timeout} s") from None
            raise
        finally:
            timer.cancel()

    def _once(self, sql: str, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        cursor = self._opened().cursor()
        try:
            if self._dialect == "postgres":
                # Of the transaction alone: behind a pooler the next one has another session. The server ends
                # a statement a little before nobody waits for it any more.
                millis = max(1, round(clamped(self._timeout) * 900))
                cursor.execute(f"BEGIN; SET LOCAL statement_timeout = {millis}")
            cursor.execute(sql, values)
            rows = [] if cursor.description is None else cursor.fetchall()
            if self._dialect == "postgres":
                cursor.execute("COMMIT")
        finally:
            cursor.close()
        # A connection of sqlite3 belongs to its thread, and the next statement may come from another.
        if self._dialect == "sqlite":
            self._close()
        return [list(row.values()) if isinstance(row, dict) else list(row) for row in rows]

    def _opened(self) -> Any:
        if self._ended:
            raise ClosedError("the relay is closed")
        if self._connection is None:
            connection = self._connect()
            if self._dialect == "sqlite":
                connection.isolation_level = None
            else:
                connection.autocommit = True
                # A statement that a server has prepared is unknown in the next session of a pooler.
                connection.prepare_threshold = None
            self._connection = connection
        return self._connection

    def _interrupt(self) -> None:
        with self._state:
            if self._connection is not None:
                _cut(self._connection)

    def _close(self) -> None:
        with self._state:
            connection: Optional[Any] = self._connection
            self._connection = None
            if connection is not None:
                try:
                    connection.close()
                except Exception:
                    pass

    def close(self) -> None:
        with self._lock:
            self._close()

    def end(self) -> None:
        """Runs no statement any more, and cuts one that is not answered."""
        self._ended = True
        self._interrupt()
