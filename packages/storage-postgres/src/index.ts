/**
 * Cairn's PostgreSQL adapter: any number of processes on one database.
 *
 * @packageDocumentation
 */
export { copySource, copyTarget } from "./CopySchema.ts"
export { DatabaseTooNew, MIGRATIONS, migrate } from "./Migrations.ts"
export * as PostgresClient from "./PostgresClient.ts"
export * as PostgresStorage from "./PostgresStorage.ts"
export { UnreadableCertificate } from "./TlsOptions.ts"
