/** From what a driver says to what the ports promise. */
import { StorageUnavailable } from "@cairn/core"
import { Effect } from "effect"

/** Turns the failure of a statement, or of reading its rows, into the port's one error, naming what was being done. */
export const unavailable =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, StorageUnavailable, R> =>
    Effect.mapError(effect, (cause) => new StorageUnavailable({ operation, cause }))
