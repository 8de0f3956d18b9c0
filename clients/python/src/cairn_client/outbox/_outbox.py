"""Writes events into the caller's transaction."""

from __future__ import annotations

import inspect
import ssl
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from .._drain import Batch
from .._errors import EventRefusedError, Refusal
from .._events import OnError, reporter
from .._http import Http
from .._limits import Retry, seconds_of
from .._prepare import Context, harmless, prepare_event
from .._redact import SecretPath, redactor
from ._database import Database, dialect_of, text_for, transaction_of
from ._relay import OutboxRows, Relay
from ._tables import Statements, postgres, sqlite, statements_of, tables_of


class Outbox:
    """
    Events that share the fate of the caller's transaction. :meth:`audit` writes a row into a table of the
    application's own database, in its transaction; a relay sends what is committed::

        outbox = Outbox()
        with psycopg.connect(dsn) as connection:
            connection.execute("UPDATE invoice SET paid = true WHERE id = %s", [42])
            outbox.audit(connection, {"actor_id": "ada", "action": "invoice.paid", "resource_id": "42"})

        relay = outbox.relay("https://audit.example.com", api_key, connect=lambda: psycopg.connect(dsn))
    """

    def __init__(
        self,
        *,
        schema: Optional[str] = None,
        table: str = "cairn_outbox",
        context: Optional[Context] = None,
        redact: Sequence[SecretPath] = (),
        on_error: Optional[OnError] = None,
    ) -> None:
        """
        ``context`` and ``redact`` are as a client's. ``on_error`` hears of a context that fails, which costs
        its members alone; the ``cairn_client`` logger unless given. Raises `TypeError` for names that a
        database cannot keep as they are, and for what is no path.
        """
        self._schema, self._table = schema, table
        self._context = harmless(context, reporter(on_error))
        self._redact = redactor(redact) if redact else None
        tables_of("sqlite", schema, table)

    def audit(self, tx: Any, event: Mapping[str, Any]) -> str:
        """
        Writes an event into the outbox, in the caller's transaction, and gives its key: one INSERT. `tx` is
        the connection or a cursor of psycopg 3 or sqlite3. The event gets its idempotency key and its
        ``occurred_at`` before anything else.

        Raises ``EventRefusedError`` for what the service would never take, before the database is asked;
        `TypeError` where there is no transaction; and what the driver raises. Either way the transaction
        should be rolled back.
        """
        values = self._values(event)
        connection = transaction_of(tx)
        cursor = connection.cursor()
        if inspect.iscoroutinefunction(cursor.execute):
            raise TypeError("the connection is asynchronous: audit_async is for it")
        try:
            cursor.execute(*self._insert(tx), values)
        finally:
            cursor.close()
        return values["key"]

    async def audit_async(self, tx: Any, event: Mapping[str, Any]) -> str:
        """As :meth:`audit`, for an asynchronous connection or cursor of psycopg 3."""
        values = self._values(event)
        connection = transaction_of(tx)
        async with connection.cursor() as cursor:
            await cursor.execute(*self._insert(tx), values)
        return values["key"]

    def migrate(self, connection: Any) -> None:
        """
        Makes the tables where they are missing, in the caller's transaction. ``outbox_sql`` is for migrations
        of one's own.
        """
        dialect = dialect_of(connection)
        if dialect == "postgres":
            # Two that make a table at once, even with IF NOT EXISTS, fail otherwise.
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(hashtext('cairn_outbox'))")
                for statement in statements_of(dialect, tables_of(dialect, self._schema, self._table)):
                    connection.execute(statement)
            return
        for statement in statements_of(dialect, tables_of(dialect, self._schema, self._table)):
            connection.execute(statement)

    def relay(
        self,
        url: str,
        api_key: str,
        *,
        connect: Callable[[], Any],
        poll: float = 1.0,
        lease: float = 60.0,
        statement_timeout: float = 30.0,
        request_timeout: float = 10.0,
        batch: Batch = Batch(),
        retry: Retry = Retry(),
        on_error: Optional[OnError] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> Relay:
        """
        Starts to send what is committed. Any number of relays can do so at once, in one process or in many.
        ``connect`` makes a connection for the relay alone, of psycopg 3 or sqlite3. ``poll``: in how many
        seconds an empty outbox is looked at again. ``lease``: how many seconds other relays leave alone what
        this one is sending; one that is killed leaves its events, at most a batch, for so long.
        ``statement_timeout``: most seconds that it waits for the database. ``request_timeout``: most seconds
        of a request, at most a quarter of the lease, which outlasts it.

        Raises `TypeError` for an address, key or time that cannot be used, and what ``connect`` raises.
        """
        if not 1.0 <= lease <= 3600.0:
            raise TypeError("lease must be from 1 to 3600 seconds")
        limits = {"poll": poll, "statement_timeout": statement_timeout, "request_timeout": request_timeout}
        for name, value in limits.items():
            seconds_of(name, value)
        http = Http(url, api_key, ssl_context)
        connection = connect()
        dialect = dialect_of(connection)
        connection.close()
        _, statements = self._statements(dialect)
        rows = OutboxRows(Database(dialect, connect, statement_timeout), statements, lease)
        report = reporter(on_error)
        return Relay(rows, http, report, poll, min(request_timeout, lease / 4), batch, retry)

    def _statements(self, dialect: str) -> Tuple[str, Statements]:
        tables = tables_of(dialect, self._schema, self._table)
        return dialect, postgres(tables) if dialect == "postgres" else sqlite(tables)

    def _insert(self, tx: Any) -> Tuple[str]:
        dialect, statements = self._statements(dialect_of(tx))
        return (text_for(dialect, statements.insert),)

    def _values(self, event: Mapping[str, Any]) -> Dict[str, str]:
        prepared = prepare_event(event, self._context, self._redact)
        if "\0" in prepared.key:
            message = "must have no NUL: the database cannot keep it"
            errors = [{"field": "idempotency_key", "message": message}]
            raise EventRefusedError(Refusal("validation_failed", f"idempotency_key {message}", errors))
        return {"key": prepared.key, "event": prepared.data.decode()}


def audit(tx: Any, event: Mapping[str, Any]) -> str:
    """:meth:`Outbox.audit` of an outbox with the usual names."""
    return Outbox().audit(tx, event)
