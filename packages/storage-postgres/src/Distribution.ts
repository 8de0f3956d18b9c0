/**
 * The tables of the log over several machines, by Citus: spread by workspace, all of one workspace's rows on
 * one machine. All other tables stay on the coordinator. Settings are among them: with a copy on every
 * machine, nothing could be set while one of them is away. So are the newest checkpoints, by which a log that
 * somebody has removed from its machine is missed.
 *
 * Every table is looked up before it is spread, and spread in a transaction of its own, so that an
 * interrupted run continues, and a further one does nothing.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { ExpectedObject } from "./inspect/ExpectedSchema.ts"
import { FIRST } from "./Machines.ts"
import { layerQuiet } from "./PostgresClient.ts"

/** The database cannot be distributed. */
export class NotDistributable extends Schema.TaggedError<NotDistributable>()("NotDistributable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `the database cannot be distributed: ${this.reason}`
  }
}

/** A run that spread the log was interrupted: what joins its tables would fail. */
export class SpreadInPart extends Schema.TaggedError<SpreadInPart>()("SpreadInPart", {}) {
  override get message(): string {
    return "the log is spread over machines in part: run cairn migrate --distribute again, which goes on where it was"
  }
}

/** The others, each with the index that becomes its key in place of one by the workspace's id, if any. */
const OTHERS: ReadonlyArray<readonly [table: string, key?: string]> = [
  ["inbox"],
  ["parked"],
  ["idempotency_key"],
  ["event_usage"],
  ["event"],
  ["search_position"],
  ["search_frame"],
  ["search_part"],
  ["search_posting"],
  ["search_order"],
  ["anchor"],
  ["tree_tile", "tree_tile_key"],
  ["published_checkpoint", "published_checkpoint_key"],
  ["consumer", "consumer_key"],
  ["consumer_row", "consumer_row_key"],
  ["alert", "alert_key"]
]

/**
 * Tables of the coordinator that are written together with spread ones, and with them every table that they
 * refer to: known to Citus, so that both are committed or none.
 */
const BESIDE = ["outbox", "anchor_submission", "anchor_nonce"]

/** All of those that are spread. */
export const SPREAD_TABLES: ReadonlyArray<string> = [FIRST, ...OTHERS.map(([table]) => table)]

/** Fails where a run was interrupted. */
export const refusePart = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const names = JSON.stringify([...SPREAD_TABLES, ...BESIDE])
  const missing = yield* sql`
    SELECT FROM json_array_elements_text(${names}::json) t (name)
    WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(t.name))`
  if (missing.length > 0) return yield* new SpreadInPart()
})

const isSpread = (sql: PgClient.PgClient, table: string) =>
  Effect.map(
    sql<{ readonly there: boolean }>`
      SELECT EXISTS (
        SELECT FROM pg_dist_partition WHERE logicalrelid = ${table}::regclass AND partmethod = 'h'
      ) AS there`,
    ([row]) => row?.there === true
  )

/** Whether an object that the migrations make is gone where the tables are spread. */
export const isGoneWhereSpread = ({ type, name, table, sql }: ExpectedObject): boolean => {
  if (!SPREAD_TABLES.includes(table)) return false
  if (name === `${table}_is_numbered` || name === `${table}_without_number`) return true
  return (
    type === "index" && sql.startsWith("CREATE UNIQUE") && !/\bworkspace\b/.test(sql.slice(sql.indexOf("(")))
  )
}

/** What a spread table cannot have: unique keys without the workspace's number, and references to others. */
const unfitOf = (sql: PgClient.PgClient, table: string) =>
  sql<{ readonly statement: string }>`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS statement
    FROM pg_constraint WHERE conrelid = ${table}::regclass AND contype = 'f'
    UNION ALL
    SELECT coalesce(
      (SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, conname)
       FROM pg_constraint WHERE conindid = i.indexrelid AND conrelid = i.indrelid),
      format('DROP INDEX %s', i.indexrelid::regclass))
    FROM pg_index i
    WHERE i.indrelid = ${table}::regclass AND i.indisunique AND NOT EXISTS (
      SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = 'workspace'
        AND a.attnum = ANY (i.indkey::int2[]))`

/**
 * What numbers the rows of servers of the former version goes, since those cannot use such a database, and so
 * do rows of no workspace that is there, which nobody asks for.
 */
const useNumbers = Effect.fnUntraced(function* (sql: PgClient.PgClient, table: string, key: string) {
  yield* sql.unsafe(`DROP TRIGGER IF EXISTS ${table}_is_numbered ON ${table}`)
  yield* sql.unsafe(`DROP INDEX IF EXISTS ${table}_without_number`)
  yield* sql.unsafe(`DELETE FROM ${table} WHERE workspace IS NULL`)
  yield* sql.unsafe(`ALTER TABLE ${table} ALTER COLUMN workspace SET NOT NULL`)
  return sql.unsafe(`ALTER TABLE ${table} ADD PRIMARY KEY USING INDEX ${key}`)
})

