/** What deliveries are, for the components that show them. */
import type { Schemas } from "../../../data/Schemas.ts"

/** A delivery of a list. */
export type Delivery = Schemas["Delivery"]

/** An attempt at one. */
export type Attempt = Schemas["DeliveryAttempt"]

/** A test and what its receiver answered. */
export type TestDelivery = Schemas["TestDelivery"]

/** Milliseconds before its next attempt at which a delivery is looked at again and again. */
const SOON = 15_000

/**
 * Whether a delivery is about to change: it is being sent, or tried again within moments. One that waits for
 * hours is not.
 */
export const isMoving = (
  { status, next_attempt_at }: Pick<Delivery, "status" | "next_attempt_at">,
  now: number
): boolean => status === "pending" && (next_attempt_at === null || Date.parse(next_attempt_at) - now < SOON)

/** Whether it has failed at least once and is tried again later. */
export const isRetrying = ({ status, attempts }: Pick<Delivery, "status" | "attempts">): boolean =>
  status === "pending" && attempts > 0

/** What came of a test: taken, refused, no answer, or nothing yet. */
export const outcomeOf = ({
  status,
  attempt
}: Pick<TestDelivery, "status" | "attempt">): "accepted" | "refused" | "silent" | "unanswered" => {
  if (status === "delivered") return "accepted"
  if (attempt === undefined) return "unanswered"
  return attempt.status === null && attempt.error !== null ? "silent" : "refused"
}

/** A body to be read: JSON over several lines, anything else as it is. */
export const readable = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}
