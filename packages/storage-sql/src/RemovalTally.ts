/**
 * How many removals have begun, and how many of them have certainly left the files, so that a later process
 * sees what a crash interrupted. Stored with the consumers' state, for no workspace, so that it is in one
 * transaction with what a removal does there.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const [BEGUN, SCRUBBED] = ["begun", "scrubbed"]

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.NumberFromString }))
)

/** Counts a removal, within the transaction that begins it. */
export const noteRemoval = (sql: SqlClient.SqlClient) => sql`
  INSERT INTO consumer_row (workspace_id, consumer, key, value) VALUES ('', 'removal', ${BEGUN}, '1')
  ON CONFLICT (workspace_id, consumer, key) DO UPDATE SET value = CAST(CAST(consumer_row.value AS BIGINT) + 1 AS TEXT)`

/** Removals that have begun, and how many of them were scrubbed, each counted from the beginning. */
export const removalTally = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* decodeRows(
    yield* sql`SELECT key, value FROM consumer_row WHERE workspace_id = '' AND consumer = 'removal'`
  )
  const of = (key: string): number => rows.find((row) => row.key === key)?.value ?? 0
  return { begun: of(BEGUN), scrubbed: of(SCRUBBED) }
})

/** Records that the first `count` removals have left the files. */
export const noteScrubbed = (sql: SqlClient.SqlClient, removals: number) => sql`
  INSERT INTO consumer_row (workspace_id, consumer, key, value) VALUES ('', 'removal', ${SCRUBBED}, ${String(removals)})
  ON CONFLICT (workspace_id, consumer, key) DO UPDATE SET value = excluded.value
  WHERE CAST(consumer_row.value AS BIGINT) < CAST(excluded.value AS BIGINT)`
