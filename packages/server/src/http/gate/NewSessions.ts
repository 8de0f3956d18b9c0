/** Counting the new sessions of a member, each once. */
import { BoundedMap } from "@cairn/core/encoding"
import { Deferred, Effect } from "effect"
import type { RateLimiter } from "../limits/RateLimiter.ts"
import { ApiError } from "../plumbing/ApiError.ts"

/**
 * New sessions a minute of a person for one workspace: each is an event, which no quota counts. Nobody signs
 * in more often by hand.
 */
const SESSIONS_PER_MINUTE = 10

/** Sessions remembered at most, of which it is known that they were counted. */
const MAX_COUNTED = 10_000

/** A session that is used for a workspace. */
interface UsedSession {
  readonly session: { readonly id: string }
  readonly person: { readonly id: string }
}

/**
 * Counts one session. What the client sees is the limit of its requests, so this one shows only where it
 * refuses.
 */
export const countSession = Effect.fnUntraced(function* (
  limiter: RateLimiter["Service"],
  { person }: UsedSession,
  workspaceId: string
) {
  const state = yield* limiter.take(`entry ${person.id} ${workspaceId}`, SESSIONS_PER_MINUTE)
  if (state.allowed) return
  return yield* new ApiError({
    code: "rate_limited",
    limit: "session_rate",
    message: `More than ${SESSIONS_PER_MINUTE} new sessions of a member a minute; try again in ${state.nextSeconds} s`,
    headers: { "retry-after": String(state.nextSeconds) }
  })
})

/**
 * Makes what counts a session the first time that it is used for a workspace. A page begins with many
 * requests at once, and a store may be slow or take no writes: until it has noted the session, each of them
 * looks like the first. They are counted as one, and all of them wait for what comes of that. A session that
 * was refused is counted again at its next request.
 */
export const makeNewSessions = (limiter: RateLimiter["Service"]) => {
  const counted = new BoundedMap<string, Effect.Effect<void, ApiError>>(MAX_COUNTED)

  return (used: UsedSession, workspaceId: string): Effect.Effect<void, ApiError> =>
    // As a whole: others wait for what the first has begun, which its client must not end halfway.
    Effect.uninterruptible(
      Effect.suspend(() => {
        const key = `${used.session.id} ${workspaceId}`
        const known = counted.get(key)
        if (known !== undefined) return Effect.interruptible(known)
        const deferred = Deferred.makeUnsafe<void, ApiError>()
        const outcome = Deferred.await(deferred)
        counted.set(key, outcome)
        return countSession(limiter, used, workspaceId).pipe(
          Effect.onError(() => Effect.sync(() => counted.delete(key))),
          Deferred.into(deferred),
          Effect.andThen(outcome)
        )
      })
    )
}
