/**
 * Cairn's SQLite adapter, over Node's own `node:sqlite`.
 *
 * @packageDocumentation
 */
export * from "./Backup.ts"
export { copySource, copyTarget } from "./CopyFiles.ts"
export { DatabaseTooNew, MIGRATIONS } from "./Migrations.ts"
export * as SqliteClient from "./SqliteClient.ts"
export { siblingFile } from "./SqliteFiles.ts"
export * as SqliteStorage from "./SqliteStorage.ts"
