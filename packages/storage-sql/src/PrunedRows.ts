/** Removing rows whose time is over, a few at a time, while others use the table. */
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { inBatches } from "./RowBatches.ts"

/** Rows that one transaction removes. */
const CHUNK = 256

const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key: Schema.String })))

/** Which rows are removed. */
interface Prune {
  readonly table: string
  /** The column by which a row is known. */
  readonly key: string
  /** The column of the time, which has an index. */
  readonly time: string
  readonly before: number
  /** Removes what refers to some of them, within the transaction. */
  readonly first?: (keys: ReadonlyArray<string>) => Effect.Effect<unknown, unknown>
}

/**
 * Removes the rows whose time is before another; returns how many.
 *
 * Rows that another process holds at this moment are left to it, so that nobody waits. Where there is nothing
 * to remove it costs a look at the index and locks nothing.
 */
export const pruneRows = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { table, key, time, before, first = () => Effect.void }: Prune
) {
  const [rows, name, column] = [sql.literal(table), sql.literal(key), sql.literal(time)]
  const unlocked = sql.onDialectOrElse({ pg: () => sql`FOR UPDATE SKIP LOCKED`, orElse: () => sql`` })
  const over = (limit: number, lock: Statement.Fragment) =>
    sql`
      SELECT ${name} AS key FROM ${rows} WHERE ${column} < ${before}
      ORDER BY ${column} LIMIT ${limit} ${lock}`.pipe(
      Effect.flatMap(decodeKeys),
      Effect.map((found) => found.map((row) => row.key))
    )

  const removeSome = Effect.gen(function* () {
    const found = yield* over(CHUNK, unlocked)
    for (const keys of inBatches(found)) {
      yield* first(keys)
      yield* sql`DELETE FROM ${rows} WHERE ${sql.in(key, keys)}`
    }
    return found.length
  })

  let removed = 0
  while ((yield* over(1, sql``)).length > 0) {
    const some = yield* sql.withTransaction(removeSome)
    if (some === 0) break
    removed += some
  }
  return removed
})
