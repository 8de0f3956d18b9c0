import type { Dialect } from "./OutboxTable.ts"

/**
 * A statement with its values, all of them texts. There is one more part than there are values; between each
 * two parts is the place of a value.
 */
export interface Statement {
  readonly parts: ReadonlyArray<string>
  readonly values: ReadonlyArray<string>
  /** Whether it gives rows: some drivers want to know. */
  readonly hasRows: boolean
}

/** The statement's text with `$1`, `$2`, … in the places of its values. */
export const numbered = ({ parts }: Statement): string =>
  parts.map((part, index) => (index === 0 ? part : `$${index}${part}`)).join("")

/** The statement's text with `?` in the places of its values. */
export const marked = ({ parts }: Statement): string => parts.join("?")

/** A row of a result. */
export type Row = Readonly<Record<string, unknown>>

/**
 * A database driver, as an outbox needs it. `Done` is `void` where the driver works synchronously, and a
 * promise otherwise.
 */
export interface OutboxAdapter<Tx, Done extends void | Promise<void> = Promise<void>> {
  readonly dialect: Dialect
  /** Whether `insert` is done when it returns. */
  readonly isSync: Done extends Promise<void> ? false : true
  /** Runs a statement in the caller's transaction, and gives what the transaction gives: no retries. */
  readonly insert: (tx: Tx, statement: Statement) => Done
  /**
   * Runs a statement by itself, in no transaction of anybody's, and gives its rows. It is committed when this
   * resolves.
   */
  readonly run: (statement: Statement) => Promise<ReadonlyArray<Row>>
}
