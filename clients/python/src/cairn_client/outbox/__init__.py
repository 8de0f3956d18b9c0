"""Events that share the fate of a transaction in the application's own database: psycopg and sqlite3."""

from ._outbox import Outbox, audit
from ._relay import Relay, RelayCounters
from ._tables import outbox_sql

__all__ = ["Outbox", "Relay", "RelayCounters", "audit", "outbox_sql"]
