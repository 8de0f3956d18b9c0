/**
 * The machines over which Citus spreads the log, each asked by itself: what a database says of itself is said
 * by the coordinator alone.
 */
import { storeErrorText } from "@cairn/core/log"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Result } from "effect"

/** The table whose shards decide where a workspace is: the rows of the others are where its row is. */
export const FIRST = "head"

/** A machine that has shards of the log. */
export interface Machine {
  /** As Citus numbers what can be given another address. */
  readonly node: number
  /** As Citus numbers those that have the same shards; 0 for the coordinator. */
  readonly group: number
  readonly host: string
  readonly port: number
}

/** The address by which Citus and the operator know it. */
export const addressOf = ({ host, port }: Machine): string => `${host}:${port}`

/** How long a machine may take to take a connection, and to answer then; in milliseconds. */
const [CONNECT, ANSWER] = [2_000, 5_000]

/** Whether it is another one than the coordinator. */
export const isWorker = ({ group }: Machine): boolean => group !== 0

/** Whether the database has Citus. */
export const hasCitus = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<{ readonly there: boolean }>`SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS there`,
    ([row]) => row?.there === true
  )

/** All of them; none where the log is not spread. */
export const machinesOf = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  if (!(yield* hasCitus(sql))) return []
  return yield* sql<Machine>`
    SELECT nodeid AS node, groupid AS "group", nodename::text AS host, nodeport AS port FROM pg_dist_node n
    WHERE noderole = 'primary' AND EXISTS (
      SELECT FROM pg_dist_placement p JOIN pg_dist_shard s USING (shardid)
      WHERE p.groupid = n.groupid AND s.logicalrelid = to_regclass(${FIRST}))
    ORDER BY groupid`
})

/** What a machine has answered. */
interface Answer {
  readonly success: boolean
  readonly result: string
}

/**
 * The rows of a statement that a machine runs for this role, or why it says nothing: it may be away. Takes a
 * few seconds at most.
 */
export const askMachine = <A>(
  sql: PgClient.PgClient,
  { host, port }: Machine,
  statement: string
): Effect.Effect<Result.Result<ReadonlyArray<A>, string>> =>
  Effect.gen(function* () {
    yield* sql.unsafe(`SET LOCAL citus.node_connection_timeout = ${CONNECT}`)
    yield* sql.unsafe(`SET LOCAL statement_timeout = ${ANSWER}`)
    const rows = `SELECT coalesce(json_agg(r), '[]')::text FROM (${statement}) r`
    return yield* sql<Answer>`
      SELECT success, result
      FROM master_run_on_worker(ARRAY[${host}]::text[], ARRAY[${port}]::int[], ARRAY[${rows}]::text[], false)`
  }).pipe(
    sql.withTransaction,
    Effect.map(([answer]): Result.Result<ReadonlyArray<A>, string> => {
      if (answer?.success === true) return Result.succeed(JSON.parse(answer.result))
      return Result.fail(answer?.result ?? "it does not answer")
    }),
    Effect.catch((error) => Effect.succeed(Result.fail(storeErrorText(error))))
  )
