/** From the event of a caller to the line that waits, is sent and is sent again, and never changes. */
import { EventRefusedError } from "./Errors.ts"
import { joined } from "./Joined.ts"
import type { PreparedEvent } from "./Prepared.ts"
import type { EventInput } from "./Types.ts"
import { uuid7 } from "./Uuid7.ts"

/** Most bytes of one event, as the service takes it. */
export const MAX_EVENT_BYTES = 256 * 1024

/** What an event goes through on its way. */
export interface Preparation {
  /** Members that every event has which has none of its own, such as the actor of the running request. */
  readonly context?: (() => Partial<EventInput> | undefined) | undefined
  /** Gives a copy without secrets. */
  readonly redact?: ((event: object) => object) | undefined
}

const utf8 = new TextEncoder()

const refuse = (field: string, message: string): never => {
  throw new EventRefusedError({
    error: "validation_failed",
    message: `${field} ${message}`,
    errors: [{ field, message }]
  })
}

const isFilled = (value: unknown): value is string => typeof value === "string" && value !== ""

/**
 * The event as it is sent. Its idempotency key and its `occurred_at` are set before anything else, unless it
 * has them, so that they stay the same however often and however late it is sent. What the caller changes in
 * its object afterwards changes nothing.
 *
 * @throws EventRefusedError for what the service would never take: no `actor_id` or `action`, values without
 *   JSON, more than 256 KiB.
 */
export const prepareEvent = (event: EventInput, preparation: Preparation = {}): PreparedEvent => {
  const now = Date.now()
  const made = uuid7(now)
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    return refuse("event", "must be an object")
  }
  const context = preparation.context?.()
  // JSON leaves out what is undefined by itself.
  const whole: Record<string, unknown> = context === undefined ? { ...event } : joined(context, event)
  for (const field of ["actor_id", "action"] as const) {
    if (!isFilled(whole[field])) refuse(field, "is missing: it must be a text that is not empty")
  }
  const key = isFilled(whole.idempotency_key) ? whole.idempotency_key : made
  whole.idempotency_key = key
  whole.occurred_at ??= new Date(now).toISOString()
  let json: string
  try {
    json = JSON.stringify(preparation.redact?.(whole) ?? whole)
  } catch (error) {
    return refuse("event", `has no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (json.length * 3 > MAX_EVENT_BYTES && utf8.encode(json).length > MAX_EVENT_BYTES) {
    refuse("event", `has more than ${MAX_EVENT_BYTES / 1024} KiB`)
  }
  return { key, json }
}
