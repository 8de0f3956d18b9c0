/**
 * Notices that a server no longer says anything while statements wait for it. Its system still acknowledges
 * what is sent to a process that is suspended or hangs, so no limit of TCP ends such a wait.
 */
import { Effect } from "effect"

/** How long there is no answer to any statement before the server is asked whether it is there. */
const QUIET_MILLIS = 5_000
/** So often in a row it does not answer that either before it counts as silent. */
const ASKED = 3
/** Least time between two such questions: one that fails at once may be due to what passes. */
const APART_MILLIS = 2_000
/** How often this is looked at. */
const EVERY = "1 second"

/** What is reported of statements. */
export interface Silence {
  /** One is sent. */
  readonly asked: () => void
  /** One was answered, be it by an error. */
  readonly heard: () => void
  /** One is over without an answer: it failed for want of one, or the caller no longer waits. */
  readonly gone: () => void
  /** Watches for as long as it runs. */
  readonly watch: Effect.Effect<never>
}

/** How it is found out, and what is done about it. */
export interface SilenceConfig {
  /** Whether the server answers a session of its own, be it by an error. */
  readonly answers: Effect.Effect<boolean>
  /** Called each time that it has become silent. */
  readonly silent: Effect.Effect<void>
}

/** Makes the watch over one server. A statement costs two calls; a server that answers is not asked. */
export const makeSilence = ({ answers, silent }: SilenceConfig): Silence => {
  let outstanding = 0
  /** Since when something waits without any answer. */
  let since: number | undefined

  const look = Effect.suspend(() => {
    const began = since
    if (began === undefined || performance.now() - began < QUIET_MILLIS) return Effect.void
    return Effect.gen(function* () {
      for (let count = 0; count < ASKED; count++) {
        if (since !== began) return
        const asked = performance.now()
        if (yield* answers) {
          since = outstanding > 0 ? performance.now() : undefined
          return
        }
        yield* Effect.sleep(Math.max(0, APART_MILLIS - (performance.now() - asked)))
      }
      if (since !== began) return
      since = undefined
      yield* silent
    })
  })
  return {
    asked: () => {
      outstanding++
      since ??= performance.now()
    },
    heard: () => {
      outstanding--
      since = outstanding > 0 ? performance.now() : undefined
    },
    // Who gave up after a short wait says nothing about the server: whether it is there is still asked.
    gone: () => {
      outstanding--
    },
    watch: Effect.forever(Effect.andThen(Effect.sleep(EVERY), look))
  }
}
