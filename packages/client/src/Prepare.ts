/** From the event of a caller to the line that waits, is sent and is sent again, and never changes. */
import { CairnError, EventRefusedError } from "./Errors.ts"
import { isRecord } from "./Http.ts"
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

const FILLED = "must be a text that is not empty"

/** A member as text. Some are there in any case, for {@link prepareEvent} has no event without them. */
const textOf = (event: Readonly<Record<string, unknown>>, field: string): string | undefined => {
  const value = event[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== "string" || value === "") refuse(field, FILLED)
  return value as string
}

/** Code of the event's own. What its exception says is not repeated: it may be what is to be redacted. */
const guarded = <A>(run: () => A): A => {
  try {
    return run()
  } catch {
    return refuse("event", "has no JSON: a cycle, a BigInt or code that throws")
  }
}

/** Half a surrogate pair, which JSON writes as an escape and no JSON may have (RFC 8259 section 8.2). */
const HALF = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g

/** With U+FFFD for each half of a surrogate pair: a text that was cut is no reason to lose the event. */
const wellFormed = (json: string): string =>
  json.includes("\\ud") ? json.replace(HALF, (part) => (part.length > 2 ? "\ufffd" : part)) : json

/**
 * The event as it is sent. Its idempotency key and its `occurred_at` are set before anything else, unless it
 * has them, so that they stay the same however often and however late it is sent; no context and no redaction
 * changes them, nor the actor's id and the action. What the caller changes in its object afterwards changes
 * nothing.
 *
 * @throws EventRefusedError for what the service would never take: no `actor_id` or `action`, values without
 *   JSON, more than 256 KiB.
 */
export const prepareEvent = (event: EventInput, preparation: Preparation = {}): PreparedEvent => {
  const now = Date.now()
  const made = uuid7(now)
  if (!isRecord(event)) return refuse("event", "must be an object")
  // Of its context neither a key nor a time. JSON leaves out `undefined`.
  const { idempotency_key: _, occurred_at: __, ...around } = preparation.context?.() ?? {}
  const whole = guarded(() => joined(around, event))
  const key = whole.idempotency_key === "" ? made : (textOf(whole, "idempotency_key") ?? made)
  const kept: Record<string, unknown> = {
    idempotency_key: key,
    occurred_at: whole.occurred_at ?? new Date(now).toISOString()
  }
  for (const field of ["actor_id", "action"]) {
    kept[field] = textOf(whole, field) ?? refuse(field, FILLED)
  }
  const sent = { ...whole, ...kept }
  const json = wellFormed(guarded(() => JSON.stringify({ ...(preparation.redact?.(sent) ?? sent), ...kept })))
  if (json.length * 3 > MAX_EVENT_BYTES && utf8.encode(json).length > MAX_EVENT_BYTES) {
    refuse("event", `has more than ${MAX_EVENT_BYTES / 1024} KiB`)
  }
  return { key, json }
}

/**
 * The context, which costs no event: where it throws, or gives something that is no object, such as a
 * promise, its members are left out, and `report` hears why.
 */
export const harmlessContext =
  (
    context: Preparation["context"],
    report: (error: CairnError) => void
  ): NonNullable<Preparation["context"]> =>
  () => {
    try {
      const fields: unknown = context?.() ?? {}
      if (isRecord(fields) && !("then" in fields)) return { ...fields }
      // One that is rejected would end the process.
      Promise.resolve(fields).catch(() => {})
      throw new TypeError("it gave no object")
    } catch (cause) {
      report(new CairnError(`the context failed: ${String(cause)}`, { cause }))
      return undefined
    }
  }
