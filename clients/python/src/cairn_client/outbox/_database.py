"""What differs between psycopg and sqlite3."""

from __future__ import annotations

import re
import sqlite3
import threading
from typing import Any, Callable, Mapping, Optional, Sequence

from .._errors import ClosedError

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


class Database:
    """The relay's own connection, on which each statement is a transaction by itself."""

    def __init__(self, dialect: str, connect: Callable[[], Any]) -> None:
        self._dialect = dialect
        self._connect = connect
        self._lock = threading.Lock()
        self._connection: Any = None

    def run(self, sql: str, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """Runs a statement, and again where the database says that two transactions were in conflict."""
        for tries in range(5):
            try:
                with self._lock:
                    return self._once(text_for(self._dialect, sql), values)
            except Exception as error:
                if tries == 4 or getattr(error, "sqlstate", None) not in ("40001", "40P01"):
                    raise
        raise ClosedError("the outbox gave no answer")

    def _once(self, sql: str, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        connection = self._opened()
        try:
            cursor = connection.cursor()
            try:
                cursor.execute(sql, values)
                rows = [] if cursor.description is None else cursor.fetchall()
            finally:
                cursor.close()
        except Exception:
            # Whatever it is, a new connection has no part in it.
            self._close()
            raise
        # A connection of sqlite3 belongs to its thread, and the next statement may come from another.
        if self._dialect == "sqlite":
            self._close()
        return [list(row.values()) if isinstance(row, dict) else list(row) for row in rows]

    def _opened(self) -> Any:
        if self._connection is None:
            connection = self._connect()
            if self._dialect == "sqlite":
                connection.isolation_level = None
            else:
                connection.autocommit = True
                connection.cursor().execute("SET statement_timeout = 30000")
            self._connection = connection
        return self._connection

    def _close(self) -> None:
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
