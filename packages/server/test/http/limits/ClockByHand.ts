/** A clock that a test moves, beneath limiters that wait real time for what a database answers. */
import { layerManualClock, type ManualClock, manualClock } from "@cairn/testing"
import { Clock, Effect } from "effect"

/** Runs a test beside a clock that stands until the test moves it. Sleeping on it takes real time. */
export const withClockByHand = <A, E, R>(
  test: (clock: ManualClock) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const beneath = yield* Clock.Clock
    const hands = manualClock(0)
    const sleep: Clock.Clock["sleep"] = (duration) => beneath.sleep(duration)
    const byHand = { ...hands, clock: { ...hands.clock, sleep } }
    return yield* test(byHand).pipe(Effect.provide(layerManualClock(byHand)))
  })
