/** What a mail is about, as the outbox stores it. Its text is written when it is sent. */
import { Schema } from "effect"
import { Alert } from "../consumer/Alert.ts"
import { BrokenChain } from "../verification/Verification.ts"
import { MemberRole } from "../workspace/Permissions.ts"

/** A link that signs somebody in. */
const link = {
  /** Its address, sealed by the `SecretBox` with the delivery's id as owner: it is no one else's to read. */
  sealed: Schema.String,
  /** When it ends, in microseconds since the epoch; later it is not sent. */
  expires_at: Schema.Number
}

/** Each kind of mail and its data. `workspace` is the workspace's name. */
export const MailNotice = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("alert"), workspace: Schema.String, alert: Alert }),
  Schema.Struct({
    kind: Schema.Literal("webhook_disabled"),
    workspace: Schema.String,
    webhook: Schema.Struct({ id: Schema.String, url: Schema.String }),
    /** Its receiver returned 410, or nothing has been delivered there for days. */
    cause: Schema.Literals(["gone", "failing"]),
    last_error: Schema.String
  }),
  Schema.Struct({
    kind: Schema.Literal("stream_down"),
    workspace: Schema.String,
    stream: Schema.Struct({ id: Schema.String, name: Schema.String }),
    since: Schema.String,
    last_error: Schema.String
  }),
  Schema.Struct({
    kind: Schema.Literal("chain_broken"),
    workspace: Schema.String,
    verification: BrokenChain
  }),
  Schema.Struct({
    kind: Schema.Literal("retention_shortened"),
    workspace: Schema.String,
    /** Days that contents are kept until then, and from then on; null is for ever. */
    from_days: Schema.NullOr(Schema.Number),
    to_days: Schema.Number,
    takes_effect_at: Schema.String,
    /** Whether this is the reminder on the day before. */
    reminder: Schema.Boolean
  }),
  Schema.Struct({
    kind: Schema.Literal("sign_in"),
    ...link,
    /** The service's address, as people see it in the browser. */
    service: Schema.String
  }),
  Schema.Struct({
    kind: Schema.Literal("invitation"),
    ...link,
    workspace: Schema.String,
    role: MemberRole,
    /** Who invites, by name; null where that is the service itself. */
    invited_by: Schema.NullOr(Schema.String),
    /** Whether it goes to who is in already, and only confirms the address; false unless it is there. */
    confirms: Schema.optionalKey(Schema.Boolean),
    service: Schema.String
  })
])
export type MailNotice = typeof MailNotice.Type

/** Reads the payload of a mail delivery. */
export const decodeMailNotice = Schema.decodeUnknownEffect(Schema.fromJsonString(MailNotice))
