/** The bodies that create and change a webhook. */
import { Schema } from "effect"
import { OUTBOUND_EVENT_TYPES } from "./OutboundEvent.ts"

/** The types that a webhook can subscribe to; by default all. */
export const WEBHOOK_TYPES = OUTBOUND_EVENT_TYPES.filter((type) => type !== "webhook.test")

const Type = Schema.Literals(WEBHOOK_TYPES)

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Types = Schema.optionalKey(
  Schema.Array(Type)
    .check(Schema.isMinLength(1, { expected: `a list of 1 to ${WEBHOOK_TYPES.length} types` }))
    .annotate({ description: "What it is told of" })
)

/** A new webhook; without `types` it gets all of them. */
export const WebhookInput = Schema.Struct({
  url: Schema.String.annotate({ description: "`https://…`, at most 2,048 characters" }),
  description: optional(Schema.String),
  types: Types,
  enabled: optional(Schema.Boolean)
}).annotate({ identifier: "WebhookInput" })
export type WebhookInput = typeof WebhookInput.Type

/**
 * A change of a webhook. Omitted fields are not changed, and null removes a description. Of `types` give the
 * whole list.
 */
export const WebhookPatch = Schema.Struct({
  url: Schema.optionalKey(Schema.String),
  description: optional(Schema.String),
  types: Types,
  enabled: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "WebhookPatch" })
export type WebhookPatch = typeof WebhookPatch.Type
