/** The newest rows of some events, limited in number and in size. */
import type { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"

/**
 * How many of the newest events are read: a number, and fewer if their contents reach a number of characters
 * (or bytes).
 */
export interface NewestLimits {
  readonly limit: number
  readonly enough: number
}

/**
 * Reads rows of `EntryRow` of `event e`, the newest that meet conditions: each database has its own way to
 * avoid reading the contents of others.
 */
export type ReadNewest = (
  conditions: Statement.Fragment,
  limits: NewestLimits
) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
