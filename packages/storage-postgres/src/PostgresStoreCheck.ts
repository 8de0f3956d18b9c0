/**
 * Checking the indexes of the database, on a connection of its own that writes nothing.
 *
 * With the extension `amcheck`, by `bt_index_check`, which holds every row against the index. Without it, or
 * where the role may not use it, each index is read from its beginning to its end and its entries are
 * compared with the rows of the table, in one snapshot: their number, and the sum of their hashes. Neither
 * locks out anybody who reads or writes.
 */
import { storeErrorText } from "@cairn/core/log"
import { StoreCheck, type StoreDamage, storeFindings } from "@cairn/core/verification"
import { unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { SPREAD_TABLES } from "./Distribution.ts"
import { areSpread } from "./Places.ts"
import * as PostgresClient from "./PostgresClient.ts"
import { checkSearch } from "./SearchCheck.ts"

/** The tables that Cairn makes. Others may be in the same schema. */
const TABLES = [
  "alert",
  "alert_rule",
  "anchor",
  "anchor_nonce",
  "anchor_submission",
  "anchor_transaction",
  "api_key",
  "checkpoint",
  "checkpoint_key",
  "consumer",
  "consumer_row",
  "delivery_attempt",
  "event",
  "event_usage",
  "export",
  "head",
  "idempotency_key",
  "inbox",
  "log_loss",
  "log_stream",
  "member",
  "outbox",
  "parked",
  "person",
  "person_account",
  "published_checkpoint",
  "search_frame",
  "search_part",
  "search_order",
  "search_posting",
  "search_position",
  "session",
  "session_entry",
  "sign_in_link",
  "tree_tile",
  "viewer_key",
  "webhook",
  "workspace"
]

/** An index of one of them. */
export interface IndexRow {
  readonly oid: number
  readonly name: string
  readonly table: string
  readonly method: string
  readonly usable: boolean
  /** What it is ordered by, and which rows it has; null for all. */
  readonly columns: ReadonlyArray<string>
  readonly predicate: string | null
}

/** What was found so far. */
interface Found {
  readonly damages: ReadonlyArray<StoreDamage>
  readonly checked: ReadonlyArray<string>
  readonly not_checked: ReadonlyArray<string>
}

const NOTHING: Found = { damages: [], checked: [], not_checked: [] }

const both = (one: Found, other: Found): Found => ({
  damages: [...one.damages, ...other.damages],
  checked: [...one.checked, ...other.checked],
  not_checked: [...one.not_checked, ...other.not_checked]
})

/** Whether the database itself says that a page or an index is damaged: XX001 and XX002. */
const isCorruption = (error: SqlError): boolean => /\bXX00[12]\b/.test(storeErrorText(error))

const damaged = (where: string, what: string): Found => ({ ...NOTHING, damages: [{ where, what }] })

/** A failure of one check: a damage if the database says so, or something that was not checked. */
const judged = (where: string, error: SqlError): Found => {
  const text = storeErrorText(error).split("; ").at(-1) ?? ""
  return isCorruption(error) ? damaged(where, text) : { ...NOTHING, not_checked: [`${where}: ${text}`] }
}

const indexesOf = (sql: PgClient.PgClient, tables: ReadonlyArray<string>) => sql<IndexRow>`
  SELECT x.indexrelid::bigint AS oid, c.relname::text AS name, t.relname::text AS table, a.amname::text AS method,
    x.indisvalid AND x.indisready AND x.indislive AS usable,
    ARRAY(SELECT pg_get_indexdef(x.indexrelid, k, false) FROM generate_series(1, x.indnkeyatts) k)::text[] AS columns,
    pg_get_expr(x.indpred, x.indrelid) AS predicate
  FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    JOIN pg_am a ON a.oid = c.relam
  WHERE t.relkind = 'r' AND t.oid IN (SELECT to_regclass(quote_ident(name)) FROM unnest(${tables}::text[]) name)
  ORDER BY t.relname, c.relname`

/** amcheck's function, if this role may call it. */
const amcheckOf = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<{ readonly name: string | null }>`
      SELECT max(f.oid::regproc::text) AS name
      FROM pg_extension x JOIN pg_depend d ON d.refobjid = x.oid AND d.refclassid = 'pg_extension'::regclass
        JOIN pg_proc f ON f.oid = d.objid AND d.classid = 'pg_proc'::regclass
      WHERE x.extname = 'amcheck' AND f.proname = 'bt_index_check' AND f.pronargs = 2
        AND has_function_privilege(f.oid, 'EXECUTE')`,
    ([row]) => row?.name ?? null
  )

