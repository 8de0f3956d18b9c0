/** How a PostgreSQL server is set and what goes on in it, as far as it concerns what Cairn stores there. */
import { Micros } from "@cairn/core/encoding"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { layerQuiet, type PostgresClientConfig } from "../PostgresClient.ts"
import { home } from "./Home.ts"

/** The server, and the sessions of this role as they begin. */
export interface ServerFacts {
  /** Such as 180001. */
  readonly version: number
  readonly encoding: string
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly read_only: string
  readonly session_replication_role: string
  readonly is_standby: boolean
  readonly autovacuum: string
  readonly track_counts: string
  readonly max_connections: number
  readonly reserved_connections: number
  /** Names as they stand in a statement. */
  readonly database_name: string
  readonly role_name: string
  /** What the database and the role take at most; null for no limit of their own. */
  readonly database_connections: number | null
  readonly role_connections: number | null
  readonly synchronous_standby_names: string
  /**
   * Standbys that are connected and count for commits; all that are connected, for a role that may not see
   * which of them count (without `pg_read_all_stats`).
   */
  readonly synchronous_standbys: number
  /** Transactions since the oldest row was frozen. */
  readonly transaction_age: number
  /** How far this machine's clock was ahead of the server's when both were read, in microseconds. */
  readonly clock_ahead: number
}

/** Compares the clocks, on a connection that is there: the answer was on its way for half of the time. */
const clockAhead = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const before = yield* Micros.now
  const [row] = yield* sql<{ readonly now: number }>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now`
  const after = yield* Micros.now
  return Math.round((before + after) / 2) - (row?.now ?? before)
})

/** The statement for all of that which SQL tells at once. */
export const FACTS = `
  SELECT current_setting('server_version_num')::int AS version, pg_encoding_to_char(encoding)::text AS encoding,
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('default_transaction_read_only') AS read_only,
    current_setting('session_replication_role') AS session_replication_role, pg_is_in_recovery() AS is_standby,
    current_setting('autovacuum') AS autovacuum, current_setting('track_counts') AS track_counts,
    current_setting('max_connections')::int AS max_connections,
    current_setting('superuser_reserved_connections')::int
      + coalesce(current_setting('reserved_connections', true), '0')::int AS reserved_connections,
    quote_ident(current_database()) AS database_name, quote_ident(current_user) AS role_name,
    nullif(datconnlimit, -1) AS database_connections,
    (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user) AS role_connections,
    current_setting('synchronous_standby_names') AS synchronous_standby_names,
    (SELECT count(*)::int FROM pg_stat_replication
      WHERE coalesce(sync_state, 'sync') IN ('sync', 'quorum')) AS synchronous_standbys,
    age(datfrozenxid)::bigint AS transaction_age
  FROM pg_database WHERE datname = current_database()`

const ask = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [facts] = yield* sql.unsafe<Omit<ServerFacts, "clock_ahead">>(FACTS)
  if (facts === undefined) return yield* Effect.die("the server does not know its own database")
  return { ...facts, clock_ahead: yield* clockAhead(sql) }
})

/** Asks on a connection of its own, whose session is as a server's: another would hide how those begin. */
export const serverFacts = (config: PostgresClientConfig) =>
  Effect.provide(
    ask,
    Layer.fresh(layerQuiet({ ...config, maxConnections: 1, anyPrimary: true, tells: false }))
  )

/** A session that keeps a transaction open and does nothing. */
export interface IdleSession {
  readonly pid: number
  readonly application: string
  readonly seconds: number
}

/** Sessions that have done nothing within a transaction for some seconds. */
export const idleSessions = (sql: PgClient.PgClient, seconds: number) => sql<IdleSession>`
  SELECT pid, application_name::text AS application,
    extract(epoch FROM clock_timestamp() - state_change)::int AS seconds
  FROM pg_stat_activity
  WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND pid <> pg_backend_pid()
    AND state_change < clock_timestamp() - make_interval(secs => ${seconds})
  ORDER BY 3 DESC`

/** A replication slot that nobody reads, and the bytes of WAL that are kept for it. */
export interface IdleSlot {
  readonly name: string
  readonly bytes: number
}

/** The statement for slots that nobody reads, for which more than so many bytes are kept. */
export const slotsOver = (bytes: number): string => `
  SELECT slot_name::text AS name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint AS bytes
  FROM pg_replication_slots
  WHERE NOT active AND restart_lsn IS NOT NULL AND NOT pg_is_in_recovery()
    AND pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > ${bytes}`

/** Those of the server. */
export const idleSlots = (sql: PgClient.PgClient, bytes: number) => sql.unsafe<IdleSlot>(slotsOver(bytes))

/** Tables of the schema that are never vacuumed. */
export const unvacuumedTables = (sql: PgClient.PgClient) => sql<{ readonly name: string }>`
  SELECT relname::text AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = ${home(sql)}
    AND 'autovacuum_enabled=false' = ANY (reloptions)
  ORDER BY 1`
