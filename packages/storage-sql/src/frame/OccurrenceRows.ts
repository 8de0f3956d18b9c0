/** The order of occurrence in tables, with statements that both dialects share. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { FrameSpan, GroupSpan, OccurrenceStore } from "./OccurrenceStore.ts"

const decodeOrders = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ group: Schema.Number, blob: Schema.Uint8Array }))
)

/**
 * Keeps orders in `search_order`, and how far the events of frames are apart in `search_frame`. Moments are
 * doubles: there are some beyond what a database's integers are read as.
 */
export const occurrenceRows = (sql: SqlClient.SqlClient): OccurrenceStore => ({
  groupSpans: (workspace) => sql<GroupSpan>`
    SELECT frame_group AS ${sql("group")}, first, last, earliest, latest, events FROM search_order
    WHERE workspace = ${workspace} ORDER BY frame_group`,
  frameSpans: (workspace, low) => sql<FrameSpan>`
    SELECT number, first, earliest, latest FROM search_frame
    WHERE workspace = ${workspace} AND number >= ${low} ORDER BY number`,
  orders: (workspace, groups) =>
    groups.length === 0
      ? Effect.succeed([])
      : Effect.flatMap(
          sql`
            SELECT frame_group AS ${sql("group")}, blob FROM search_order
            WHERE workspace = ${workspace} AND ${sql.in("frame_group", groups)}`,
          (rows) => Effect.orDie(decodeOrders(rows))
        ),
  writeOrder: (workspace, { group, first, last, earliest, latest, events, blob }) => sql`
    INSERT INTO search_order (workspace, frame_group, first, last, earliest, latest, events, blob)
    VALUES (${workspace}, ${group}, ${first}, ${last}, ${earliest}, ${latest}, ${events}, ${blob})
    ON CONFLICT (workspace, frame_group) DO UPDATE
      SET first = excluded.first, last = excluded.last, earliest = excluded.earliest,
        latest = excluded.latest, events = excluded.events, blob = excluded.blob`,
  dropOrder: (workspace, group) => sql`
    DELETE FROM search_order WHERE workspace = ${workspace} AND frame_group = ${group}`,
  writeMoments: (workspace, { number, earliest, latest }) => sql`
    UPDATE search_frame SET earliest = ${earliest}, latest = ${latest}
    WHERE workspace = ${workspace} AND number = ${number}`
})
