"""The two tables of an outbox, which clients in other languages share, and what is asked of them."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

_REFUSED = "_refused"
_MAX_NAME_BYTES = 63
"""PostgreSQL cuts longer names without a word."""


class Tables(NamedTuple):
    """The names of the tables, quoted."""

    outbox: str
    refused: str


def _quoted(name: str, dialect: str, reserve: int = 0) -> str:
    if name == "" or "\0" in name:
        raise TypeError("a name of the outbox is empty or has a NUL")
    if dialect == "postgres" and len(name.encode()) > _MAX_NAME_BYTES - reserve:
        raise TypeError(f"a name of the outbox has more than {_MAX_NAME_BYTES - reserve} bytes")
    return '"' + name.replace('"', '""') + '"'


def tables_of(dialect: str, schema: Optional[str], table: str) -> Tables:
    """Raises `TypeError` for a name that the database cannot keep as it is."""
    if dialect not in ("postgres", "sqlite"):
        raise TypeError("dialect must be postgres or sqlite")
    prefix = "" if schema is None else f"{_quoted(schema, dialect)}."
    return Tables(
        prefix + _quoted(table, dialect, len(_REFUSED)), prefix + _quoted(table + _REFUSED, dialect)
    )


def statements_of(dialect: str, tables: Tables) -> Sequence[str]:
    """The statements that make the tables where they are missing."""
    if dialect == "postgres":
        id_, text, time = "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "text", "timestamptz"
        now, until = "DEFAULT now()", "timestamptz"
    else:
        # AUTOINCREMENT: an id is never used again. A relay that settles late would remove another event.
        id_, text, time = "INTEGER PRIMARY KEY AUTOINCREMENT", "TEXT", "TEXT"
        now, until = "DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))", "INTEGER"
    return (
        f"""CREATE TABLE IF NOT EXISTS {tables.outbox} (
  id            {id_},
  event_key     {text} NOT NULL,
  event         {text} NOT NULL,
  created_at    {time} NOT NULL {now},
  claimed_by    {text},
  claimed_until {until}
)""",
        f"""CREATE TABLE IF NOT EXISTS {tables.refused} (
  id            {id_},
  event_key     {text} NOT NULL,
  event         {text} NOT NULL,
  created_at    {time} NOT NULL,
  refused_at    {time} NOT NULL {now},
  refusal       {text} NOT NULL
)""",
    )


def outbox_sql(dialect: str, *, schema: Optional[str] = None, table: str = "cairn_outbox") -> str:
    """
    The SQL that makes the tables, for migrations of one's own; `dialect` is ``postgres`` or ``sqlite``. It
    changes nothing where they exist.
    """
    made = statements_of(dialect, tables_of(dialect, schema, table))
    return "\n".join(f"{statement};\n" for statement in made)


class Statements(NamedTuple):
    """What an outbox asks of its database, with names such as `:key` for values."""

    insert: str
    """In the caller's transaction; it needs the right to INSERT and no other."""
    claim: str
    """
    Claims the oldest rows that nobody else has a claim on, and gives their id, key and event; rows with the
    keys that it holds already wait. It remembers no
    position: a transaction that was left open commits rows whose ids are lower than those of rows that are
    gone already.
    """
    remove: str
    """Removes rows whose events the service has, whichever relay has claimed them by now."""
    refuse: Sequence[str]
    """Moves rows to the refused events, each once, with the reason. To be run in this order."""
    renew: str
    """Prolongs the relay's claim on rows."""
    release: str
    """Gives up the relay's claim on rows."""


