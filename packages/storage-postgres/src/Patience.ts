/**
 * Waiting for the database no longer than is sensible, even when it has stopped in the middle of an answer.
 */
import { StorageUnavailable } from "@cairn/core/log"
import { type Duration, Effect, Fiber, Option } from "effect"

/**
 * Fails when the effect has not ended in time. The effect is told to stop, and not waited for: its connection
 * first asks a server that answers nothing to cancel, and would take as long as that server.
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
