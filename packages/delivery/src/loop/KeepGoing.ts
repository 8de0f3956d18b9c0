/** Loops that only interruption ends. */
import { makeRoundIncident } from "@cairn/core/log"
import { type Duration, Effect } from "effect"

/** How a loop deals with failures and rests. */
interface LoopOptions {
  /** Logged with the cause when rounds begin to fail. */
  readonly onFailure: string
  /** Logged when they succeed again. */
  readonly onRecovery: string
  /** The rest after a failure, in milliseconds. */
  readonly restAfterFailure: number
  /** How to rest that many milliseconds; `Effect.sleep` unless set. */
  readonly rest?: (millis: number) => Effect.Effect<unknown>
}

/**
 * Runs rounds for ever. A round returns how many milliseconds to rest after it; after 0, other fibers get
 * their turn. That rounds fail or die is logged once an incident; the loop goes on.
 */
export const keepGoing = <E, R>(
  round: Effect.Effect<number, E, R>,
  { onFailure, onRecovery, restAfterFailure, rest = Effect.sleep }: LoopOptions
): Effect.Effect<never, never, R> =>
  Effect.flatMap(makeRoundIncident({ begins: onFailure, over: onRecovery }), (incident) =>
    incident.around(round, Effect.succeed(restAfterFailure)).pipe(
      Effect.flatMap((millis) => (millis === 0 ? Effect.yieldNow : rest(millis))),
      Effect.forever
    )
  )

/** Runs `beat` after each period, for ever. Failures are ignored: the next beat follows soon. */
export const heartbeat = <A, E, R>(
  period: Duration.Input,
  beat: Effect.Effect<A, E, R>
): Effect.Effect<never, never, R> => Effect.forever(Effect.andThen(Effect.sleep(period), Effect.ignore(beat)))