def postgres(tables: Tables) -> Statements:
    outbox, refused = tables
    return Statements(
        f"INSERT INTO {outbox} (event_key, event) VALUES (:key::text, :event::text)",
        f"""WITH free AS (
  SELECT id, octet_length(event)::bigint AS size FROM {outbox}
  WHERE (claimed_until IS NULL OR claimed_by = :relay::text OR claimed_until <= clock_timestamp()
    OR claimed_until > clock_timestamp() + interval '1 hour')
    AND event_key NOT IN (SELECT json_array_elements_text(:held::text::json))
  ORDER BY id LIMIT :count::bigint FOR UPDATE SKIP LOCKED
), fit AS (
  SELECT id, size, sum(size) OVER (ORDER BY id) AS total FROM free
)
UPDATE {outbox} AS o SET claimed_by = :relay::text,
  claimed_until = clock_timestamp() + :lease::bigint * interval '1 millisecond'
FROM fit WHERE o.id = fit.id AND (total = size OR total <= :size::bigint)
RETURNING o.id, o.event_key, o.event""",
        f"""DELETE FROM {outbox} AS o USING json_array_elements(:rows::text::json) AS gone
WHERE o.id = (gone->>0)::bigint AND o.event_key = gone->>1""",
        (
            f"""WITH gone AS (
  DELETE FROM {outbox} AS o USING json_array_elements(:rows::text::json) AS row
  WHERE o.id = (row->>0)::bigint AND o.event_key = row->>1
  RETURNING o.event_key, o.event, o.created_at, row->>2 AS refusal
) INSERT INTO {refused} (event_key, event, created_at, refusal) SELECT * FROM gone""",
        ),
        f"""UPDATE {outbox}
SET claimed_until = clock_timestamp() + :lease::bigint * interval '1 millisecond'
WHERE claimed_by = :relay::text
  AND id IN (SELECT value::bigint FROM json_array_elements_text(:rows::text::json))""",
        f"""UPDATE {outbox} SET claimed_by = NULL, claimed_until = NULL
WHERE claimed_by = :relay::text
  AND id IN (SELECT value::bigint FROM json_array_elements_text(:rows::text::json))""",
    )


_NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
"""Milliseconds since 1970."""


def sqlite(tables: Tables) -> Statements:
    outbox, refused = tables
    # Not `->>`: it needs a newer SQLite than many a Python has.
    first, second = "json_extract(value, '$[0]')", "json_extract(value, '$[1]')"
    remove = f"""DELETE FROM {outbox}
WHERE id IN (SELECT {first} FROM json_each(:rows))
  AND EXISTS (SELECT 1 FROM json_each(:rows) WHERE id = {first} AND event_key = {second})"""
    remove = remove.replace("WHERE id = json", f"WHERE {outbox}.id = json")
    return Statements(
        f"INSERT INTO {outbox} (event_key, event) VALUES (:key, :event)",
        f"""UPDATE {outbox} SET claimed_by = :relay, claimed_until = {_NOW} + :lease
WHERE id IN (
  SELECT id FROM (
    SELECT id, size, sum(size) OVER (ORDER BY id) AS total FROM (
      SELECT id, length(CAST(event AS BLOB)) AS size FROM {outbox}
      WHERE (claimed_until IS NULL OR claimed_by = :relay OR claimed_until <= {_NOW}
        OR claimed_until > {_NOW} + 3600000)
        AND event_key NOT IN (SELECT value FROM json_each(:held))
      ORDER BY id LIMIT :count
    )
  ) WHERE total = size OR total <= :size
)
RETURNING id, event_key, event""",
        remove,
        # Between the two an end of the process leaves a row in both: it is sent once more, and moved once.
        (
            f"""INSERT INTO {refused} (event_key, event, created_at, refusal)
SELECT o.event_key, o.event, o.created_at, json_extract(value, '$[2]')
FROM json_each(:rows) JOIN {outbox} AS o ON o.id = {first} AND o.event_key = {second}
WHERE NOT EXISTS (
  SELECT 1 FROM {refused} AS r
  WHERE r.event_key = o.event_key AND r.created_at = o.created_at AND r.event = o.event
)""",
            remove,
        ),
        f"""UPDATE {outbox} SET claimed_until = {_NOW} + :lease
WHERE claimed_by = :relay AND id IN (SELECT value FROM json_each(:rows))""",
        f"""UPDATE {outbox} SET claimed_by = NULL, claimed_until = NULL
WHERE claimed_by = :relay AND id IN (SELECT value FROM json_each(:rows))""",
    )
