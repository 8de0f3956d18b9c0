/** Which idempotency keys are stray, given the queries of a database. */
import { STRAY_KEYS_A_LOOK, type StrayKeyPage } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeEvents } from "./InboxRows.ts"
import { type KeyRow, readKeyRows } from "./KeyRows.ts"
import { inBatches } from "./RowBatches.ts"

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
 * Those of some keys that are stray. The log is read once more at the end: events move from the inbox to the
 * log, and not back.
 */
export const strayAmong = Effect.fnUntraced(function* (
  { inbox, log, workspace }: StrayKeyPlace,
  rows: ReadonlyArray<KeyRow>
) {
  const absent = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const found = new Set<string>()
    for (const batch of inBatches(ids)) {
      const there = yield* log`SELECT id FROM event WHERE workspace = ${workspace} AND ${log.in("id", batch)}`
      for (const { id } of yield* decodeIds(there)) found.add(id)
    }
    return ids.filter((id) => !found.has(id))
  })
  const missing = yield* absent(rows.map(({ eventId }) => eventId))
  if (missing.length === 0) return []
  const waiting = inbox`
    SELECT events FROM inbox WHERE workspace = ${workspace}
    UNION ALL SELECT events FROM parked WHERE workspace = ${workspace}`
  const held = new Set<string>()
  for (const { events } of yield* Effect.flatMap(waiting, decodeWaiting))
    for (const { id } of decodeEvents(events)) held.add(id)
  const nowhere = new Set(yield* absent(missing.filter((id) => !held.has(id))))
  return rows.filter(({ eventId }) => nowhere.has(eventId))
})

/** Checks the keys after a hash; the empty text is before all. */
export const findStrayKeys = Effect.fnUntraced(function* (place: StrayKeyPlace, after: string) {
  const rows = yield* readKeyRows(place.inbox, place.workspace, after)
  const last = rows.at(-1)
  const next = last === undefined || rows.length < STRAY_KEYS_A_LOOK ? null : last.keyHash
  return { stray: yield* strayAmong(place, rows), next } satisfies StrayKeyPage
})
