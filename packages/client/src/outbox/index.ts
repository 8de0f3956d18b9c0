/**
 * Events that share the fate of the application's own transactions: an outbox in its database, and relays
 * that send what is committed.
 *
 * @packageDocumentation
 */

export {
  type DrizzlePostgres,
  type DrizzleSql,
  type DrizzleSqlite,
  drizzlePostgresAdapter,
  drizzleSqliteAdapter
} from "./adapters/Drizzle.ts"
export { type KyselyDatabase, type KyselyTransaction, kyselyAdapter } from "./adapters/Kysely.ts"
export { type SqliteDatabase, sqliteAdapter } from "./adapters/NodeSqlite.ts"
export { type PgPool, type PgTransaction, pgAdapter } from "./adapters/Pg.ts"
export { type PostgresSql, type PostgresTransaction, postgresAdapter } from "./adapters/Postgres.ts"
export { type PrismaDatabase, type PrismaTransaction, prismaAdapter } from "./adapters/Prisma.ts"
export { type Audited, Outbox, type OutboxOptions } from "./Outbox.ts"
export type { OutboxAdapter, Row, Statement } from "./OutboxAdapter.ts"
export { type Dialect, OUTBOX_SQL, type OutboxNames, outboxSql } from "./OutboxTable.ts"
export type { Relay, RelayCounters, RelayOptions } from "./Relay.ts"
