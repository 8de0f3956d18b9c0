/** Waits for a database that is not there, as when everything is started at once. */
import { Effect, Exit, Layer, Scope } from "effect"
import { type Database, nameOf } from "../settings/Database.ts"
import { DatabaseUnreachable, passes, reasonOf } from "./DatabaseErrors.ts"

const PAUSE = "1 second"

/** Builds a layer in a scope of its own, which ends at once with an attempt that fails. */
const attempt = Effect.fnUntraced(function* <A, E, R>(layer: Layer.Layer<A, E, R>) {
  const scope = yield* Scope.fork(yield* Scope.Scope)
  return yield* Layer.buildWithScope(layer, scope).pipe(
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
})

/**
 * A layer on a database, built again while the database cannot be reached, at most for `seconds`; null for
 * once. What else is wrong with the database fails at once. Says in the log that it waits, and when that is
 * over.
 */
export const waitingFor = <A, E, R>(
  database: Database,
  seconds: number | null,
  layer: Layer.Layer<A, E, R>
): Layer.Layer<A, E | DatabaseUnreachable, R> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const name = nameOf(database)
      const deadline = performance.now() + (seconds ?? 0) * 1_000
      let waits = false
      const again = (error: E) =>
        Effect.gen(function* () {
          if (!passes(error)) return yield* Effect.fail(error)
          const reason = reasonOf(error)
          if (performance.now() >= deadline)
            return yield* new DatabaseUnreachable({ database: name, reason, seconds })
          if (!waits) yield* Effect.logWarning(`Waiting for ${name}, at most ${seconds} seconds: ${reason}`)
          waits = true
          yield* Effect.sleep(PAUSE)
          return undefined
        })
      for (;;) {
        const built = yield* Effect.catch(attempt(layer), again)
        if (built === undefined) continue
        if (waits) yield* Effect.logInfo(`${name} can be reached`)
        return built
      }
    })
  )
