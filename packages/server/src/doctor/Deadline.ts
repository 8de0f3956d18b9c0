/** Deadlines that hold from outside, also over what cannot be interrupted or does not end. */
import { Effect, Fiber } from "effect"

/** Milliseconds that parts of an examination may take. */
export interface Limits {
  readonly check: number
  /** All checks together; those that have not begun by then are skipped. */
  readonly whole: number
  /** Opening the database, which many checks wait for: less than a check. */
  readonly opening: number
  /** What a peer may take: less than a check. */
  readonly peer: number
}

/** What a check may take unless it is said: longer than a connection to PostgreSQL or to the mail server. */
export const CHECK_SECONDS = 15

/** The limits where a check may take so many seconds. */
export const limitsOf = (seconds: number): Limits => {
  const check = seconds * 1_000
  return { check, whole: 4 * check, opening: 0.8 * check, peer: 0.5 * check }
}

/** Waits so long for an effect and no longer: what is late is interrupted, and not waited for. */
export const within =
  <B, E2>(millis: number, late: Effect.Effect<B, E2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | B, E | E2, R> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(effect)
      return yield* Fiber.join(fiber).pipe(
        Effect.timeoutOrElse({ duration: millis, orElse: () => late }),
        Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe()))
      )
    })

/** Why a peer's check failed that took longer. */
export const notInTime = Effect.suspend(() => Effect.fail(new Error("no answer in time")))
