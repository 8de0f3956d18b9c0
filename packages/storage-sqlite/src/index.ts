/**
 * Cairn's SQLite adapter, over Node's own `node:sqlite`.
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
export * from "./Backup.ts"
export { backupLock, backupLockFile } from "./BackupLock.ts"
export { copySource, copyTarget } from "./CopyFiles.ts"
export { FolderUnusable, makeFolder, makeFolderOf } from "./DatabaseFolder.ts"
export {
  FILE_NAMES,
  type FileVersion,
  fileFacts,
  filesOf,
  fileVersion,
  type InspectedFiles,
  openReadOnly,
  quickCheck,
  type SchemaDifference,
  type SchemaObject,
  schemaDifference,
  strayedFiles
} from "./inspect/ReadOnlyFiles.ts"
export { type LogHead, logHeads } from "./LogHeads.ts"
export { DatabaseTooNew, LAST_CONVERSION, MIGRATIONS, type MigratedFile } from "./Migrations.ts"
export { openAuditLog, type SqliteAuditLogOptions } from "./OpenAuditLog.ts"
export {
  closePresent,
  DatabaseInUse,
  isThere,
  lossesOf,
  openPresent,
  type PresentDatabase,
  type WorkspaceLoss
} from "./PresentDatabase.ts"
export * from "./Restore.ts"
export { freeBytes, openScratch } from "./Scratch.ts"
export {
  KeyFileUnusable,
  makeKeyFile,
  readKeyFile,
  readMadeKeyFile,
  secretKeyFile
} from "./SecretKeyFile.ts"
export { siblingFile } from "./SiblingFile.ts"
export * as SqliteClient from "./SqliteClient.ts"
export * as SqliteStorage from "./SqliteStorage.ts"
export { BACKUP_FILES, type BackupPaths, pathsOf } from "./UnfinishedBackups.ts"
export { finishRestore, isHalfRestored, RestoreUnfinished, refuseHalfRestored } from "./UnfinishedRestore.ts"
export { type WalDamage, walDamage } from "./WriteAheadLog.ts"
