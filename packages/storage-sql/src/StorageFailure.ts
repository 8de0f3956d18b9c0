/** From what a driver says to what the ports promise. */
import { StorageUnavailable } from "@cairn/core/log"
import { Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/**
 * Turns the failure of a statement, or of reading its rows, into the port's one error, naming what was being
 * done.
 *
 * A connection that is lost within a transaction fails its rollback too, and Effect's client calls that a
 * defect: it is the same loss.
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