/** Spreads one table, within a transaction; whether it was not yet. */
const spread = Effect.fnUntraced(function* (sql: PgClient.PgClient, table: string, key?: string) {
  if (yield* isSpread(sql, table)) return false
  yield* sql.unsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
  const addKey = key === undefined ? Effect.void : yield* useNumbers(sql, table, key)
  for (const { statement } of yield* unfitOf(sql, table)) yield* sql.unsafe(statement)
  yield* addKey
  const beside = table === FIRST ? "none" : FIRST
  yield* sql`SELECT create_distributed_table(${table}::regclass, 'workspace', colocate_with => ${beside})::text`
  return true
})

/** Makes a table of the coordinator known to Citus, within a transaction; whether it was not yet. */
const makeKnown = Effect.fnUntraced(function* (sql: PgClient.PgClient, table: string) {
  const rows = yield* sql`SELECT FROM pg_dist_partition WHERE logicalrelid = ${table}::regclass`
  if (rows.length > 0) return false
  yield* sql`SELECT citus_add_local_table_to_metadata(${table}::regclass, cascade_via_foreign_keys => true)::text`
  return true
})

/** "spread" as a key of an advisory lock: held by the process that distributes, until it ends. */
export const SPREADING = 0x737072656164

/** Those of this command may take a moment to end. */
const SESSIONS_END = { times: 10, schedule: Schedule.spaced("200 millis") }

/** Keeps out other processes that distribute. A server that starts from here on waits for the end. */
const begin = Effect.fnUntraced(
  function* (sql: PgClient.PgClient) {
    const [row] = yield* sql<{ readonly held: boolean }>`SELECT pg_try_advisory_lock(${SPREADING}) AS held`
    if (row?.held !== true) return yield* new NotDistributable({ reason: "another process does that now" })
  },
  Effect.retry({ while: ({ _tag }) => _tag === "NotDistributable", ...SESSIONS_END })
)

/** Fails while a server uses the database. */
const refuseSessions = Effect.fnUntraced(
  function* (sql: PgClient.PgClient) {
    const rows = yield* sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND application_name = 'cairn'`
    if (rows.length === 0) return
    return yield* new NotDistributable({ reason: "a server uses it: stop all servers first" })
  },
  Effect.retry({ while: ({ _tag }) => _tag === "NotDistributable", ...SESSIONS_END })
)

/** Fails where it cannot be done. */
const admit = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [row] = yield* sql<{ readonly there: boolean }>`
    SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS there`
  if (row?.there !== true) {
    const reason =
      "it lacks the extension citus: CREATE EXTENSION citus on every machine, and add the workers"
    return yield* new NotDistributable({ reason })
  }
  const [nodes] = yield* sql<{ readonly workers: number; readonly coordinators: number }>`
    SELECT count(*) FILTER (WHERE isactive AND shouldhaveshards) AS workers,
      count(*) FILTER (WHERE groupid = 0) AS coordinators FROM pg_dist_node`
  if ((nodes?.workers ?? 0) === 0) {
    const reason = "no machine takes shards: add one with citus_add_node"
    return yield* new NotDistributable({ reason })
  }
  if ((nodes?.coordinators ?? 0) === 0) {
    const reason = "the machines do not know this one: name it with citus_set_coordinator_host"
    return yield* new NotDistributable({ reason })
  }
  yield* refuseSessions(sql)
})

/**
 * Spreads the tables of a database that is up to date, and returns how many were not yet. No server may use
 * it: what a server knows of the database is from its start.
 */
export const distribute = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* begin(sql)
  yield* admit(sql)
  let count = 0
  const step = Effect.fnUntraced(
    function* (one: Effect.Effect<boolean, SqlError>) {
      yield* sql`SET LOCAL lock_timeout = 0`
      yield* sql`SET LOCAL statement_timeout = 0`
      // The log's triggers, on every shard: each machine refuses what one database refuses.
      yield* sql`SET LOCAL citus.enable_unsafe_triggers = on`
      yield* sql`SET LOCAL citus.multi_shard_modify_mode = sequential`
      if (yield* one) count++
    },
    (effect) => sql.withTransaction(effect)
  )
  for (const [table, key] of [[FIRST] as const, ...OTHERS]) yield* step(spread(sql, table, key))
  for (const table of BESIDE) yield* step(makeKnown(sql, table))
  yield* sql`SELECT pg_advisory_unlock(${SPREADING})`
  return count
}).pipe(Effect.withSpan("distribute"))

/** The same for the database with a URL. */
export const distributeDatabase = (url: Redacted.Redacted) =>
  distribute.pipe(Effect.provide(layerQuiet({ url, maxConnections: 1 })))
