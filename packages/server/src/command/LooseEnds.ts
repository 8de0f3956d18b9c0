/** Commands that ask peers, and end though some of those never answer. */
import { InvalidInput } from "@cairn/core/event"
import { Effect, Exit, Scope } from "effect"
import { Flag } from "effect/cli"
import { CHECK_SECONDS, limitsOf } from "../doctor/Deadline.ts"

/** `--timeout` */
export const timeoutFlag = Flag.Int("timeout").pipe(
  Flag.withDescription(
    "Seconds that a check may take, at most 600; all together may take four times as long"
  ),
  Flag.withDefault(CHECK_SECONDS)
)

const MOST_SECONDS = 600

/** Reads the value of {@link timeoutFlag}. */
export const readTimeout = (seconds: number) =>
  seconds >= 1 && seconds <= MOST_SECONDS
    ? Effect.succeed(limitsOf(seconds))
    : Effect.fail(
        new InvalidInput({ path: "--timeout", reason: `must be an integer from 1 to ${MOST_SECONDS}` })
      )

/** What connections have to close themselves, in milliseconds. */
const GRACE_MILLIS = 500

/**
 * Runs what a command does, then ends the process, whatever it has left open: nothing that a peer must agree
 * to is waited for.
 */
export const leavingLooseEnds = <A, E, R>(
  run: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Scope.Scope>> =>
  Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    return Effect.provideService(run, Scope.Scope, scope).pipe(
      Effect.onExit((exit) => {
        // Holds up no process that could end by itself.
        setTimeout(() => process.exit(), GRACE_MILLIS).unref()
        return Effect.forkDetach(Scope.close(scope, Exit.asVoid(exit)))
      })
    )
  })
