/**
 * The event body as clients send it: its shape and limits.
 *
 * An unknown member is an error, because a typo in an append-only log cannot be mended; so is a known one of
 * the wrong type or beyond its limit. `null` counts as omitted.
 */
import { Schema } from "effect"
import { ADDRESS_FORM } from "../encoding/AddressForm.ts"
import * as Micros from "../encoding/Micros.ts"
import { TIME_FORM_FROM_YEAR_ONE } from "../encoding/TimeForm.ts"
import { OWN_PREFIX, readsAsOwn } from "./OwnAction.ts"
import { hasAtMost } from "./TextFault.ts"

/** Most characters (Unicode code points) of an identifier, a type, an action or a key. */
export const MAX_IDENTIFIER = 256
/** Most characters of a name. */
export const MAX_NAME = 1024
/** Most bytes of `metadata` as canonical JSON in UTF-8. */
export const MAX_METADATA_BYTES = 64 * 1024
/** Most nested objects and arrays in `metadata`, itself included. */
export const MAX_METADATA_DEPTH = 32
/** Most targets of one event. */
export const MAX_TARGETS = 100
/** Most bytes of one event body. */
export const MAX_EVENT_BYTES = 256 * 1024
/** Most events of one batch. */
export const MAX_BATCH = 100

/** A text without U+0000. */
const WITHOUT_NUL = "^[^\\u0000]*$"

/** The check as JSON Schema, whose `maxLength` also counts code points. */
const inJsonSchema = (fragment: object) => ({ toJsonSchema: () => ({ ...fragment }) })

const Identifier = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      if (!hasAtMost(text, MAX_IDENTIFIER)) return `must have at most ${MAX_IDENTIFIER} characters`
      if (!text.isWellFormed()) return "must be well-formed Unicode, without lone surrogates"
      return text.includes("\0") ? "must not contain U+0000" : undefined
    },
    inJsonSchema({ maxLength: MAX_IDENTIFIER, pattern: WITHOUT_NUL })
  )
)

const RequiredIdentifier = Identifier.check(
  Schema.makeFilter(
    (text: string) => (text === "" ? "must not be empty" : undefined),
    inJsonSchema({ minLength: 1 })
  )
)

const Name = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      if (!hasAtMost(text, MAX_NAME)) return `must have at most ${MAX_NAME} characters`
      return text.isWellFormed() ? undefined : "must be well-formed Unicode, without lone surrogates"
    },
    inJsonSchema({ maxLength: MAX_NAME })
  )
)

const Metadata = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: `Any JSON object of at most ${MAX_METADATA_BYTES / 1024} KiB and ${MAX_METADATA_DEPTH} levels`
})

/** 0001-01-01T00:00:00Z. Not every reader of a page can read the year 0: Python's `datetime` cannot. */
const YEAR_ONE: Micros.Micros = -62_135_596_800 * Micros.SECOND

/** Whether an event may have occurred at this time: a text that is a time, in UTC of the years 1 to 9999. */
export const isOccurrence = (text: string): boolean =>
  (Micros.parse(text) ?? Number.NEGATIVE_INFINITY) >= YEAR_ONE

const OCCURRENCE =
  "must be an ISO 8601 date or date-time of the years 1 to 9999 in UTC, with hours to 23 and seconds to 59"

const Timestamp = Schema.String.annotate({
  pattern: TIME_FORM_FROM_YEAR_ONE,
  description:
    "ISO 8601 date or date-time of the years 1 to 9999 in UTC; at most six fractional digits are kept"
}).check(Schema.makeFilter((text: string) => (isOccurrence(text) ? undefined : OCCURRENCE)))

const Integer = Schema.Number.check(
  // A larger number could be the result of rounding, and `Event` could not hold it.
  Schema.makeFilter((value: number) =>
    Number.isSafeInteger(value) ? undefined : "must be an integer between -2^53 and 2^53, both excluded"
  )
).annotate({ description: "An integer between -2^53 and 2^53, both excluded" })

const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ description }))

/** A target as clients send it. */
export const TargetInput = Schema.Struct({
  type: RequiredIdentifier.annotate({ description: "The target's type, such as `user`" }),
  id: optional(Identifier, "The target's id in your system"),
  name: optional(Name, "The target's name at this time"),
  metadata: optional(Metadata, "Whatever else is to be said of it")
}).annotate({ identifier: "TargetInput", description: "Something else that the action touches" })

