/** A clock that a test moves, for a server whose background work must not run wild on it. */
import { type Clock, Effect } from "effect"

/**
 * The same clock, on which nobody wakes: a manual clock's sleep takes no time, and what repeats each second
 * would spin.
 */
export const standing = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: () => Effect.never
})
