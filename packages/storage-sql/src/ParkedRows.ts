/** Parked requests, which could not be appended, when events in them must be removed. */
import type { Micros } from "@cairn/core/encoding"
import type { PendingEvent } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeEvents, encodeEvents } from "./InboxRows.ts"

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: Schema.Number, accepted_at: Schema.Number, events: Schema.String }))
)

/** The new text of the reason, which may have quoted a part of the request. */
const ERASED_REASON = "events of this request were removed since"

/**
 * Removes the given events, within a transaction of the database that holds `parked`, in which the caller
 * also frees their idempotency keys; returns what was removed. Costs reading every parked request of the
 * workspace; a healthy system has none.
 */
export const discardParked = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspace: number | string,
  unwanted: (event: PendingEvent, acceptedAt: Micros.Micros) => boolean
) {
  const found = yield* Effect.flatMap(
    sql`SELECT id, accepted_at, events FROM parked WHERE workspace = ${workspace}`,
    decodeRows
  )
  const discarded: Array<PendingEvent> = []
  for (const { id, accepted_at, events: text } of found) {
    const events = decodeEvents(text)
    const gone = events.filter((event) => unwanted(event, accepted_at))
    if (gone.length === 0) continue
    const rest = events.filter((event) => !gone.includes(event))
    const which = sql`workspace = ${workspace} AND id = ${id}`
    yield* rest.length === 0
      ? sql`DELETE FROM parked WHERE ${which}`
      : sql`
          UPDATE parked SET events = ${encodeEvents(rest)}, event_count = ${rest.length}, reason = ${ERASED_REASON}
          WHERE ${which}`
    discarded.push(...gone)
  }
  return discarded
})
