/** A clock that a test moves by hand, its wall clock and its monotonic one together or apart. */
import type { Micros } from "@cairn/core/encoding"
import { Clock, Effect, Layer } from "effect"

/** The hands of the clock. */
export interface ManualClock {
  readonly clock: Clock.Clock
  /** Time passes: both hands move. */
  readonly advance: (micros: Micros.Micros) => void
  /** Someone sets the wall clock, ahead or back: the monotonic one does not notice. */
  readonly leap: (micros: Micros.Micros) => void
}

/**
 * A clock that stands at `start`, in microseconds since the epoch, until it is moved. Sleeping on it takes no
 * time.
 */
export const manualClock = (start: Micros.Micros): ManualClock => {
  let wall = BigInt(start) * 1_000n
  let monotonic = 0n
  const millis = () => Number(wall / 1_000_000n)
  return {
    clock: {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: () => wall,
      currentTimeNanos: Effect.sync(() => wall),
      monotonicTimeNanosUnsafe: () => monotonic,
      monotonicTimeNanos: Effect.sync(() => monotonic),
      sleep: () => Effect.void
    },
    advance: (micros) => {
      wall += BigInt(micros) * 1_000n
      monotonic += BigInt(micros) * 1_000n
    },
    leap: (micros) => {
      wall += BigInt(micros) * 1_000n
    }
  }
}

/** Puts a manual clock in place of the runtime's. */
export const layerManualClock = ({ clock }: ManualClock) => Layer.succeed(Clock.Clock, clock)
