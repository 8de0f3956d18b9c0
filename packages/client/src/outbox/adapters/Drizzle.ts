/** The adapters of Drizzle. */
import type { OutboxAdapter, Row, Statement } from "../OutboxAdapter.ts"

/** The `sql` of `drizzle-orm`, which the outbox does not import itself. */
export interface DrizzleSql<Query> {
  // biome-ignore lint/suspicious/noExplicitAny: so that the type of `sql` itself fits
  readonly sql: (texts: TemplateStringsArray, ...values: any[]) => Query
}

/** A database of Drizzle on PostgreSQL. */
export interface DrizzlePostgres<Query> {
  execute(query: Query): PromiseLike<unknown>
}

/** A database of Drizzle on SQLite; `Result` is a promise where its driver is asynchronous. */
export interface DrizzleSqlite<Query, Result> {
  run(query: Query): Result
  all(query: Query): unknown
}

/** What only a transaction has. */
interface InTransaction {
  rollback(): never
}

const queryOf = <Query>({ sql }: DrizzleSql<Query>, { parts, values }: Statement): Query =>
  sql(Object.assign([...parts], { raw: parts }), ...values)

const demandTransaction = (tx: object): void => {
  if (!("rollback" in tx)) throw new TypeError("audit needs the transaction of Drizzle, not the database")
}

/** An outbox over Drizzle on PostgreSQL, with any driver that has transactions. */
export const drizzlePostgresAdapter = <Query>(
  db: DrizzlePostgres<Query>,
  sql: DrizzleSql<Query>
): OutboxAdapter<DrizzlePostgres<Query> & InTransaction> => ({
  dialect: "postgres",
  isSync: false,
  insert: async (tx, statement) => {
    demandTransaction(tx)
    await tx.execute(queryOf(sql, statement))
  },
  run: async (statement) => {
    const result = await db.execute(queryOf(sql, statement))
    // One driver gives an array, the other an object with rows.
    const rows = Array.isArray(result) ? result : (result as { readonly rows?: unknown }).rows
    return Array.isArray(rows) ? (rows as ReadonlyArray<Row>) : []
  }
})

/**
 * An outbox over Drizzle on SQLite. Where the driver is synchronous, as `better-sqlite3`, `audit` is so too.
 * The relay needs a database whose connection is its own: on one that has a transaction open it would claim
 * what may be rolled back.
 */
export function drizzleSqliteAdapter<Query>(
  db: DrizzleSqlite<Query, PromiseLike<unknown>>,
  sql: DrizzleSql<Query>
): OutboxAdapter<DrizzleSqlite<Query, PromiseLike<unknown>> & InTransaction>
export function drizzleSqliteAdapter<Query>(
  db: DrizzleSqlite<Query, unknown>,
  sql: DrizzleSql<Query>
): OutboxAdapter<DrizzleSqlite<Query, unknown> & InTransaction, void>
export function drizzleSqliteAdapter<Query>(
  db: DrizzleSqlite<Query, unknown>,
  sql: DrizzleSql<Query>
): unknown {
  const isSync = (db as { readonly resultKind?: unknown }).resultKind === "sync"
  return {
    dialect: "sqlite",
    isSync,
    insert: (tx: DrizzleSqlite<Query, unknown> & InTransaction, statement: Statement) => {
      demandTransaction(tx)
      const done = tx.run(queryOf(sql, statement))
      return isSync ? undefined : done
    },
    run: async (statement: Statement): Promise<ReadonlyArray<Row>> => {
      const query = queryOf(sql, statement)
      if (!statement.hasRows) await db.run(query)
      const rows = statement.hasRows ? await db.all(query) : []
      return Array.isArray(rows) ? rows : []
    }
  }
}
