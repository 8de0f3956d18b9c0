/** What consumers made of events whose content is removed: the words of alerts, and messages that carry them. */
import type { RemovedEvent } from "@cairn/core"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { inBatches } from "./RowBatches.ts"

/** What an alert says whose event is gone. */
export const REMOVED_REASON = "The content of the event was removed"

const decodeAlerts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ event_id: Schema.String })))

/** Removes it, within a transaction of the database that holds `alert` and `outbox`. */
export const forgetEvents = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  events: ReadonlyArray<RemovedEvent>
) {
  for (const batch of inBatches(events.map(({ id }) => id))) {
    // Served by alert_event.
    const alerted = yield* Effect.flatMap(
      sql`
        UPDATE alert SET reason = ${REMOVED_REASON}
        WHERE workspace_id = ${workspaceId} AND ${sql.in("event_id", batch)} RETURNING event_id`,
      decodeAlerts
    )
    // An event's id is a UUID, so it means nothing to LIKE; only alerts carry what an event says.
    for (const eventId of new Set(alerted.map(({ event_id }) => event_id))) {
      const carries = sql`workspace_id = ${workspaceId} AND payload LIKE ${`%${eventId}%`}`
      yield* sql`DELETE FROM delivery_attempt WHERE delivery IN (SELECT number FROM outbox WHERE ${carries})`
      yield* sql`DELETE FROM outbox WHERE ${carries}`
    }
  }
})

/** Removes what consumers remember under keys that hold `text`; answers how many rows those were. */
export const forgetRows = (sql: SqlClient.SqlClient, workspaceId: string, text: string) => {
  // As it stands in a key, and as JSON has it there.
  const pattern = (part: string) => `%${part.replace(/[\\%_]/g, "\\$&")}%`
  const json = JSON.stringify(text).slice(1, -1)
  return Effect.map(
    sql`
      DELETE FROM consumer_row
      WHERE workspace_id = ${workspaceId}
        AND (key LIKE ${pattern(text)} ESCAPE '\\' OR key LIKE ${pattern(json)} ESCAPE '\\') RETURNING key`,
    (rows) => rows.length
  )
}
