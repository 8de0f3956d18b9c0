/** What is metered of anchoring. */
import { Clock, Effect, Option } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { LOG_METRICS } from "../log/metric/Families.ts"
import { Meters } from "../log/metric/Meters.ts"
import type { AnchorsShape } from "./Anchors.ts"

/** Least microseconds between two looks for what other processes have confirmed. */
const LOOK_EVERY: Micros.Micros = 5 * Micros.MINUTE

/** Makes the meters. */
export const makeAnchorMeters = Effect.fnUntraced(function* ({ newestConfirmed }: AnchorsShape) {
  const meters = yield* Meters
  const clock = yield* Clock.Clock
  const step = (name: "closed" | "created" | "submitted" | "confirmed") =>
    meters.counter(LOG_METRICS.anchors, { step: name })
  const [closed, created, submitted, confirmed] = [
    step("closed"),
    step("created"),
    step("submitted"),
    step("confirmed")
  ]
  const now = () => Micros.fromMillis(clock.currentTimeMillisUnsafe())
  let newest: Micros.Micros | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  meters.observed(LOG_METRICS.anchorAge, () =>
    newest === undefined ? undefined : Math.max(0, now() - newest) / Micros.SECOND
  )
  return {
    /** So many periods were closed, anchors created of them, or anchors submitted. */
    closed: (count: number): void => closed.add(count),
    created: (count: number): void => created.add(count),
    submitted: (count: number): void => submitted.add(count),
    /** So many anchors are confirmed. */
    confirmed: (count: number): void => {
      confirmed.value += count
      lookedAt = Number.NEGATIVE_INFINITY
    },
    /** Looks now and then for the newest anchor. */
    look: Effect.gen(function* () {
      if (Math.abs(now() - lookedAt) < LOOK_EVERY) return
      lookedAt = now()
      newest = Option.getOrUndefined(yield* newestConfirmed)
    })
  }
})
