/** A consumer's state, read and written in one statement for any number of rows. */
import { ConsumerRows, type KeyedTables } from "@cairn/storage-sql"
import { Effect } from "effect"
import { numbers, texts } from "./PostgresTypes.ts"

/** A statement of a thousand parameters takes several times as long as one of a few arrays. */
export const stateRows = (tables: KeyedTables): ConsumerRows.StateRows => ({
  read: Effect.fnUntraced(function* ({ workspaceId, consumer }, keys) {
    if (keys.length === 0) return []
    const key = yield* tables.keys.find(workspaceId)
    if (key === undefined) return []
    return yield* tables.sql.unsafe(
      `SELECT ${ConsumerRows.STATE_COLUMNS} FROM consumer_row
       WHERE workspace = $1::bigint AND consumer = $2 AND key = ANY($3::text[])`,
      [key.workspace, consumer, texts(keys)]
    )
  }),
  write: Effect.fnUntraced(function* ({ workspaceId, consumer }, rows) {
    if (rows.length === 0) return
    const { workspace } = yield* tables.keys.of(workspaceId)
    yield* tables.sql.unsafe(
      `INSERT INTO consumer_row (workspace, workspace_id, consumer, key, value, expires_at)
       SELECT h.workspace, $2::text, $3::text, r.*
       FROM head h, unnest($4::text[], $5::text[], $6::bigint[]) r WHERE h.workspace = $1::bigint
       ${ConsumerRows.stateConflict(tables)}`,
      [
        workspace,
        workspaceId,
        consumer,
        texts(rows.map(({ key }) => key)),
        texts(rows.map(({ value }) => value)),
        numbers(rows.map(({ expiresAt }) => expiresAt))
      ]
    )
  })
})
