/** One question for all who ask at the same time. */
import { Effect, Exit, Semaphore } from "effect"

/**
 * The question, asked once for all who wait: an answer serves those who asked before it was begun, and nobody
 * who asked after.
 */
export const coalesced = <A, E, R>(ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const turn = Semaphore.makeUnsafe(1)
  let begun = 0
  let last: { readonly number: number; readonly exit: Exit.Exit<A, E> } | undefined
  return Effect.suspend(() => {
    const wanted = begun + 1
    return turn.withPermit(
      Effect.suspend((): Effect.Effect<A, E, R> => {
        if (last !== undefined && last.number >= wanted) return last.exit
        const number = ++begun
        return Effect.onExit(ask, (exit) =>
          Effect.sync(() => {
            // A caller that waits does not end because another one went away.
            if (!Exit.hasInterrupts(exit)) last = { number, exit }
          })
        )
      })
    )
  })
}
