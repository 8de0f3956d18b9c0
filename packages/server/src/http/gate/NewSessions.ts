/** Counting the new sessions of a member, each once. */
import { BoundedMap } from "@cairn/core/encoding"
import { Deferred, Effect } from "effect"
import type { ApiError } from "../plumbing/ApiError.ts"

/** Sessions remembered at most, of which it is known that they were counted. */
const MAX_COUNTED = 10_000

/**
 * Makes what counts a session the first time that it is used for a workspace. A page begins with many
 * requests at once, and a store may be slow or take no writes: until it has noted the session, each of them
 * looks like the first. They are counted as one, and all of them wait for what comes of that. A session that
 * was refused is counted again at its next request.
 */
export const makeNewSessions = () => {
  const counted = new BoundedMap<string, Effect.Effect<void, ApiError>>(MAX_COUNTED)

  return (session: string, count: Effect.Effect<void, ApiError>): Effect.Effect<void, ApiError> =>
    Effect.suspend(() => {
      const known = counted.get(session)
      if (known !== undefined) return known
      const deferred = Deferred.makeUnsafe<void, ApiError>()
      const outcome = Deferred.await(deferred)
      counted.set(session, outcome)
      // Others wait for it, so that it does not end with the client of the first.
      return count.pipe(
        Effect.onError(() => Effect.sync(() => counted.delete(session))),
        Deferred.into(deferred),
        Effect.uninterruptible,
        Effect.andThen(outcome)
      )
    })
}