/**
 * Actions that have a meaning for verification. Only the operation that such an action records writes it, in
 * the same transaction.
 */
export const RESERVED_ACTIONS: ReadonlySet<string> = new Set([
  "cairn.chain.started",
  "cairn.retention.applied",
  "cairn.event.erased"
])

const Action = RequiredIdentifier.check(
  Schema.makeFilter(
    (action: string) =>
      readsAsOwn(action) ? `must not begin with ${OWN_PREFIX}, which is the service's own` : undefined,
    inJsonSchema({ not: { pattern: "^cairn\\." } })
  )
)

const OwnAction = RequiredIdentifier.check(
  Schema.makeFilter((action: string) =>
    action.startsWith(OWN_PREFIX) && !RESERVED_ACTIONS.has(action)
      ? undefined
      : `must begin with ${OWN_PREFIX} and have no meaning to verification`
  )
)

/** A key that no event of the service's own has: else a client could take its place beforehand. */
const IdempotencyKey = Identifier.check(
  Schema.makeFilter(
    (key: string) =>
      key.startsWith(OWN_PREFIX)
        ? `must not begin with ${OWN_PREFIX}, as the keys of the service's own events do`
        : undefined,
    inJsonSchema({ not: { pattern: "^cairn\\." } })
  )
)

/** The body of `POST /api/v1/events`. */
export const EventInput = Schema.Struct({
  actor_id: RequiredIdentifier.annotate({ description: "Who acts: the actor's id in your system" }),
  actor_name: optional(Name, "The actor's name at this time"),
  actor_type: optional(Identifier, "Usually `user`, `system` or `api_client`"),
  action: Action.annotate({
    description: "What is done, typically `resource.verb`; `cairn.` begins the service's own actions"
  }),
  action_category: optional(Identifier, "A kind of action by which to group, such as `authentication`"),
  resource_id: optional(Identifier, "The id of what is acted on, in your system"),
  resource_name: optional(Name, "Its name at this time"),
  resource: optional(Identifier, "Its type, such as `invoice`"),
  metadata: optional(Metadata, "Whatever else is to be said of the event"),
  targets: optional(
    Schema.Array(TargetInput).check(
      Schema.makeFilter(
        (targets: ReadonlyArray<unknown>) =>
          targets.length > MAX_TARGETS ? `must have at most ${MAX_TARGETS} items` : undefined,
        inJsonSchema({ maxItems: MAX_TARGETS })
      )
    ),
    "What else the action touches"
  ),
  occurred_at: optional(Timestamp, "When it happened; when it is recorded, unless given"),
  session_id: optional(Identifier, "The session in which the actor acts"),
  tenant_id: optional(Identifier, "The customer of yours that the event belongs to"),
  idempotency_key: optional(
    IdempotencyKey,
    "Events that share a key are recorded once; give one to repeat a request without harm. `cairn.` begins the keys of the service's own events"
  ),
  version: optional(Integer, "The version of the event's form, as you count it"),
  ip_address: optional(
    Schema.String.annotate({ pattern: ADDRESS_FORM }),
    "IPv4 or IPv6 address of the end user, for callers that act on their behalf; used for `ip_country` and `ip_city`, then dropped"
  )
}).annotate({
  identifier: "EventInput",
  description: "An event as a client sends it; null counts as left out"
})
/** A body that passed every check. */
export type EventInput = typeof EventInput.Type

/**
 * The body of an event that the service writes by itself: the same, except that its action begins with
 * `cairn.`, and so may its idempotency key.
 */
export const OwnEventInput = Schema.Struct({
  ...EventInput.fields,
  action: OwnAction,
  idempotency_key: Schema.optionalKey(Schema.NullOr(Identifier))
})

/** The body of `POST /api/v1/events/batch`. */
export const BatchInput = Schema.Struct({
  events: Schema.Array(EventInput).annotate({
    description: `1 to ${MAX_BATCH} events`,
    minItems: 1,
    maxItems: MAX_BATCH
  })
}).annotate({ identifier: "BatchInput", description: "Events that are recorded in this order" })
