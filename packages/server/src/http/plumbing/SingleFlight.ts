/** Work that many requests need at once is done once. */
import { Deferred, Effect, type Scope } from "effect"

/**
 * Runs `effect` for a key, or waits for the run that is in progress for it.
 *
 * The run belongs to `scope`, not to the request that began it: when that client disconnects, the others
 * still get their result.
 */
export const singleFlight = <A, E>(
  scope: Scope.Scope
): ((key: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>) => {
  const running = new Map<string, Deferred.Deferred<A, E>>()
  return (key, effect) =>
    Effect.suspend(() => {
      const known = running.get(key)
      if (known !== undefined) return Deferred.await(known)
      const result = Deferred.makeUnsafe<A, E>()
      running.set(key, result)
      return effect.pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            running.delete(key)
            Deferred.doneUnsafe(result, exit)
          })
        ),
        Effect.forkIn(scope),
        Effect.andThen(Deferred.await(result))
      )
    })
}
