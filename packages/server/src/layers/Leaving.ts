/** What a server does between the signal that stops it and the end of its listener. */
import { Effect, Layer, Ref } from "effect"
import { Draining } from "../http/plumbing/Draining.ts"

/** The exit code of a process that a second signal ended at once: 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** Within this time a second signal is the first: npm passes on what the terminal has sent to both. */
const SAME_MILLIS = 1_000

type Signal = keyof typeof EXIT_CODES

const SIGNALS: ReadonlyArray<Signal> = ["SIGINT", "SIGTERM"]

/**
 * Once the server is stopped it is `leaving` for so many seconds, in which supervisors see that it is not
 * ready and the listener goes on. After SIGINT, which a person sends at a terminal, there is no such wait. A
 * second signal ends the process where it is: what was acknowledged is durable.
 */
export const layerLeaving = (drainSeconds: number) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const stage = yield* Draining
      let first: { readonly signal: Signal; readonly at: number } | undefined
      const onSignal = (signal: Signal) => {
        const at = performance.now()
        if (first === undefined) first = { signal, at }
        else if (at - first.at > SAME_MILLIS) process.exit(EXIT_CODES[signal])
      }
      for (const signal of SIGNALS) process.on(signal, onSignal)
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          yield* Ref.set(stage, "leaving")
          if (drainSeconds === 0 || first?.signal === "SIGINT") return
          yield* Effect.logInfo(`Stopping in ${drainSeconds} seconds; until then everything is answered`)
          yield* Effect.sleep(drainSeconds * 1_000)
        })
      )
    })
  )
