/** What a group of rows is given. */
import type { DatabaseServer } from "./databases/LogDatabase.ts"
import type { FilledLogs } from "./FilledLog.ts"
import type { Row, Settings } from "./Row.ts"

/** The surroundings of a group. */
export interface Bench {
  readonly settings: Settings
  readonly server: DatabaseServer
  readonly logs: FilledLogs
}

/** A group of rows that is measured on each database. */
export type DatabaseGroup = (bench: Bench) => Promise<ReadonlyArray<Row>>

/** A group of rows in which no database takes part. */
export type PlainGroup = (settings: Settings) => Promise<ReadonlyArray<Row>>
