/** What goes out of the server, and where it may go: alerts by mail and webhook, and log streams. */
import { parseNetworks } from "@cairn/core"
import { OutboundGuard } from "@cairn/delivery"
import { Result, Schema } from "effect"

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

/** Milliseconds that one request to a stream's destination may take. */
export const STREAM_TIMEOUT = 30_000

/** The guard of what may be called. */
export const layerGuard = ({ allow, http }: OutboundSettings) =>
  OutboundGuard.layer({ allow: Result.getOrThrow(parseNetworks(allow)), http })
