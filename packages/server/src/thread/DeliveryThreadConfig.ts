/** What the delivery thread is started with. */
import { Schema, Struct } from "effect"
import { BackupSettings } from "../settings/BackupSettings.ts"
import { ExportStoreSettings } from "../settings/ExportSettings.ts"
import { OutboundSettings } from "../settings/OutboundSettings.ts"
import { VerificationSettings } from "../settings/VerificationSettings.ts"
import { ThreadConfig } from "./ThreadConfig.ts"

/** What the log thread alone is started with. */
const OF_LOG = ["geoipFiles", "anchorEverySeconds", "works"] as const

/** Crosses as structured clone. */
export const DeliveryThreadConfig = Schema.Struct({
  ...Struct.omit(ThreadConfig.fields, OF_LOG),
  outbound: OutboundSettings,
  verification: VerificationSettings,
  /** Seconds between two checkpoints that the service signs by itself; 0 signs none. */
  checkpointEverySeconds: Schema.Number,
  /** Where clients reach the server, without a slash at the end. */
  baseUrl: Schema.String,
  exportStore: ExportStoreSettings,
  /** Where contents go before retention removes them; null for nowhere. */
  archiveStore: Schema.NullOr(ExportStoreSettings),
  /** Backups on a schedule; null for none. */
  backup: Schema.NullOr(BackupSettings)
})
export type DeliveryThreadConfig = typeof DeliveryThreadConfig.Type
