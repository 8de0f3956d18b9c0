/** Which idempotency keys are stray, over what a database can be asked. */
import { STRAY_KEYS_A_LOOK, type StrayKeyPage } from "@cairn/core"
import { Effect, Schema } from "effect"
import { decodeEvents } from "./InboxRows.ts"

const decodeKeys = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ key: Schema.String, event_id: Schema.String, accepted_at: Schema.Number }))
)
const decodeWaiting = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ events: Schema.String })))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

/** What is asked, each of one workspace. */
export interface StrayKeyQueries<E> {
  /** Rows of `key`, `event_id` and `accepted_at` after a key, in order, {@link STRAY_KEYS_A_LOOK} at most. */
  readonly keys: (after: string | null) => Effect.Effect<ReadonlyArray<unknown>, E>
  /** Rows of the `id`s of these that are in the log. */
  readonly inLog: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<unknown>, E>
  /** Rows of the `events` that wait or are parked. */
  readonly waiting: Effect.Effect<ReadonlyArray<unknown>, E>
}

/** Looks at the keys after one. The log is asked last once more: events move from the inbox to it, and not back. */
export const findStrayKeys = Effect.fnUntraced(function* <E>(
  { keys, inLog, waiting }: StrayKeyQueries<E>,
  after: string | null
) {
  const rows = yield* Effect.flatMap(keys(after), decodeKeys)
  const last = rows.at(-1)
  const next = last === undefined || rows.length < STRAY_KEYS_A_LOOK ? null : last.key
  const absent = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    if (ids.length === 0) return ids
    const found = new Set((yield* Effect.flatMap(inLog(ids), decodeIds)).map(({ id }) => id))
    return ids.filter((id) => !found.has(id))
  })
  const missing = yield* absent(rows.map(({ event_id }) => event_id))
  if (missing.length === 0) return { stray: [], next } satisfies StrayKeyPage
  const held = new Set<string>()
  for (const { events } of yield* Effect.flatMap(waiting, decodeWaiting))
    for (const { id } of decodeEvents(events)) held.add(id)
  const nowhere = new Set(yield* absent(missing.filter((id) => !held.has(id))))
  const stray = rows
    .filter(({ event_id }) => nowhere.has(event_id))
    .map(({ key, event_id, accepted_at }) => ({ key, eventId: event_id, acceptedAt: accepted_at }))
  return { stray, next } satisfies StrayKeyPage
})
