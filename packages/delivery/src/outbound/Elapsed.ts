/** How long something has taken, by a clock that nobody sets. */
import { Clock, Effect } from "effect"

/** Begins to measure: what it answers says, each time that it is run, how many milliseconds have passed. */
export const startTimer: Effect.Effect<Effect.Effect<number>> = Effect.map(
  Clock.monotonicTimeNanos,
  (began) => Effect.map(Clock.monotonicTimeNanos, (now) => Number(now - began) / 1e6)
)
