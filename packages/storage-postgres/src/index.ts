/**
 * Cairn's PostgreSQL adapter: any number of processes on one database.
 *
 * @packageDocumentation
 */
export {
  type AuditEvent,
  type AuditEventFilter,
  type AuditEventTarget,
  type AuditLog,
  AuditLogClosed,
  AuditLogError,
  type AuditLogErrorCode,
  AuditLogUnavailable,
  type AuditLogVerification,
  type AuditLogWarn,
  type AuditMetadata,
  type ChainBreak,
  type Event,
  InvalidArgument,
  type Log,
  type RecordedEvent,
  type WrittenEvidence
} from "@cairn/core/audit-log"
export { backupLock, backupSource, type PresentLog, presentLogs } from "./BackupSchema.ts"
export { copySource, copyTarget } from "./CopySchema.ts"
export { InvalidDatabaseUrl } from "./DatabaseUrl.ts"
export { distributeDatabase, NotDistributable, SpreadInPart } from "./Distribution.ts"
export {
  type ExpectedFunction,
  type ExpectedObject,
  expectedFunctions,
  expectedObjects
} from "./inspect/ExpectedSchema.ts"
export { type HostFacts, hostFacts } from "./inspect/HostFacts.ts"
export { type MachineFacts, machineFacts, machineSlots } from "./inspect/MachineFacts.ts"
export { openReadOnly, schemaVersion } from "./inspect/ReadOnlyDatabase.ts"
export {
  alteredFunctions,
  lackingRights,
  missingPartitions,
  type SchemaPlaces,
  type SchemaStanding,
  schemaPlaces,
  schemaStanding,
  unloggedTables
} from "./inspect/SchemaFacts.ts"
export {
  type IdleSlot,
  idleSessions,
  idleSlots,
  type ServerFacts,
  serverFacts,
  unvacuumedTables
} from "./inspect/ServerFacts.ts"
export { type ShardStanding, shardStandings } from "./inspect/ShardFacts.ts"
export { type TableSize, tableSizes, toldSettings } from "./inspect/SizeFacts.ts"
export { openLosses } from "./LossRows.ts"
export { DatabaseTooNew, LAST_CONVERSION, MIGRATIONS, migrate } from "./Migrations.ts"
export { openAuditLog, type PostgresAuditLogOptions } from "./OpenAuditLog.ts"
export * as PostgresClient from "./PostgresClient.ts"
export * as PostgresStorage from "./PostgresStorage.ts"
export { UnreadableCertificate } from "./TlsOptions.ts"
