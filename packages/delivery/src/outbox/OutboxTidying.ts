/**
 * Housekeeping of the outbox: corrects due times that a clock running ahead has set, and removes old
 * deliveries.
 */

import { Micros } from "@cairn/core/encoding"
import type { ClockAhead, ClockGuard, StorageUnavailable } from "@cairn/core/log"
import type { Outbox } from "@cairn/core/outbound"
import { Effect } from "effect"

/** Deliveries are kept for thirty days. */
const KEPT: Micros.Micros = 30 * Micros.DAY
const TIDY_EVERY: Micros.Micros = 3_600 * Micros.SECOND

/** The tidying of one worker. */
export interface OutboxTidying {
  /**
   * Tidies at the start, once the clock is back after it ran ahead, and every hour. Fails while the clock
   * runs ahead.
   */
  readonly tidy: Effect.Effect<void, StorageUnavailable | ClockAhead>
  /** Logs that nothing is sent while the clock runs ahead, once. */
  readonly noteAhead: (ahead: ClockAhead) => Effect.Effect<void>
}

const tidyUp = Effect.fnUntraced(function* (outbox: Outbox["Service"], now: Micros.Micros) {
  const hastened = yield* outbox.hasten(now)
  if (hastened > 0) {
    yield* Effect.logWarning("Messages that a clock running ahead had delayed are sent now").pipe(
      Effect.annotateLogs({ messages: hastened })
    )
  }
  yield* outbox.prune(now - KEPT)
})

/** The tidying of a worker that begins. */
export const makeOutboxTidying = (outbox: Outbox["Service"], clock: ClockGuard["Service"]): OutboxTidying => {
  let tidiedAt: Micros.Micros | null = null
  let isAhead = false
  return {
    tidy: Effect.gen(function* () {
      const now = yield* clock.now
      if (!isAhead && tidiedAt !== null && Math.abs(now - tidiedAt) < TIDY_EVERY) return
      yield* tidyUp(outbox, now)
      isAhead = false
      tidiedAt = now
    }),
    noteAhead: ({ aheadSeconds }) =>
      Effect.suspend(() => {
        if (isAhead) return Effect.void
        isAhead = true
        return Effect.logWarning("The clock runs ahead: nothing is sent until it is correct").pipe(
          Effect.annotateLogs({ aheadSeconds })
        )
      })
  }
}
