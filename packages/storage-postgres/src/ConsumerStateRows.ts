/** A consumer's state, read and written in one statement for any number of rows. */
import { ConsumerRows } from "@cairn/storage-sql"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { numbers, texts } from "./PostgresTypes.ts"

/** A statement of a thousand parameters takes several times as long as one of a few arrays. */
export const stateRows = (sql: SqlClient.SqlClient): ConsumerRows.StateRows => ({
  read: ({ workspaceId, consumer }, keys) =>
    keys.length === 0
      ? Effect.succeed([])
      : sql.unsafe(
          `SELECT ${ConsumerRows.STATE_COLUMNS} FROM consumer_row
           WHERE workspace_id = $1 AND consumer = $2 AND key = ANY($3::text[])`,
          [workspaceId, consumer, texts(keys)]
        ),
  write: ({ workspaceId, consumer }, rows) =>
    rows.length === 0
      ? Effect.void
      : Effect.asVoid(
          sql.unsafe(
            `INSERT INTO consumer_row (workspace_id, consumer, key, value, expires_at)
             SELECT $1::text, $2::text, * FROM unnest($3::text[], $4::text[], $5::bigint[])
             ${ConsumerRows.STATE_CONFLICT}`,
            [
              workspaceId,
              consumer,
              texts(rows.map(({ key }) => key)),
              texts(rows.map(({ value }) => value)),
              numbers(rows.map(({ expiresAt }) => expiresAt))
            ]
          )
        )
})
