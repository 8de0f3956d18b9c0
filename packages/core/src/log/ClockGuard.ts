/**
 * Notices a wall clock that leaps ahead. Such a clock would permanently spoil the head of every chain,
 * because `created_at` never goes back. A clock that stalls or steps back does no harm.
 */
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { MINUTE, type Micros } from "../encoding/Micros.ts"
import { StoreClock } from "./StoreClock.ts"

/**
 * The wall clock is too far ahead of the time that has really passed. Or, when a period is to be closed, the
 * log's last date is too far ahead of the clock.
 */
export class ClockAhead extends Schema.TaggedError<ClockAhead>()("ClockAhead", {
  /** How far, in seconds. */
  aheadSeconds: Schema.Number
}) {}

/** Beyond this the clock is not trusted. */
export const MAX_AHEAD_SECONDS = 60

/** A recorded time that is ahead by more than this was recorded by a wrong clock. */
export const CLOCK_SLACK: Micros = 5 * MINUTE

/** One reading of both clocks, in nanoseconds. All threads of a process share the monotonic clock. */
export const ClockReading = Schema.Struct({ wall: Schema.BigInt, monotonic: Schema.BigInt })
export type ClockReading = typeof ClockReading.Type

/** Reads both clocks. */
export const readClocks: Effect.Effect<ClockReading> = Clock.clockWith((clock) =>
  Effect.sync(() => ({ wall: clock.currentTimeNanosUnsafe(), monotonic: clock.monotonicTimeNanosUnsafe() }))
)

/**
 * The present time in nanoseconds: the time of a trusted reading plus what the monotonic clock has advanced
 * since.
 */
const offsetOf =
  (clock: Clock.Clock, { wall, monotonic }: ClockReading): (() => bigint) =>
  () =>
    wall + clock.monotonicTimeNanosUnsafe() - monotonic

const guard = (clock: Clock.Clock, right: () => bigint) => {
  const read = (): Result.Result<Micros, ClockAhead> => {
    const wall = clock.currentTimeNanosUnsafe()
    const ahead = Number(wall - right()) / 1e9
    return ahead > MAX_AHEAD_SECONDS
      ? Result.fail(new ClockAhead({ aheadSeconds: Math.round(ahead) }))
      : Result.succeed(Number(wall / 1000n))
  }
  const now = Effect.suspend(() => Effect.fromResult(read()))
  return ClockGuard.of({
    now,
    read,
    reckoned: Effect.catch(now, () => Effect.sync(() => Number(right() / 1000n)))
  })
}

/** How often a guard asks the store for the time, where it can. */
const ASK_EVERY = "10 seconds"

/**
 * The wall clock, as long as it can be trusted. `now` fails while the clock is ahead, until it is correct
 * again, or until the process is restarted because the new time is right.
 */
export class ClockGuard extends Context.Service<
  ClockGuard,
  {
    readonly now: Effect.Effect<Micros, ClockAhead>
    /** `now` without an Effect; absent where the time is that of the fiber which asks. */
    readonly read?: () => Result.Result<Micros, ClockAhead>
    /**
     * The same, but while the wall clock cannot be trusted, the time that it should show. This is for
     * reading: a clock that is ahead would hide events.
     */
    readonly reckoned: Effect.Effect<Micros>
  }
>()("@cairn/core/ClockGuard") {
  /** Compares with the process's own monotonic clock, from the time the layer was built. */
  static readonly layer = Layer.effect(
    ClockGuard,
    Effect.flatMap(readClocks, (begun) =>
      Clock.clockWith((clock) => Effect.succeed(guard(clock, offsetOf(clock, begun))))
    )
  )

  /**
   * Compares with the same clock from a reading by another thread of the process, so that a thread that
   * begins later does not trust a clock that has leapt in the meantime.
   */
  static readonly layerSince = (begun: ClockReading) =>
    Layer.effect(
      ClockGuard,
      Clock.clockWith((clock) => Effect.succeed(guard(clock, offsetOf(clock, begun))))
    )

  /**
   * Compares with the store's clock, which is read every ten seconds. In between, and while the store cannot
   * be reached, the monotonic clock advances that time. The layer cannot be built if the store cannot be
   * reached.
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
