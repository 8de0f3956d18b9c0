/**
 * What the log says if a periodic job fails: a line with the cause when that begins, one when it is over, and
 * none for the rounds between.
 */
import { Cause, Clock, Effect, Option } from "effect"
import type { StorageUnavailable } from "./StorageUnavailable.ts"
import { storeCause, storeErrorText } from "./StoreCause.ts"

/** An incident is over when a round succeeds and none has failed for this time. */
const QUIET_MILLIS = 10_000
/** Most causes of one incident that are logged. */
const MOST_TOLD = 100

/** The rounds of one loop. */
export interface RoundIncident {
  /** A round has failed. `about` names what the round worked on; the first failure of each is logged. */
  readonly failed: (
    cause: Cause.Cause<unknown>,
    about?: Readonly<Record<string, string>>
  ) => Effect.Effect<void>
  /** A round has come to its end. */
  readonly succeeded: Effect.Effect<void>
  /** A round, and what it gives if it fails. What is interrupted does not fail. */
  readonly around: <A, E, R, B>(
    round: Effect.Effect<A, E, R>,
    otherwise: Effect.Effect<B>
  ) => Effect.Effect<A | B, never, R>
}

const isOfStore = (error: unknown): error is StorageUnavailable =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "StorageUnavailable"

/** The failure of the store, if it is one: an operator acts on its cause, and not on a stack. */
const ofStore = (cause: Cause.Cause<unknown>) => Option.filter(Cause.findErrorOption(cause), isOfStore)

const tell = (line: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Option.match(ofStore(cause), {
    onNone: () => Effect.logError(line, cause),
    onSome: (error) =>
      Effect.logError(`${line}: ${storeCause(error.cause).says}`).pipe(
        Effect.annotateLogs({ operation: error.operation, cause: storeErrorText(error.cause) })
      )
  })

/** Failures with the same key are logged once. A failure of the store is known by its cause alone. */
const keyOf = (cause: Cause.Cause<unknown>, about: Readonly<Record<string, string>>): string =>
  Option.match(ofStore(cause), {
    onNone: () => JSON.stringify([String(Cause.squash(cause)).slice(0, 200), about]),
    onSome: (error) => storeCause(error.cause).name
  })

/** `begins` is the line of a failure, as in "Exports could not be made; trying again", `over` of its end. */
export const makeRoundIncident = ({
  begins,
  over
}: {
  readonly begins: string
  readonly over: string
}): Effect.Effect<RoundIncident> =>
  Effect.map(Clock.Clock, (clock) => {
    const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    let open: { readonly beganAt: number; lastAt: number; failures: number } | undefined
    const told = new Set<string>()

    const failed: RoundIncident["failed"] = (cause, about = {}) =>
      Effect.suspend(() => {
        open ??= { beganAt: now(), lastAt: now(), failures: 0 }
        open.lastAt = now()
        open.failures++
        const key = keyOf(cause, about)
        if (told.has(key) || told.size >= MOST_TOLD) return Effect.void
        told.add(key)
        return Effect.annotateLogs(tell(begins, cause), about)
      })
    const succeeded = Effect.suspend(() => {
      if (open === undefined || now() - open.lastAt < QUIET_MILLIS) return Effect.void
      const { beganAt, lastAt, failures } = open
      open = undefined
      told.clear()
      return Effect.logInfo(over).pipe(
        Effect.annotateLogs({ failures, seconds: Math.ceil((lastAt - beganAt) / 1_000) })
      )
    })
    return {
      failed,
      succeeded,
      around: (round, otherwise) =>
        Effect.tap(round, succeeded).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.andThen(failed(cause), otherwise)
          )
        )
    }
  })
