/**
 * Notices a wall clock that leaps ahead. Such a clock would poison the head of every chain for good, because `created_at` never
 * goes back; one that stalls or steps back does no harm.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Micros } from "./Micros.ts"

/** The wall clock runs too far ahead of the time that has really passed. */
export class ClockAhead extends Schema.TaggedError<ClockAhead>()("ClockAhead", {
  /** How far, in seconds. */
  aheadSeconds: Schema.Number
}) {}

/** Beyond this the clock is not trusted. */
export const MAX_AHEAD_SECONDS = 60

/**
 * The wall clock, as long as it can be believed: it is held against the process's own monotonic clock, from the moment the
 * layer was built. `now` fails until the clock has come back, or the process was restarted because the new time is right.
 */
export class ClockGuard extends Context.Service<
  ClockGuard,
  { readonly now: Effect.Effect<Micros, ClockAhead> }
>()("@cairn/core/ClockGuard") {
  static readonly layer = Layer.effect(
    ClockGuard,
    Effect.gen(function* () {
      const start = yield* Clock.clockWith((clock) =>
        Effect.sync(() => clock.currentTimeNanosUnsafe() - clock.monotonicTimeNanosUnsafe())
      )
      return ClockGuard.of({
        now: Clock.clockWith((clock) => {
          const wall = clock.currentTimeNanosUnsafe()
          const ahead = Number(wall - clock.monotonicTimeNanosUnsafe() - start) / 1e9
          return ahead > MAX_AHEAD_SECONDS
            ? Effect.fail(new ClockAhead({ aheadSeconds: Math.round(ahead) }))
            : Effect.succeed(Number(wall / 1000n))
        })
      })
    })
  )
}
