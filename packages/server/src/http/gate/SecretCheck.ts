/**
 * Comparing a key with its bcrypt hash, bounded.
 *
 * bcrypt is slow on purpose (some 60 ms of a core), so wrong keys are a way to keep a server busy, and a
 * key's owner waiting. The salt of a hash tells nearly every wrong key without bcrypt, so what is left to
 * compare are right keys, which never wait for wrong ones.
 *
 * Hashes of earlier versions have other salts. For these, bcrypt runs few at a time, with a short queue; and
 * an address that keeps failing, or a key id that is guessed at, is shed before it costs anything. An address
 * runs out first, so that one guesser does not lock out a key's owner elsewhere.
 */
import { compare } from "bcrypt"
import { Clock, Context, Effect, Semaphore } from "effect"
import { suspect } from "../../secret/MarkedSalt.ts"
import { type FailureAllowance, FailureBudget } from "../limits/FailureBudget.ts"
import { type ApiError, overLimit } from "../plumbing/ApiError.ts"

/**
 * The bounds of comparisons that may be with wrong keys. Two cores serve requests well while one runs; as
 * many more run with keys that are likely to be right.
 */
export interface SecretCheckLimits {
  /** Comparisons that run at once. */
  readonly concurrency: number
  /** Comparisons that may wait for those. */
  readonly waiting: number
  /** Failures of one address, or of one /64 of IPv6. */
  readonly perAddress: FailureAllowance
  /** Failures of one key id, from anywhere. */
  readonly perKey: FailureAllowance
}

/** The bounds in force; to be replaced where there are more cores. */
export const SecretCheckLimits = Context.Reference<SecretCheckLimits>("@cairn/server/SecretCheckLimits", {
  defaultValue: () => ({
    concurrency: 1,
    waiting: 16,
    perAddress: { burst: 5, refillMillis: 2_000 },
    perKey: { burst: 20, refillMillis: 500 }
  })
})

/** One comparison. */
export interface SecretAttempt {
  readonly secret: string
  readonly hash: string
  readonly keyId: string
  /** The address, or the network that stands for it. */
  readonly subnet: string
}

const shed = (millis: number): ApiError =>
  overLimit(
    "failed_keys",
    "Too many API keys are being checked; try again shortly",
    Math.max(1, Math.ceil(millis / 1000))
  )

/**
 * Makes the check: whether the secret is the hash's; `503` when the bounds are reached. No bound holds for a
 * secret that is likely to be right: no more can wait than there are keys.
 */
export const makeSecretCheck = Effect.gen(function* () {
  const limits = yield* SecretCheckLimits
  const addresses = new FailureBudget(limits.perAddress)
  const keys = new FailureBudget(limits.perKey)
  const semaphore = yield* Semaphore.make(limits.concurrency)
  const likely = yield* Semaphore.make(limits.concurrency)
  const mostUnderWay = limits.concurrency + limits.waiting
  let underWay = 0

  const compared = (secret: string, hash: string, places: Semaphore.Semaphore) =>
    places.withPermits(1)(Effect.promise(() => compare(secret, hash)))

  const bounded = Effect.fnUntraced(function* ({ secret, hash, keyId, subnet }: SecretAttempt) {
    const clock = yield* Clock.Clock
    const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    const wait = addresses.wait(subnet, now()) || keys.wait(keyId, now())
    if (wait > 0) return yield* Effect.fail(shed(wait))
    if (underWay >= mostUnderWay) return yield* Effect.fail(shed(1_000))
    underWay++
    // Taken first, so that many at once cannot overdraw.
    addresses.take(subnet, now())
    keys.take(keyId, now())
    const matches = yield* compared(secret, hash, semaphore).pipe(
      Effect.ensuring(Effect.sync(() => underWay--))
    )
    if (matches) {
      addresses.giveBack(subnet, now())
      keys.giveBack(keyId, now())
    }
    return matches
  })

  return (attempt: SecretAttempt): Effect.Effect<boolean, ApiError> => {
    const { secret, hash } = attempt
    switch (suspect(secret, hash)) {
      case "wrong":
        return Effect.succeed(false)
      case "likely":
        return compared(secret, hash, likely)
      case "unknown":
        return bounded(attempt)
    }
  }
})
