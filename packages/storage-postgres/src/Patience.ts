/** Limits how long to wait for the database, even if it has stopped in the middle of a response. */
import { StorageUnavailable } from "@cairn/core/log"
import { type Duration, Effect, Fiber, Option } from "effect"

/**
 * Fails if the effect has not ended in time. The effect is interrupted but not waited for: its connection
 * first asks the server to cancel, which takes as long as the server does not respond.
 */
export const within =
  (patience: Duration.Input, operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(effect)
      const exit = yield* Effect.timeoutOption(Fiber.await(fiber), patience)
      if (Option.isSome(exit)) return yield* exit.value
      yield* Effect.forkDetach(Fiber.interrupt(fiber))
      return yield* new StorageUnavailable({ operation, cause: new Error("the database does not answer") })
    })
