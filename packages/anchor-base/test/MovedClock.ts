/** A clock that goes by itself, and that a test moves ahead where it would otherwise wait. */
import type { Micros } from "@cairn/core/encoding"
import { Clock, Context, Effect, Layer } from "effect"

/** Moves the clock. */
export class MovedClock extends Context.Service<
  MovedClock,
  {
    /** Time passes: the wall clock and the monotonic one move. */
    readonly advance: (micros: Micros.Micros) => Effect.Effect<void>
  }
>()("@cairn/anchor-base/test/MovedClock") {
  /** Puts a clock that can be moved in place of the one beneath it. Sleeping on it takes real time. */
  static readonly layer = Layer.effectContext(
    Effect.map(Clock.Clock, (beneath) => {
      let ahead = 0n
      const millis = () => beneath.currentTimeMillisUnsafe() + Number(ahead / 1_000_000n)
      const nanos = () => beneath.currentTimeNanosUnsafe() + ahead
      const monotonic = () => beneath.monotonicTimeNanosUnsafe() + ahead
      const clock: Clock.Clock = {
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: monotonic,
        monotonicTimeNanos: Effect.sync(monotonic),
        sleep: (duration) => beneath.sleep(duration)
      }
      const advance = (micros: Micros.Micros) =>
        Effect.sync(() => {
          ahead += BigInt(micros) * 1_000n
        })
      return Context.make(MovedClock, { advance }).pipe(Context.add(Clock.Clock, clock))
    })
  )
}
