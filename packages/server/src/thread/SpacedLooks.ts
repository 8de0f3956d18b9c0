import { Clock, Effect } from "effect"

/**
 * Work that is looked for again and again and seldom there, such as logs with enough new events for the
 * index: after a look that found none, the next comes no sooner than `share` times as long as it took, and
 * looks cost at most one part in `share` of a thread. Returns how much a look found; 0 without a look.
 */
export const spacedLooks = <E, R>(
  look: Effect.Effect<number, E, R>,
  share: number
): Effect.Effect<number, E, R> => {
  let next = 0n
  return Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const began = clock.monotonicTimeNanosUnsafe()
    if (began < next) return 0
    const found = yield* look
    const ended = clock.monotonicTimeNanosUnsafe()
    if (found === 0) next = ended + (ended - began) * BigInt(share)
    return found
  })
}
