/** What the delivery thread is started with. */
import { Schema } from "effect"
import { ExportStoreSettings } from "../settings/ExportSettings.ts"
import { OutboundSettings } from "../settings/OutboundSettings.ts"
import { VerificationSettings } from "../settings/VerificationSettings.ts"
import { ThreadConfig } from "./ThreadConfig.ts"

const {
  database,
  inboxCapacity,
  connections,
  secretKeys,
  chain,
  logLevel,
  growth,
  metrics,
  traces,
  seen,
  clock
} = ThreadConfig.fields

/** Crosses as structured clone. */
export const DeliveryThreadConfig = Schema.Struct({
  database,
  inboxCapacity,
  connections,
  secretKeys,
  chain,
  logLevel,
  growth,
  metrics,
  traces,
  seen,
  clock,
  outbound: OutboundSettings,
  verification: VerificationSettings,
  /** Seconds between two checkpoints that the service signs by itself; 0 signs none. */
  checkpointEverySeconds: Schema.Number,
  /** Where clients reach the server, without a slash at the end. */
  baseUrl: Schema.String,
  exportStore: ExportStoreSettings,
  /** Where contents go before retention removes them; null for nowhere. */
  archiveStore: Schema.NullOr(ExportStoreSettings)
})
export type DeliveryThreadConfig = typeof DeliveryThreadConfig.Type
