/** Port: the webhooks of each workspace. */
import { Context, Schema } from "effect"
import { DAY, type Micros } from "../encoding/Micros.ts"
import type { WorkspaceCollection } from "../workspace/WorkspaceCollection.ts"
import { OUTBOUND_EVENT_TYPES, type OutboundEventType } from "./OutboundEvent.ts"

/** A secret as stored: sealed by the `SecretBox`. */
const WebhookSecret = Schema.Struct({
  sealed: Schema.String,
  /** It signs until this time; null while it is the newest. */
  expires_at: Schema.NullOr(Schema.Number)
})
type WebhookSecret = typeof WebhookSecret.Type

/** Most webhooks of a workspace, enabled or not: each is a message for everything that happens. */
export const MAX_WEBHOOKS = 50

/** A webhook as stored. */
export const Webhook = Schema.Struct({
  /** `whk_` and a UUID. */
  id: Schema.String,
  workspace_id: Schema.String,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  /** The types that it subscribes to. */
  types: Schema.Array(Schema.Literals(OUTBOUND_EVENT_TYPES)),
  enabled: Schema.Boolean,
  /** Why it was disabled, if not by a person. */
  disabled_reason: Schema.NullOr(Schema.Literals(["gone", "failing"])),
  /** Since when every attempt has failed; null after a success. */
  failing_since: Schema.NullOr(Schema.Number),
  /** Newest first. */
  secrets: Schema.Array(WebhookSecret),
  /** Microseconds since the epoch, like the next. */
  created_at: Schema.Number,
  updated_at: Schema.Number
})
export type Webhook = typeof Webhook.Type

/** How long the old secret signs together with the new one. */
export const SECRET_OVERLAP: Micros = DAY

/**
 * The secrets after `sealed` becomes the newest: those that were valid also sign for {@link SECRET_OVERLAP}.
 */
export const rotatedSecrets = (
  secrets: ReadonlyArray<WebhookSecret>,
  sealed: string,
  now: Micros
): ReadonlyArray<WebhookSecret> => [
  { sealed, expires_at: null },
  ...activeSecrets(secrets, now).map((old) => ({
    ...old,
    expires_at: Math.min(old.expires_at ?? Number.MAX_SAFE_INTEGER, now + SECRET_OVERLAP)
  }))
]

/** The secrets that sign at `now`, newest first. */
export const activeSecrets = (
  secrets: ReadonlyArray<WebhookSecret>,
  now: Micros
): ReadonlyArray<WebhookSecret> => secrets.filter(({ expires_at }) => expires_at === null || now < expires_at)

/** Whether it gets messages of this type. `webhook.test` is always sent, but only on request. */
export const listensTo = ({ enabled, types }: Webhook, type: OutboundEventType): boolean =>
  enabled && types.includes(type)

/** The webhook after a person enabled or disabled it at `at`; enabling clears its failures. */
export const switched = (webhook: Webhook, enabled: boolean, at: Micros): Webhook => ({
  ...webhook,
  enabled,
  ...(enabled ? { disabled_reason: null, failing_since: null } : {}),
  updated_at: at
})

/** The webhooks. */
export class Webhooks extends Context.Service<Webhooks, WorkspaceCollection<Webhook>>()(
  "@cairn/core/Webhooks"
) {}
