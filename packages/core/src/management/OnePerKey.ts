/**
 * Runs effects with the same key one after the other, in order of arrival; effects with different keys do not
 * wait for each other.
 */
import { Effect, Semaphore } from "effect"

/** Makes the queue. It keeps a key only while something waits or runs for it. */
export const makeOnePerKey = () => {
  const turns = new Map<string, { readonly semaphore: Semaphore.Semaphore; waiting: number }>()
  return (key: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const turn = turns.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), waiting: 0 }
        turns.set(key, turn)
        turn.waiting++
        return Effect.ensuring(
          turn.semaphore.withPermits(1)(effect),
          Effect.sync(() => {
            turn.waiting--
            if (turn.waiting === 0) turns.delete(key)
          })
        )
      })
}
