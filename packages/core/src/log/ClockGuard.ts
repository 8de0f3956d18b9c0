/**
 * Notices a wall clock that leaps ahead. Such a clock would poison the head of every chain for good, because
 * `created_at` never goes back; one that stalls or steps back does no harm.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { MINUTE, type Micros } from "../encoding/Micros.ts"
import { StoreClock } from "./StoreClock.ts"

/**
 * The wall clock runs too far ahead of the time that has really passed or, where a period is to be closed,
 * the log is dated too far after the clock.
 */
export class ClockAhead extends Schema.TaggedError<ClockAhead>()("ClockAhead", {
  /** How far, in seconds. */
  aheadSeconds: Schema.Number
}) {}

/** Beyond this the clock is not trusted. */
export const MAX_AHEAD_SECONDS = 60

/** A moment that lies so much further ahead than it can was noted by a clock that was wrong. */
export const CLOCK_SLACK: Micros = 5 * MINUTE

/** A moment by both clocks, in nanoseconds. The monotonic clock is one for all threads of a process. */
export const ClockReading = Schema.Struct({ wall: Schema.BigInt, monotonic: Schema.BigInt })
export type ClockReading = typeof ClockReading.Type

/** What both clocks say now. */
export const readClocks: Effect.Effect<ClockReading> = Clock.clockWith((clock) =>
  Effect.sync(() => ({ wall: clock.currentTimeNanosUnsafe(), monotonic: clock.monotonicTimeNanosUnsafe() }))
)

/** Given a reading of which the time is right, that time later, by the monotonic clock. In nanoseconds. */
const offsetOf =
  (clock: Clock.Clock, { wall, monotonic }: ClockReading): (() => bigint) =>
  () =>
    wall + clock.monotonicTimeNanosUnsafe() - monotonic

const guard = (clock: Clock.Clock, right: () => bigint) => {
  const now = Effect.suspend(() => {
    const wall = clock.currentTimeNanosUnsafe()
    const ahead = Number(wall - right()) / 1e9
    return ahead > MAX_AHEAD_SECONDS
      ? Effect.fail(new ClockAhead({ aheadSeconds: Math.round(ahead) }))
      : Effect.succeed(Number(wall / 1000n))
  })
  return ClockGuard.of({
    now,
    reckoned: Effect.catch(now, () => Effect.sync(() => Number(right() / 1000n)))
  })
}

/** How often a guard that can ask the store for the time does. */
const ASK_EVERY = "10 seconds"

/**
 * The wall clock, as long as it can be believed. `now` fails while it runs ahead, until it has come back, or
 * the process was restarted because the new time is right.
 */
export class ClockGuard extends Context.Service<
  ClockGuard,
  {
    readonly now: Effect.Effect<Micros, ClockAhead>
    /**
     * The same, and while the wall clock cannot be believed, what it should say: enough to read by, where a
     * clock that is ahead would hide what is there.
     */
    readonly reckoned: Effect.Effect<Micros>
  }
>()("@cairn/core/ClockGuard") {
  /** Held against the process's own monotonic clock, from the moment the layer was built. */
  static readonly layer = Layer.effect(
    ClockGuard,
    Effect.flatMap(readClocks, (begun) =>
      Clock.clockWith((clock) => Effect.succeed(guard(clock, offsetOf(clock, begun))))
    )
  )

  /**
   * Held against the same clock from a moment that another thread of the process has read, so that a thread
   * that begins later does not believe a clock that has leapt meanwhile.
   */
  static readonly layerSince = (begun: ClockReading) =>
    Layer.effect(
      ClockGuard,
      Clock.clockWith((clock) => Effect.succeed(guard(clock, offsetOf(clock, begun))))
    )

  /**
   * Held against the store's clock, which is asked every ten seconds; between, and while the store does not
   * answer, the monotonic clock carries its time on. Fails to build when the store does not answer at all.
   */
  static readonly layerAgainstStore = Layer.effect(
    ClockGuard,
    Effect.gen(function* () {
      const store = yield* StoreClock
      const clock = yield* Clock.Clock
      const ask = Effect.map(store.now, (micros) =>
        offsetOf(clock, { wall: BigInt(micros) * 1000n, monotonic: clock.monotonicTimeNanosUnsafe() })
      )
      let offset = yield* ask
      const learn = Effect.map(ask, (asked) => {
        offset = asked
      })
      yield* Effect.forkScoped(Effect.ignore(learn).pipe(Effect.delay(ASK_EVERY), Effect.forever))
      return guard(clock, () => offset())
    })
  )
}
