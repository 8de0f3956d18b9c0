/** By what the rows of the log's tables are found: the workspace's number, or its id. */
import type { StorageUnavailable } from "@cairn/core/log"
import { Context, Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

/** The columns that name the workspace of a row, with their values. */
export type WorkspaceKey = Readonly<Record<string, string | number>>

/** How the tables that every adapter has name the workspace of a row. */
export class WorkspaceKeys extends Context.Service<
  WorkspaceKeys,
  {
    /** The first column of every key and index: it is in each {@link WorkspaceKey}. */
    readonly column: string
    /** Of a workspace that is there, to write rows of it. Fails if it is not, and the key is its number. */
    readonly of: (workspaceId: string) => Effect.Effect<WorkspaceKey, StorageUnavailable>
    /** Undefined if there is no such workspace, and so no row of it. */
    readonly find: (workspaceId: string) => Effect.Effect<WorkspaceKey | undefined, StorageUnavailable>
    /** For rows that are no workspace's. */
    readonly none: WorkspaceKey
    /** A workspace's number, in a statement on a table that has it; null if there is no such workspace. */
    readonly number: (
      sql: SqlClient.SqlClient,
      workspaceId: string
    ) => Effect.Effect<Statement.Fragment, StorageUnavailable>
    /**
     * Reads about all workspaces, as far as they can be reached: given the condition for that, on a column
     * that has the `column`. Not within a transaction.
     */
    readonly everywhere: <A, E>(
      sql: SqlClient.SqlClient,
      column: string,
      read: (isReachable: Statement.Fragment) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | SqlError.SqlError>
  }
>()("@cairn/storage-sql/WorkspaceKeys") {}

/** A database's tables, with how they name the workspace of a row. */
export interface KeyedTables {
  readonly sql: SqlClient.SqlClient
  readonly keys: WorkspaceKeys["Service"]
}

/** The condition on the rows with a key. */
export const hasKey = ({ sql, keys: { column } }: KeyedTables, key: WorkspaceKey): Statement.Fragment =>
  sql`${sql.literal(column)} = ${key[column]}`

/** The condition on the rows of a workspace; one that is not there has none. */
export const isOf = (tables: KeyedTables, workspaceId: string) =>
  Effect.map(tables.keys.find(workspaceId), (key) =>
    key === undefined ? tables.sql`1 = 0` : hasKey(tables, key)
  )
