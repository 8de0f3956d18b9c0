/** The adapter of `postgres` (postgres.js). */
import { numbered, type OutboxAdapter, type Row, type Statement } from "../OutboxAdapter.ts"

interface PostgresQueries {
  unsafe(query: string, values: Array<string>): PromiseLike<ReadonlyArray<unknown>>
}

/** The `sql` of `postgres(…)`. */
export interface PostgresSql extends PostgresQueries {
  // biome-ignore lint/suspicious/noExplicitAny: what it takes is not ours to say; only sql itself has it
  begin(...args: ReadonlyArray<any>): unknown
}

/** The `sql` that `sql.begin` hands to its callback, or one from `sql.reserve()` on which BEGIN was run. */
export type PostgresTransaction = PostgresQueries &
  ({ readonly savepoint: unknown } | { readonly release: unknown })

/** An outbox over `postgres`. Its `audit` takes the `sql` of the transaction. */
export const postgresAdapter = (sql: PostgresSql): OutboxAdapter<PostgresTransaction> => {
  const query = async (queries: PostgresQueries, statement: Statement) =>
    (await queries.unsafe(numbered(statement), [...statement.values])) as ReadonlyArray<Row>
  return {
    dialect: "postgres",
    isSync: false,
    insert: async (tx, statement) => {
      if (!("savepoint" in tx || "release" in tx)) {
        throw new TypeError("audit needs the sql of the transaction, not that of the pool")
      }
      await query(tx, statement)
    },
    run: (statement) => query(sql, statement)
  }
}
