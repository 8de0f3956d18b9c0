/** The adapter of `node:sqlite`. */
import { pause } from "../../Backoff.ts"
import { CairnError } from "../../Errors.ts"
import { marked, type OutboxAdapter, type Row, type Statement } from "../OutboxAdapter.ts"

/** A `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  exec(sql: string): void
  prepare(sql: string): { all(...values: Array<string>): ReadonlyArray<unknown> }
  /** Whether a transaction is open. Older releases of Node do not say so. */
  readonly isTransaction?: boolean | undefined
}

/** How long a relay waits for others that write, and how often it looks. */
const BUSY = { millis: 5000, everyMillis: 20 }

/** Whether others write now, or a transaction is open on this connection. */
const isBusy = (error: unknown): boolean => {
  const { errcode, message } = error as { readonly errcode?: unknown; readonly message?: unknown }
  // The lower eight bits are SQLITE_BUSY or SQLITE_LOCKED.
  if (typeof errcode === "number" && [5, 6].includes(errcode & 0xff)) return true
  return String(message).includes("within a transaction")
}

const statementOf = (database: SqliteDatabase, statement: Statement) =>
  database.prepare(marked(statement)).all(...statement.values) as ReadonlyArray<Row>

/** Begins before anything is read: what an open transaction has not committed is never claimed. */
const transaction = (database: SqliteDatabase, statement: Statement): ReadonlyArray<Row> => {
  database.exec("BEGIN IMMEDIATE")
  try {
    const rows = statementOf(database, statement)
    database.exec("COMMIT")
    return rows
  } catch (error) {
    database.exec("ROLLBACK")
    throw error
  }
}

/**
 * An outbox over `node:sqlite`. Its `audit` is synchronous and takes the connection that has the transaction;
 * its relay uses `database`, best a connection of its own: on one that it shares it waits while a transaction
 * is open there.
 */
export const sqliteAdapter = (database: SqliteDatabase): OutboxAdapter<SqliteDatabase, void> => ({
  dialect: "sqlite",
  isSync: true,
  insert: (tx, statement) => {
    if (tx.isTransaction === false) {
      throw new TypeError("audit needs a transaction: none is open on this connection")
    }
    statementOf(tx, statement)
  },
  run: async (statement) => {
    const never = new AbortController().signal
    for (let waited = 0; ; waited += BUSY.everyMillis) {
      try {
        return transaction(database, statement)
      } catch (error) {
        if (!isBusy(error)) throw error
        if (waited >= BUSY.millis) {
          throw new CairnError("the database is busy: others write, or a transaction was left open", {
            cause: error
          })
        }
        await pause(BUSY.everyMillis, never)
      }
    }
  }
})
