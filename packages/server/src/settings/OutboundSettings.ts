/** What goes out of the server, and where it may go: alerts by mail and webhook, and log streams. */
import { Schema } from "effect"

/** Crosses to the delivery thread as structured clone. */
export const OutboundSettings = Schema.Struct({
  /** The mail server and the sender; null sends no mail. The URL may hold a password: never to be shown. */
  mail: Schema.NullOr(Schema.Struct({ url: Schema.String, from: Schema.String })),
  /** Networks that may be called although they are not public, as CIDRs with commas between them. */
  allow: Schema.String,
  /** Whether plain `http` may be called. */
  http: Schema.Boolean,
  /** The folder that `file` streams write below; null allows none. */
  streamFolder: Schema.NullOr(Schema.String)
})
export type OutboundSettings = typeof OutboundSettings.Type

/** The settings, and the keys that seal secrets at rest. */
export interface OutboundConfig {
  readonly outbound: OutboundSettings
  /** Newest first, each the base64 of 32 bytes. */
  readonly secretKeys: ReadonlyArray<string>
}
