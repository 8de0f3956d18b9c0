/** How long ago something was last done. */
import { Clock, Effect } from "effect"
import { Meters, type MetricFamily } from "./Meters.ts"

/** Makes the gauge of a family, absent until the thing was done; what is returned says that it is. */
export const makeAgeMeter = Effect.fnUntraced(function* (family: MetricFamily) {
  const meters = yield* Meters
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000_000
  let doneAt: number | undefined
  meters.observed(family, () => (doneAt === undefined ? undefined : now() - doneAt))
  return (): void => {
    doneAt = now()
  }
})
