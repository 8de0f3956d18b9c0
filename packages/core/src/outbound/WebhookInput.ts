/** The bodies that create and change a webhook. */
import { Schema } from "effect"
import { MAX_NAME } from "../event/EventInput.ts"
import { nameText } from "../event/TextSchema.ts"
import { OUTBOUND_EVENT_TYPES } from "./OutboundEvent.ts"

/** The types that a webhook can subscribe to; by default all. */
export const WEBHOOK_TYPES = OUTBOUND_EVENT_TYPES.filter((type) => type !== "webhook.test")

/** Most characters of a URL. */
export const MAX_URL = 2_048

const Type = Schema.Literals(WEBHOOK_TYPES)

const Url = Schema.String.annotate({
  description: "Where messages go, `https://…`",
  format: "uri",
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?:",
  maxLength: MAX_URL
})

const Description = Schema.optionalKey(
  Schema.NullOr(nameText({ least: 0, most: MAX_NAME })).annotate({
    description: "What it is for, in your words; null for nothing"
  })
)

const Types = Schema.optionalKey(
  Schema.Array(Type)
    .check(Schema.isMinLength(1, { expected: `a list of 1 to ${WEBHOOK_TYPES.length} types` }))
    .annotate({ description: "The types of messages that it gets" })
)

const Enabled = Schema.Boolean.annotate({
  description: "Whether it is sent anything; it is unless said otherwise"
})

/** A new webhook; without `types` it gets all of them. */
export const WebhookInput = Schema.Struct({
  url: Url,
  description: Description,
  types: Types,
  enabled: Schema.optionalKey(Schema.NullOr(Enabled))
}).annotate({
  identifier: "WebhookInput",
  description: "A new webhook; without `types` it gets messages of every type"
})
export type WebhookInput = typeof WebhookInput.Type

/**
 * A change of a webhook. Omitted fields are not changed, and null removes a description. Of `types` give the
 * whole list.
 */
export const WebhookPatch = Schema.Struct({
  url: Schema.optionalKey(Url),
  description: Description,
  types: Types,
  enabled: Schema.optionalKey(Enabled)
}).annotate({
  identifier: "WebhookPatch",
  description: "What to change of a webhook; fields that are left out stay. Of `types` give the whole list"
})
export type WebhookPatch = typeof WebhookPatch.Type
