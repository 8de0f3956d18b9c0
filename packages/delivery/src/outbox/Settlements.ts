/** What becomes of a message after an attempt. */

import { Micros } from "@cairn/core/encoding"
import {
  type ClaimedDelivery,
  type DeliveryAttempt,
  nextAttempt,
  type Settlement
} from "@cairn/core/outbound"
import { Effect, Random } from "effect"

/**
 * No response within this many milliseconds is *silence*. An attempt that fails faster occupies a place only
 * briefly.
 */
export const SILENCE = 1_000

/** What came of an attempt. */
export interface DeliveryOutcome {
  readonly settlement: Settlement
  /**
   * Whether the receiver kept the connection waiting without a response; one that responds slowly, or fails
   * at once, is not silent.
   */
  readonly silent: boolean
}

/** The settlement of a message of which no attempt is to be made. */
export const givenUp: Settlement = { attempt: null, status: "failed", dueAt: null }

/** The settlement of an attempt that failed and may be made again. */
export const retryLater = Effect.fnUntraced(function* (
  { attempts }: ClaimedDelivery,
  attempt: DeliveryAttempt,
  retryAfter: Micros.Micros | null
) {
  const endedAt = attempt.started_at + attempt.duration * 1_000
  const dueAt = nextAttempt({ attempts: attempts + 1, endedAt, retryAfter }, yield* Random.next)
  return { attempt, status: dueAt === null ? "failed" : "pending", dueAt } satisfies Settlement
})

/** The settlement of an attempt that failed before anything was sent. */
export const notAttempted = Effect.fnUntraced(function* (delivery: ClaimedDelivery, error: string) {
  const started_at = yield* Micros.now
  return yield* retryLater(delivery, { started_at, duration: 0, status: null, answer: "", error }, null)
})
