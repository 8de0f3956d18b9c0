/** What becomes of a message after an attempt. */

import { Micros } from "@cairn/core/encoding"
import {
  type ClaimedDelivery,
  type DeliveryAttempt,
  nextAttempt,
  type Settlement
} from "@cairn/core/outbound"
import { Effect, Random } from "effect"

/** No answer after so many milliseconds is silence; less is a receiver that is not there, which costs nobody a place. */
export const SILENCE = 1_000

/** What came of an attempt. */
export interface DeliveryOutcome {
  readonly settlement: Settlement
  /** Whether the receiver took its time and then said nothing; one that answers, however slowly, or refuses at once, is not silent. */
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

/** The settlement of an attempt that came to nothing before it began. */
export const notAttempted = Effect.fnUntraced(function* (delivery: ClaimedDelivery, error: string) {
  const started_at = yield* Micros.now
  return yield* retryLater(delivery, { started_at, duration: 0, status: null, answer: "", error }, null)
})
