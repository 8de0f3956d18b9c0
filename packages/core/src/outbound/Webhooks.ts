/** Port: the webhooks of each workspace. */
import { Context, Schema } from "effect"
import { DAY, type Micros } from "../encoding/Micros.ts"
import type { WorkspaceCollection } from "../workspace/WorkspaceCollection.ts"
import { OUTBOUND_EVENT_TYPES, type OutboundEventType } from "./OutboundEvent.ts"

/** A secret as stored: sealed by the `SecretBox`. */
const WebhookSecret = Schema.Struct({
  sealed: Schema.String,
  /** It signs until this moment; null is for as long as it is the newest. */
  expires_at: Schema.NullOr(Schema.Number)
})
type WebhookSecret = typeof WebhookSecret.Type

/** Most webhooks of a workspace, on or off: each is a message for everything that happens. */
export const MAX_WEBHOOKS = 50

/** A webhook as stored. */
export const Webhook = Schema.Struct({
  /** `whk_` and a UUID. */
  id: Schema.String,
  workspace_id: Schema.String,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  /** What it is told. */
  types: Schema.Array(Schema.Literals(OUTBOUND_EVENT_TYPES)),
  enabled: Schema.Boolean,
  /** Why it was disabled, if not by hand. */
  disabled_reason: Schema.NullOr(Schema.Literals(["gone", "failing"])),
  /** Since when every attempt has failed; null after a success. */
  failing_since: Schema.NullOr(Schema.Number),
  /** Newest first. */
  secrets: Schema.Array(WebhookSecret),
  /** Microseconds since the epoch, as the next. */
  created_at: Schema.Number,
  updated_at: Schema.Number
})
export type Webhook = typeof Webhook.Type

/** How long the old secret signs beside the new one. */
export const SECRET_OVERLAP: Micros = DAY

/** The secrets once `sealed` is the newest: what was valid signs beside it for {@link SECRET_OVERLAP}. */
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

/**
 * Whether it is told of things of this type. `webhook.test` is sent whatever it asked for, but only by hand.
 */
export const listensTo = ({ enabled, types }: Webhook, type: OutboundEventType): boolean =>
  enabled && types.includes(type)

/** The webhook switched on or off by hand at `at`; switched on, it has a clean slate. */
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
