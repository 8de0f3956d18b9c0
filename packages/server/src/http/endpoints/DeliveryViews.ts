/** What was sent, as clients see it, and tests that are waited for. */
import type { AttemptView, DeliveryView } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import type { Delivery, DeliveryAttempt, DeliveryReader } from "@cairn/core/outbound"
import { Duration, Effect, Option } from "effect"

/** A time as clients see it. */
export const moment = (micros: number | null): string | null =>
  micros === null ? null : Micros.format(micros)

/** A delivery as clients see it. */
export const deliveryView = (delivery: Delivery): DeliveryView => ({
  id: delivery.id,
  channel: delivery.channel,
  target: delivery.target,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: moment(delivery.dueAt),
  created_at: Micros.format(delivery.createdAt)
})

/** What went wrong, for those who may see it; others see that something did. */
export const shownFault = <A extends string | null>(error: A, maySee: boolean): A | string =>
  maySee || error === null ? error : "it failed; your role does not see why"

/**
 * An attempt as clients see it. What a receiver answers, and how it fails, may name what is secret; it is for
 * those who may send there.
 */
export const attemptView = (
  { started_at, duration, status, answer, error }: DeliveryAttempt,
  maySend: boolean
): AttemptView => ({
  started_at: Micros.format(started_at),
  duration_ms: duration,
  status,
  answer: maySend ? answer : "",
  error: shownFault(error, maySend)
})

/** Between two looks at whether a test was attempted. */
const LOOK_EVERY = Duration.millis(200)

/** The delivery once it was attempted. */
const attempted = Effect.fnUntraced(function* (
  deliveries: DeliveryReader["Service"],
  workspaceId: string,
  id: string
) {
  while (true) {
    const found = yield* deliveries.get(workspaceId, id)
    if (Option.isSome(found) && found.value.attempts.length > 0) return found.value
    yield* Effect.sleep(LOOK_EVERY)
  }
})

/** A test, and what its receiver answered within `wait` seconds. */
export const testView = Effect.fnUntraced(function* (
  deliveries: DeliveryReader["Service"],
  workspaceId: string,
  sent: Delivery,
  wait: number
) {
  const came = yield* attempted(deliveries, workspaceId, sent.id).pipe(
    Effect.timeoutOption(Duration.seconds(wait))
  )
  const { delivery, attempts } = Option.getOrElse(came, () => ({ delivery: sent, attempts: [] }))
  const [attempt] = attempts
  return {
    ...deliveryView(delivery),
    ...(attempt === undefined ? {} : { attempt: attemptView(attempt, true) })
  }
  // The test is recorded and sent; nobody need wait for a client that has gone away.
}, Effect.interruptible)
