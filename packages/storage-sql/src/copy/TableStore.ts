/** One side of a copy: the tables of a database as plain rows. Each adapter has both sides. */
import type { StorageUnavailable } from "@cairn/core/log"
import { type Effect, Schema } from "effect"
import type { CopiedTable, TableShape } from "./TableShape.ts"

/** The type of a column. */
export type Cell = string | number | null | Uint8Array

/** The values of a {@link CopiedTable}'s columns, in order. */
export type Row = ReadonlyArray<Cell>

/** The database to copy from. Nobody writes to it while its scope is open. */
export interface CopySource {
  /** Its name for people; without secrets. */
  readonly name: string
  readonly shapes: ReadonlyArray<TableShape>
  /** Costs a walk over an index. */
  readonly count: (table: CopiedTable) => Effect.Effect<number, StorageUnavailable>
  /** The next rows in the order of the key: from the first one, or after a given row. */
  readonly read: (
    table: CopiedTable,
    after: Row | null,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Row>, StorageUnavailable>
  /** The highest number that the database has ever assigned in a numbered table, or more; 0 for none. */
  readonly lastNumber: (table: CopiedTable) => Effect.Effect<number, StorageUnavailable>
}

/**
 * The database to copy to, which servers cannot find until it is put in place. No other copy writes to it
 * while its scope is open.
 *
 * Inserted rows stay when the process ends, so that the next run continues from there.
 */
export interface CopyTarget extends CopySource {
  /** An earlier run has put the copy in place: there is nothing left to write. */
  readonly isInPlace: boolean
  /** The row with the highest key. */
  readonly last: (table: CopiedTable) => Effect.Effect<Row | null, StorageUnavailable>
  /** All of the rows or none. */
  readonly insert: (table: CopiedTable, rows: ReadonlyArray<Row>) => Effect.Effect<void, StorageUnavailable>
  readonly clear: (table: CopiedTable) => Effect.Effect<void, StorageUnavailable>
  readonly setLastNumber: (table: CopiedTable, number: number) => Effect.Effect<void, StorageUnavailable>
  /**
   * Gives the copy its final name. Called once, at the end; after a crash it is either in place or not found.
   */
  readonly putInPlace: Effect.Effect<void, StorageUnavailable | CopyRefused>
}

/** The copy must not be made. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", {
  /** Name of the database that prevents it. */
  database: Schema.String,
  reason: Schema.Literals(["missing", "in use", "not empty", "other copy"]),
  detail: Schema.String
}) {
  override get message(): string {
    const { database, reason, detail } = this
    const messages = {
      missing: `there is no database at ${database}`,
      "in use": `${database} is in use (${detail}): stop every server and command that has it open`,
      "not empty": `${database} is not empty (${detail}): a copy never overwrites anything`,
      "other copy": `${database} holds an unfinished copy of something else (${detail}); --restart throws it away`
    }
    return messages[reason]
  }
}

/** A parameter of a statement by its number, from 1. */
type Mark = (number: number) => string

/** A name as SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const list = (names: ReadonlyArray<string>): string => names.map(quoted).join(", ")

/** The values of a row's key. */
export const keyOf = ({ columns, key }: CopiedTable, row: Row): Row =>
  key.map((column) => row[columns.indexOf(column)] ?? null)

/**
 * The statement of {@link CopySource.read}; its parameters are the key's values, if there are any, and the
 * limit.
 */
export const readStatement = (
  { name, columns, key }: CopiedTable,
  {
    mark,
    after,
    condition = "true",
    from = quoted(name)
  }: { mark: Mark; after: boolean; condition?: string | undefined; from?: string | undefined }
): string => {
  const beyond = after ? `AND (${list(key)}) > (${key.map((_, index) => mark(index + 1)).join(", ")})` : ""
  return `SELECT ${list(columns)} FROM ${from} WHERE ${condition} ${beyond}
    ORDER BY ${list(key)} LIMIT ${mark(after ? key.length + 1 : 1)}`
}

/** The statement of {@link CopyTarget.last}. */
export const lastStatement = ({ name, columns, key }: CopiedTable, from: string = quoted(name)): string =>
  `SELECT ${list(columns)} FROM ${from} ORDER BY ${key.map((column) => `${quoted(column)} DESC`).join(", ")} LIMIT 1`
