/**
 * The two tables of an outbox: what waits, and what the service refused. Clients in other languages share
 * them.
 */

/** The databases that an outbox can be in. */
export type Dialect = "postgres" | "sqlite"

/** Where the tables are. */
export interface OutboxNames {
  /** The schema on PostgreSQL, or the attached database on SQLite, which must exist. */
  readonly schema?: string | undefined
  /** The table of what waits: `cairn_outbox` unless given. That of refused events ends with `_refused`. */
  readonly table?: string | undefined
}

/** The names of the tables, quoted. */
export interface QuotedNames {
  readonly outbox: string
  readonly refused: string
}

const REFUSED = "_refused"
/** PostgreSQL cuts longer names without a word. */
const MAX_NAME_BYTES = 63

const quoted = (name: string, dialect: Dialect, reserve = 0): string => {
  const bytes = new TextEncoder().encode(name).length
  if (name === "" || name.includes("\0")) throw new TypeError("a name of the outbox is empty or has a NUL")
  if (dialect === "postgres" && bytes > MAX_NAME_BYTES - reserve) {
    throw new TypeError(`a name of the outbox has more than ${MAX_NAME_BYTES - reserve} bytes`)
  }
  return `"${name.replaceAll('"', '""')}"`
}

/** @throws TypeError for a name that the database cannot keep as it is. */
export const quotedNames = (
  dialect: Dialect,
  { schema, table = "cairn_outbox" }: OutboxNames = {}
): QuotedNames => {
  const prefix = schema === undefined ? "" : `${quoted(schema, dialect)}.`
  return {
    outbox: prefix + quoted(table, dialect, REFUSED.length),
    refused: prefix + quoted(table + REFUSED, dialect)
  }
}

const postgresTables = ({ outbox, refused }: QuotedNames): ReadonlyArray<string> => [
  `CREATE TABLE IF NOT EXISTS ${outbox} (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_key     text NOT NULL,
  event         text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  claimed_by    text,
  claimed_until timestamptz
)`,
  `CREATE TABLE IF NOT EXISTS ${refused} (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_key     text NOT NULL,
  event         text NOT NULL,
  created_at    timestamptz NOT NULL,
  refused_at    timestamptz NOT NULL DEFAULT now(),
  refusal       text NOT NULL
)`
]

// AUTOINCREMENT: an id is never used again. A relay that settles late would remove another event otherwise.
const sqliteTables = ({ outbox, refused }: QuotedNames): ReadonlyArray<string> => [
  `CREATE TABLE IF NOT EXISTS ${outbox} (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  event_key     TEXT NOT NULL,
  event         TEXT NOT NULL,
  created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  claimed_by    TEXT,
  claimed_until INTEGER
)`,
  `CREATE TABLE IF NOT EXISTS ${refused} (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  event_key     TEXT NOT NULL,
  event         TEXT NOT NULL,
  created_at    TEXT NOT NULL,
  refused_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  refusal       TEXT NOT NULL
)`
]

const tables = (dialect: Dialect, names: QuotedNames) =>
  dialect === "postgres" ? postgresTables(names) : sqliteTables(names)

/** The SQL that makes the tables, for migrations of one's own. It changes nothing where they exist. */
export const outboxSql = (dialect: Dialect, names: OutboxNames = {}): string =>
  tables(dialect, quotedNames(dialect, names))
    .map((table) => `${table};\n`)
    .join("\n")

/** The SQL that makes the tables under their usual names; {@link outboxSql} makes it for others. */
export const OUTBOX_SQL: Readonly<Record<Dialect, string>> = {
  postgres: outboxSql("postgres"),
  sqlite: outboxSql("sqlite")
}

/**
 * The statements of `migrate()`. On PostgreSQL it is one, under a lock: two processes that make a table at
 * once, even with IF NOT EXISTS, fail otherwise. Where the tables are, it needs no right to make any.
 */
export const migrations = (dialect: Dialect, names: OutboxNames): ReadonlyArray<string> => {
  const both = quotedNames(dialect, names)
  const statements = tables(dialect, both)
  if (dialect === "sqlite") return statements
  const [outbox, refused] = [both.outbox, both.refused].map((name) => `'${name.replaceAll("'", "''")}'`)
  const body = `BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('cairn_outbox'));
  IF to_regclass(${outbox}) IS NULL OR to_regclass(${refused}) IS NULL THEN
    ${statements.map((table) => `${table};`).join("\n    ")}
  END IF;
END`
  return [`DO E'${body.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`]
}
