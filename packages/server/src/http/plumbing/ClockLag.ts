/** A clock that is behind what the logs hold, as after a machine was moved or its time was set wrong. */
import type { Micros } from "@cairn/core/encoding"
import { EventLog } from "@cairn/core/log"
import { Clock, Context, Effect, Layer } from "effect"

const MICROS = 1_000_000

/** How far the clock is behind. */
export class ClockLag extends Context.Service<
  ClockLag,
  {
    /** By how many seconds the clock is behind the newest time of the logs at the start; 0 if it is not. */
    readonly seconds: Effect.Effect<number>
  }
>()("@cairn/server/ClockLag") {
  /**
   * Reads the newest time once, when it is built, and warns if it is later than the clock. Until the clock
   * has caught up, new events are dated right after the newest one, a microsecond apart, since times in a log
   * never go back.
   */
  static readonly layer = Layer.effect(
    ClockLag,
    Effect.gen(function* () {
      const newest: Micros.Micros = yield* (yield* EventLog).newestTime
      const seconds = Effect.map(Clock.currentTimeMillis, (millis) =>
        Math.max(0, Math.ceil(newest / MICROS - millis / 1_000))
      )
      const behind = yield* seconds
      if (behind > 0) {
        yield* Effect.logWarning(
          `The clock is ${behind} seconds behind the newest record: until it has caught up, events are dated right after that`
        )
      }
      return ClockLag.of({ seconds })
    })
  )
}
