/** How full the inbox is, as the database says: read by one reader of metrics at a time. */
import { Micros } from "@cairn/core/encoding"
import { Inbox, Meters } from "@cairn/core/log"
import { Clock, Effect, Option } from "effect"
import { singleFlight } from "../http/plumbing/SingleFlight.ts"
import { SERVER_METRICS } from "./ServerFamilies.ts"

interface Known {
  readonly depth: number
  /** When the oldest event was accepted; undefined while none waits. */
  readonly oldest: Micros.Micros | undefined
  /** Milliseconds of the monotonic clock. */
  readonly at: number
}

/** Puts the figures among the thread's meters; `read` reads them again, for as long as the database takes. */
export const makeInboxFigures = Effect.fnUntraced(function* (capacity: number) {
  const meters = yield* Meters
  const inbox = yield* Inbox
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  const began = now()
  let known: Known | undefined

  const look = Effect.gen(function* () {
    const oldest = Option.getOrUndefined(yield* inbox.oldest)
    const depth = yield* inbox.depth
    known = { depth, oldest, at: now() }
  }).pipe(Effect.ignore)
  const once = singleFlight<void, never>(scope)

  meters.observed(SERVER_METRICS.inboxCapacity, () => capacity)
  meters.observed(SERVER_METRICS.inboxEvents, () => known?.depth)
  meters.observed(SERVER_METRICS.inboxAge, () => {
    if (known === undefined) return undefined
    if (known.oldest === undefined) return 0
    const at = Micros.fromMillis(clock.currentTimeMillisUnsafe())
    return Math.max(0, (at - known.oldest) / Micros.SECOND)
  })
  meters.observed(SERVER_METRICS.sourceAge, () => (now() - (known?.at ?? began)) / 1_000, {
    source: "database"
  })
  return { read: once("inbox", look) }
})
