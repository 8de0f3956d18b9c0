/** Makes the exports that wait, and removes the files of those that have expired. */

import { ExportMaker } from "@cairn/core/export"
import { ClockGuard, makeRoundIncident } from "@cairn/core/log"
import { Effect } from "effect"

/** Pause before the next look when nothing waits. */
const LOOK_EVERY = "500 millis"
/** Exports that a process makes at once, so that a long one does not delay a short one. */
const CONCURRENCY = 2
/** Between two clean-ups. */
const CLEAN_UP_EVERY = "1 minute"
/** Rest after a failure. */
const FAILURE_REST = "1 second"

/** Never ends. */
export const exportLoop = Effect.gen(function* () {
  const maker = yield* ExportMaker
  const clock = yield* ClockGuard
  /**
   * By a clock that runs ahead, every event would have left the retention window and every file would have
   * expired.
   */
  const onTime = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.flatMap(Effect.isSuccess(clock.now), (trusted) =>
      trusted ? Effect.asVoid(effect) : Effect.sleep(LOOK_EVERY)
    )
  const make = onTime(
    Effect.flatMap(maker.advance, (made) => (made ? Effect.yieldNow : Effect.sleep(LOOK_EVERY)))
  )
  const making = yield* makeRoundIncident({
    begins: "Exports could not be made; trying again",
    over: "Exports are made again"
  })
  const removing = yield* makeRoundIncident({
    begins: "Expired exports could not be removed; trying again",
    over: "Expired exports are removed again"
  })
  const rest = Effect.sleep(FAILURE_REST)
  const makers = Array.from({ length: CONCURRENCY }, () => Effect.forever(making.around(make, rest)))
  const cleaner = Effect.forever(
    Effect.andThen(removing.around(onTime(maker.cleanUp), rest), Effect.sleep(CLEAN_UP_EVERY))
  )
  return yield* Effect.all([...makers, cleaner], { concurrency: "unbounded", discard: true })
})
