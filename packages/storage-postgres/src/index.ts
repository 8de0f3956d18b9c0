/**
 * Cairn's PostgreSQL adapter: any number of processes on one database.
 *
 * @packageDocumentation
 */
export { DatabaseTooNew, MIGRATIONS, migrate } from "./Migrations.ts"
export * as PostgresClient from "./PostgresClient.ts"
export * as PostgresStorage from "./PostgresStorage.ts"
