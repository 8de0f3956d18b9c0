/** What the process that makes a backup is asked, and what it answers: a line of JSON each. */
import { Schema } from "effect"
import { BackupSettings } from "../settings/BackupSettings.ts"
import { Database } from "../settings/Database.ts"
import { LogLevelName } from "../settings/LogLevel.ts"
import { MadeBackup } from "./BackupMaking.ts"

/** What is asked. */
export const BackupRequest = Schema.Struct({
  database: Database,
  inboxCapacity: Schema.Number,
  connections: Schema.Number,
  logLevel: LogLevelName,
  backup: BackupSettings
})
export type BackupRequest = typeof BackupRequest.Type

/** What is answered. */
export const BackupAnswer = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("made"), made: MadeBackup }),
  /** Another process makes one, or has just made one. */
  Schema.Struct({ outcome: Schema.Literal("not_due") }),
  Schema.Struct({ outcome: Schema.Literal("failed"), reason: Schema.String })
])
export type BackupAnswer = typeof BackupAnswer.Type
