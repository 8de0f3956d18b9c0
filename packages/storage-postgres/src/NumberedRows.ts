/**
 * The conversion of tables that had only the workspace's id: their rows get its number, a few at a time, each
 * time in a transaction of its own. It may be ended at any time and goes on where it was; several processes
 * share it; servers of the former version read and write meanwhile.
 *
 * Rows of a workspace that is not there keep no number: nobody asks for them.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { NUMBERED_TABLES } from "./migrations/0032_workspace_numbers.ts"

/** Rows of one transaction. */
const ROWS = 2_000

/** How long to wait for rows that somebody else has locked. */
const LOCKED = "50 millis"

/** Rows without a number, and what it is; by the table's index of such rows. */
const without = (table: string): string =>
  `FROM ${table} r JOIN (SELECT id, number FROM workspace UNION ALL SELECT '', 0) w ON w.id = r.workspace_id
   WHERE r.workspace IS NULL`

/** Whether a table has such rows. */
const hasSome = (sql: PgClient.PgClient, table: string) =>
  Effect.map(
    sql.unsafe<{ readonly there: boolean }>(`SELECT EXISTS (SELECT ${without(table)}) AS there`),
    ([row]) => row?.there === true
  )

/** Numbers some of them, those that nobody has locked; returns how many. */
const numberSome = (sql: PgClient.PgClient, table: string) =>
  Effect.map(
    sql.unsafe<{ readonly count: number }>(
      `WITH found AS (
         SELECT r.ctid AS place, w.number ${without(table)} LIMIT ${ROWS} FOR UPDATE OF r SKIP LOCKED
       ), numbered AS (
         UPDATE ${table} t SET workspace = found.number FROM found WHERE t.ctid = found.place RETURNING 1
       )
       SELECT count(*) AS count FROM numbered`
    ),
    ([row]) => row?.count ?? 0
  )

/** Numbers every row of a table. */
const numberTable = Effect.fnUntraced(function* (sql: PgClient.PgClient, table: string) {
  if (!(yield* hasSome(sql, table))) return
  yield* Effect.logInfo(`Rows of ${table} get the number of their workspace`)
  for (;;) {
    if ((yield* numberSome(sql, table)) > 0) continue
    if (!(yield* hasSome(sql, table))) return
    yield* Effect.sleep(LOCKED)
  }
})

/** The tables that may have rows without a number. */
const nullable = (sql: PgClient.PgClient) => sql<{ readonly table: string }>`
  SELECT t.name AS table FROM unnest(${NUMBERED_TABLES}::text[]) AS t (name)
  JOIN pg_attribute a ON a.attrelid = to_regclass(t.name) AND a.attname = 'workspace'
  WHERE NOT a.attnotnull`

/** Numbers every row. */
export const numberRows: Effect.Effect<void, SqlError, PgClient.PgClient> = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  for (const { table } of yield* nullable(sql)) yield* numberTable(sql, table)
}).pipe(Effect.withSpan("number rows"))
