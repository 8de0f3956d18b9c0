/** What a webhook is made of, and changed by. */
import { Schema } from "effect"
import { OUTBOUND_EVENT_TYPES } from "./OutboundEvent.ts"

/** What a webhook can be told; unless it says otherwise it is told all of it. */
export const WEBHOOK_TYPES = OUTBOUND_EVENT_TYPES.filter((type) => type !== "webhook.test")

const Type = Schema.Literals(WEBHOOK_TYPES)

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Types = Schema.optionalKey(
  Schema.Array(Type).check(Schema.isMinLength(1)).annotate({ description: "What it is told of" })
)

/** What a new webhook should be; left out, `types` is all there are. */
export const WebhookInput = Schema.Struct({
  url: Schema.String.annotate({ description: "`https://…`, at most 2,048 characters" }),
  description: optional(Schema.String),
  types: Types,
  enabled: optional(Schema.Boolean)
}).annotate({ identifier: "WebhookInput" })
export type WebhookInput = typeof WebhookInput.Type

/**
 * What to change of a webhook; omitted fields stay, and null puts a default back. `types` has none: it names
 * what it is to be.
 */
export const WebhookPatch = Schema.Struct({
  url: Schema.optionalKey(Schema.String),
  description: optional(Schema.String),
  types: Types,
  enabled: optional(Schema.Boolean)
}).annotate({ identifier: "WebhookPatch" })
export type WebhookPatch = typeof WebhookPatch.Type
