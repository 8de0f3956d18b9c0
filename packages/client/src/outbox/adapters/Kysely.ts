/** The adapter of Kysely. */
import { marked, numbered, type OutboxAdapter, type Row, type Statement } from "../OutboxAdapter.ts"
import type { Dialect } from "../OutboxTable.ts"

interface CompiledStatement {
  readonly sql: string
  readonly parameters: ReadonlyArray<unknown>
  readonly query: {
    readonly kind: "RawNode"
    readonly sqlFragments: ReadonlyArray<string>
    readonly parameters: ReadonlyArray<never>
  }
  readonly queryId: { readonly queryId: string }
}

interface KyselyQueries {
  executeQuery(query: CompiledStatement): Promise<{ readonly rows: ReadonlyArray<unknown> }>
}

/** A `Kysely` that is no transaction. */
export interface KyselyDatabase extends KyselyQueries {
  readonly isTransaction: boolean
}

/** A `Transaction` or `ControlledTransaction` of Kysely. */
export interface KyselyTransaction extends KyselyQueries {
  readonly isTransaction: true
}

/** An outbox over Kysely, with any driver of PostgreSQL or SQLite. Its `audit` takes the `Transaction`. */
export const kyselyAdapter = (
  db: KyselyDatabase,
  { dialect }: { readonly dialect: Dialect }
): OutboxAdapter<KyselyTransaction> => {
  if (db.isTransaction)
    throw new TypeError("an outbox needs the Kysely of the application, not a transaction")
  const query = async (queries: KyselyQueries, statement: Statement) => {
    const text = dialect === "postgres" ? numbered(statement) : marked(statement)
    const { rows } = await queries.executeQuery({
      sql: text,
      parameters: statement.values,
      query: { kind: "RawNode", sqlFragments: [text], parameters: [] },
      queryId: { queryId: crypto.randomUUID() }
    })
    return rows as ReadonlyArray<Row>
  }
  return {
    dialect,
    isSync: false,
    insert: async (tx, statement) => {
      if (!tx.isTransaction) throw new TypeError("audit needs the transaction of Kysely")
      await query(tx, statement)
    },
    run: (statement) => query(db, statement)
  }
}
