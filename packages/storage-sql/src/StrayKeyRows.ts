/** Which idempotency keys are stray, given the queries of a database. */
import { STRAY_KEYS_A_LOOK, type StrayKeyPage } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeEvents } from "./InboxRows.ts"
import { inBatches } from "./RowBatches.ts"

const decodeKeys = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, event_id: Schema.String, accepted_at: Schema.Number }))
)
const decodeWaiting = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ events: Schema.String })))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

/**
 * The client for keys and waiting events, and the client for the log: the same if both are in one database.
 */
export interface StrayKeyPlace {
  readonly inbox: SqlClient.SqlClient
  readonly log: SqlClient.SqlClient
  /** The workspace's number. */
  readonly workspace: number
}

/**
 * Checks the keys after a given one. The log is read once more at the end: events move from the inbox to the
 * log, and not back.
 */
export const findStrayKeys = Effect.fnUntraced(function* (
  { inbox, log, workspace }: StrayKeyPlace,
  after: string | null
) {
  const beyond =
    after === null ? inbox`workspace = ${workspace}` : inbox`workspace = ${workspace} AND key > ${after}`
  const keys = inbox`
    SELECT key, event_id, accepted_at FROM idempotency_key WHERE ${beyond} ORDER BY key LIMIT ${STRAY_KEYS_A_LOOK}`
  const rows = yield* Effect.flatMap(keys, decodeKeys)
  const last = rows.at(-1)
  const next = last === undefined || rows.length < STRAY_KEYS_A_LOOK ? null : last.key
  const absent = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const found = new Set<string>()
    for (const batch of inBatches(ids)) {
      const there = yield* log`SELECT id FROM event WHERE workspace = ${workspace} AND ${log.in("id", batch)}`
      for (const { id } of yield* decodeIds(there)) found.add(id)
    }
    return ids.filter((id) => !found.has(id))
  })
  const missing = yield* absent(rows.map(({ event_id }) => event_id))
  if (missing.length === 0) return { stray: [], next } satisfies StrayKeyPage
  const waiting = inbox`
    SELECT events FROM inbox WHERE workspace = ${workspace}
    UNION ALL SELECT events FROM parked WHERE workspace = ${workspace}`
  const held = new Set<string>()
  for (const { events } of yield* Effect.flatMap(waiting, decodeWaiting))
    for (const { id } of decodeEvents(events)) held.add(id)
  const nowhere = new Set(yield* absent(missing.filter((id) => !held.has(id))))
  const stray = rows
    .filter(({ event_id }) => nowhere.has(event_id))
    .map(({ key, event_id, accepted_at }) => ({ key, eventId: event_id, acceptedAt: accepted_at }))
  return { stray, next } satisfies StrayKeyPage
})
