/**
 * How many removals have begun, and how many of them have certainly left the files, so that a later process
 * sees what a crash interrupted. Stored with the consumers' state, for no workspace, so that it is in one
 * transaction with what a removal does there.
 */
import { Effect, Schema } from "effect"
import { hasKey, type KeyedTables } from "./WorkspaceKeys.ts"

const [BEGUN, SCRUBBED] = ["begun", "scrubbed"]

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.NumberFromString }))
)

/** Counts a removal, within the transaction that begins it. */
export const noteRemoval = ({ sql, keys }: KeyedTables) => sql`
  INSERT INTO consumer_row ${sql.insert({ ...keys.none, consumer: "removal", key: BEGUN, value: "1" })}
  ON CONFLICT (${sql.literal(keys.column)}, consumer, key) DO UPDATE SET value = CAST(CAST(consumer_row.value AS BIGINT) + 1 AS TEXT)`

/** Removals that have begun, and how many of them were scrubbed, each counted from the beginning. */
export const removalTally = Effect.fnUntraced(function* (tables: KeyedTables) {
  const rows = yield* decodeRows(
    yield* tables.sql`
      SELECT key, value FROM consumer_row
      WHERE ${hasKey(tables, tables.keys.none)} AND consumer = 'removal'`
  )
  const of = (key: string): number => rows.find((row) => row.key === key)?.value ?? 0
  return { begun: of(BEGUN), scrubbed: of(SCRUBBED) }
})

/** Records that the first `count` removals have left the files. */
export const noteScrubbed = ({ sql, keys }: KeyedTables, removals: number) => sql`
  INSERT INTO consumer_row
    ${sql.insert({ ...keys.none, consumer: "removal", key: SCRUBBED, value: String(removals) })}
  ON CONFLICT (${sql.literal(keys.column)}, consumer, key) DO UPDATE SET value = excluded.value
  WHERE CAST(consumer_row.value AS BIGINT) < CAST(excluded.value AS BIGINT)`
