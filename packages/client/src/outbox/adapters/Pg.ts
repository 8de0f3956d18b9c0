/** The adapter of `pg` (node-postgres). */
import { numbered, type OutboxAdapter, type Row, type Statement } from "../OutboxAdapter.ts"

interface PgQueries {
  query(text: string, values: Array<string>): Promise<{ readonly rows: ReadonlyArray<Row> }>
}

/** A `Pool` of `pg`. */
export interface PgPool extends PgQueries {
  readonly totalCount: number
}

/** A `Client` or `PoolClient` of `pg` on which a transaction was begun. */
export interface PgTransaction extends PgQueries {
  /** A pool has this: it gives each statement a connection of its own, outside of the transaction. */
  readonly totalCount?: undefined
  /** `I` where no transaction is open. Older releases of `pg` do not say so. */
  getTransactionStatus?(): string | null
}

/** Refuses a client on which no transaction is open: the event would be committed by itself. */
const demandTransaction = async (tx: PgTransaction): Promise<void> => {
  if ("totalCount" in tx) throw new TypeError("audit needs the client of the transaction, not the pool")
  if (tx.getTransactionStatus?.() !== "I") return
  // A BEGIN may be on its way.
  await tx.query("SELECT 1", [])
  if (tx.getTransactionStatus() !== "I") return
  throw new TypeError("audit needs a transaction: none is open on this client")
}

/**
 * An outbox over `pg`. Its `audit` takes the client that began the transaction; its relay takes connections
 * from the pool, which should have a listener for `error`, as the manual of `pg` asks for.
 */
export const pgAdapter = (pool: PgPool): OutboxAdapter<PgTransaction> => {
  const query = async (queries: PgQueries, statement: Statement) => {
    const { rows } = await queries.query(numbered(statement), [...statement.values])
    return rows
  }
  return {
    dialect: "postgres",
    isSync: false,
    insert: async (tx, statement) => {
      await demandTransaction(tx)
      await query(tx, statement)
    },
    run: (statement) => query(pool, statement)
  }
}