/** For as long as it takes, which for a large table is minutes. */
const patiently = <A, E>(sql: PgClient.PgClient, effect: Effect.Effect<A, E>) =>
  sql.withTransaction(
    Effect.andThen(
      sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`,
      Effect.andThen(sql`SET LOCAL statement_timeout = 0`, effect)
    )
  )

const whereOf = ({ name }: IndexRow): string => `index ${name}`

const byAmcheck = (sql: PgClient.PgClient, call: string, index: IndexRow) =>
  patiently(sql, sql.unsafe(`SELECT ${call}`, [index.oid])).pipe(
    Effect.as(NOTHING),
    Effect.catchTag("SqlError", (error) => Effect.succeed(judged(whereOf(index), error)))
  )

interface Sum {
  readonly entries: string
  readonly hashes: string | null
}

const sumOf = ({ columns, predicate }: IndexRow): string => {
  const rows = predicate === null ? "" : ` FILTER (WHERE ${predicate})`
  return `count(*)${rows}::text AS entries, sum(hashtextextended(ROW(${columns.join(", ")})::text, 0))${rows}::text AS hashes`
}

/** How the planner may read a table, for the rest of a transaction. */
const allowing = (sql: PgClient.PgClient, by: "table" | "index") => {
  const [table, index] = by === "table" ? ["on", "off"] : ["off", "on"]
  return sql`
    SELECT set_config('enable_seqscan', ${table}, true), set_config('enable_indexscan', ${index}, true),
      set_config('enable_indexonlyscan', ${index}, true), set_config('enable_bitmapscan', 'off', true),
      set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`
}

const readIndex = ({ table, columns, predicate }: IndexRow): string =>
  `SELECT count(*)::text AS entries, sum(hash)::text AS hashes FROM (
     SELECT hashtextextended(ROW(${columns.join(", ")})::text, 0) AS hash FROM ${table}
     ${predicate === null ? "" : `WHERE ${predicate}`} ORDER BY ${columns.join(", ")}) entries`

/** An index as it is read, compared with what the table's rows must have left in it. */
const compared = Effect.fnUntraced(function* (sql: PgClient.PgClient, index: IndexRow) {
  yield* allowing(sql, "table")
  const [rows] = yield* sql.unsafe<Sum>(`SELECT ${sumOf(index)} FROM ${index.table}`)
  yield* allowing(sql, "index")
  const text = readIndex(index)
  const plan = JSON.stringify(yield* sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`))
  if (!plan.includes(`"${index.name}"`))
    return { ...NOTHING, not_checked: [`${whereOf(index)}: the database reads its table another way`] }
  const [entries] = yield* sql.unsafe<Sum>(text)
  if (rows?.entries === entries?.entries && rows?.hashes === entries?.hashes) return NOTHING
  const what =
    rows?.entries === entries?.entries
      ? "its entries are not those of its table's rows"
      : `it finds ${entries?.entries} of the ${rows?.entries} rows of ${index.table}`
  return damaged(whereOf(index), what)
})

const byComparison = (sql: PgClient.PgClient, index: IndexRow) =>
  patiently(sql, compared(sql, index)).pipe(
    Effect.catchTag("SqlError", (error) => Effect.succeed(judged(whereOf(index), error)))
  )

/** Checks an index, as thoroughly as it can be. */
const checkIndex = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  amcheck: string | null,
  index: IndexRow
) {
  if (!index.usable)
    return damaged(
      whereOf(index),
      "it is not valid: rows may be missing in it, and the database does not use it"
    )
  if (index.method !== "btree")
    return { ...NOTHING, not_checked: [`${whereOf(index)}: it is of the method ${index.method}`] }
  return amcheck === null
    ? yield* byComparison(sql, index)
    : yield* byAmcheck(sql, `${amcheck}($1::bigint::oid::regclass, true)`, index)
})

const check = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const elsewhere: ReadonlyArray<string> = (yield* areSpread(sql)) ? SPREAD_TABLES : []
  const indexes = yield* indexesOf(
    sql,
    TABLES.filter((table) => !elsewhere.includes(table))
  )
  const amcheck = yield* amcheckOf(sql)
  let found: Found =
    elsewhere.length === 0
      ? NOTHING
      : { ...NOTHING, not_checked: [`the indexes of ${elsewhere.length} tables that are on other machines`] }
  for (const index of indexes) found = both(found, yield* checkIndex(sql, amcheck, index))
  const by =
    amcheck === null ? "by comparison with their tables, since this role has no amcheck" : "by amcheck"
  found = both(found, { ...NOTHING, checked: [`${indexes.length} indexes, ${by}`] })
  const words = yield* patiently(sql, checkSearch(sql)).pipe(
    Effect.catchTag("SqlError", (error) => Effect.succeed(judged("the search index", error)))
  )
  return storeFindings(both(found, words))
})

/** The check, over connections of its own: one, while it runs. */
export const layer = (config: PostgresClient.PostgresClientConfig) =>
  Layer.succeed(
    StoreCheck,
    StoreCheck.of({
      check: check.pipe(
        Effect.provide(PostgresClient.layerQuiet({ ...config, maxConnections: 1 })),
        Effect.scoped,
        unavailable("check the store")
      )
    })
  )
