/**
 * Looking up sessions by the secrets that browsers send, bounded: anybody can make secrets up, and each costs
 * a look-up in the store. An address that keeps sending unknown ones waits; a session that this process has
 * seen before does not.
 */
import { BoundedMap } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { SignIn } from "@cairn/core/people"
import { Clock, Context, Effect, Result } from "effect"
import { type FailureAllowance, FailureBudget } from "../limits/FailureBudget.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"

/** Unknown sessions that one address may send, or one /64 of IPv6; to be replaced in tests. */
export const UnknownSessions = Context.Reference<FailureAllowance>("@cairn/server/UnknownSessions", {
  defaultValue: () => ({ burst: 100, refillMillis: 100 })
})

/** Sessions remembered at most, of which it is known that they were sessions. */
const MAX_SEEN = 50_000

const shed = (millis: number): ApiError => {
  const seconds = Math.max(1, Math.ceil(millis / 1000))
  return new ApiError({
    code: "rate_limited",
    limit: "failed_sessions",
    message: `Too many sessions from this address are not known; try again in ${seconds} s`,
    headers: { "retry-after": String(seconds) }
  })
}

/** Makes the check: `SignIn.check` of a secret that an address sends, or the network that stands for it. */
export const makeSessionCheck = Effect.gen(function* () {
  const signIn = yield* SignIn
  const sha256 = yield* Sha256
  const addresses = new FailureBudget(yield* UnknownSessions)
  const seen = new BoundedMap<string, true>(MAX_SEEN)

  return Effect.fnUntraced(function* (secret: string, subnet: string) {
    const digest = sha256.hex(secret)
    if (seen.get(digest) === true) return yield* asApiError(signIn.check(secret))
    const clock = yield* Clock.Clock
    const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    const wait = addresses.wait(subnet, now())
    if (wait > 0) return yield* shed(wait)
    // Taken first, so that many at once cannot overdraw.
    addresses.take(subnet, now())
    const checked = yield* Effect.result(signIn.check(secret))
    // What was a session once, and a store that does not answer, are nobody's guesses.
    const isGuess =
      Result.isFailure(checked) &&
      checked.failure._tag === "SessionRefused" &&
      checked.failure.reason === "unknown"
    if (!isGuess) addresses.giveBack(subnet, now())
    if (Result.isSuccess(checked)) seen.set(digest, true)
    return yield* asApiError(Effect.fromResult(checked))
  })
})
