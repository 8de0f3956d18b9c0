/** From a driver's errors to the ports' errors. */
import { StorageUnavailable } from "@cairn/core/log"
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/** Whether a row could not be written because another has its key. */
export const isUniqueViolation = (error: unknown): boolean =>
  isSqlError(error) && error.reason._tag === "UniqueViolation"

/**
 * Writes again what met a row that another process was making at the same time: `ON CONFLICT` only waits for
 * those that conflict in the index that it names.
 */
export const againIfMadeMeanwhile = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.retry(effect, {
    times: 1,
    while: isUniqueViolation
  })

/**
 * Turns an error of a statement, or of reading its rows, into the port's only error, with the name of the
 * operation.
 *
 * A connection that is lost within a transaction makes its rollback fail too, which Effect's client reports
 * as a defect: it is the same error.
 */
export const unavailable =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, StorageUnavailable, R> =>
    effect.pipe(
      Effect.mapError((cause) => new StorageUnavailable({ operation, cause })),
      Effect.catchDefect((defect) =>
        isSqlError(defect)
          ? Effect.fail(new StorageUnavailable({ operation, cause: defect }))
          : Effect.die(defect)
      )
    )
