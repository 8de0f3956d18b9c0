/** Elapsed time, by the monotonic clock. */
import { Clock, Effect } from "effect"

/** Starts a timer: the effect it returns gives the milliseconds since then, each time it is run. */
export const startTimer: Effect.Effect<Effect.Effect<number>> = Effect.map(
  Clock.monotonicTimeNanos,
  (began) => Effect.map(Clock.monotonicTimeNanos, (now) => Number(now - began) / 1e6)
)
