/**
 * Rate limits: a token bucket for each workspace, which holds a minute's requests and refills steadily.
 *
 * The buckets live in this process's memory. Effect's own `RateLimiter` costs twice as much for each request
 * and cannot be read without taking; its shared stores can stand behind this service when processes have to
 * count together.
 */
import { BoundedMap } from "@cairn/core/encoding"
import { Clock, Context, Effect, Layer } from "effect"
import type { AnswerHeaders } from "../plumbing/Answer.ts"

/** Where a workspace stands. */
export interface RateLimitState {
  readonly allowed: boolean
  /** Requests a minute. */
  readonly limit: number
  /** Requests that could be made at once. */
  readonly remaining: number
  /** Whole seconds until there is one more. */
  readonly nextSeconds: number
}

interface Bucket {
  tokens: number
  /** Milliseconds of the monotonic clock when `tokens` was right. */
  at: number
}

const MINUTE = 60_000

/** Buckets kept at most; beyond that the oldest goes, and comes back full. */
const MAX_BUCKETS = 100_000

/** Takes one request of `perMinute` when there is one. */
export interface Take {
  (key: string, perMinute: number): Effect.Effect<RateLimitState>
  /** The same without an Effect, where this process counts alone. */
  readonly promptly?: (key: string, perMinute: number) => RateLimitState
}

/** The limiter. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly take: Take
    /** Where the key stands, without taking. */
    readonly look: (key: string, perMinute: number) => Effect.Effect<RateLimitState>
  }
>()("@cairn/server/RateLimiter") {
  static readonly layer = Layer.effect(
    RateLimiter,
    Effect.map(Clock.Clock, (clock) => {
      const buckets = new BoundedMap<string, Bucket>(MAX_BUCKETS)

      const refilled = (key: string, perMinute: number, now: number): Bucket => {
        const known = buckets.get(key)
        if (known === undefined) {
          const bucket = { tokens: perMinute, at: now }
          buckets.set(key, bucket)
          return bucket
        }
        const elapsed = Math.max(0, now - known.at)
        known.tokens = Math.min(perMinute, known.tokens + (elapsed / MINUTE) * perMinute)
        known.at = now
        return known
      }

      const state = (allowed: boolean, limit: number, { tokens }: Bucket): RateLimitState => {
        const remaining = Math.floor(tokens)
        const missing = remaining + 1 - tokens
        return {
          allowed,
          limit,
          remaining,
          nextSeconds: limit === 0 ? 60 : Math.ceil((missing / limit) * 60)
        }
      }

      const at = (key: string, perMinute: number, taking: boolean): RateLimitState => {
        const bucket = refilled(key, perMinute, Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n))
        const allowed = bucket.tokens >= 1
        if (taking && allowed) bucket.tokens -= 1
        return state(allowed, perMinute, bucket)
      }

      const promptly = (key: string, perMinute: number) => at(key, perMinute, true)
      return RateLimiter.of({
        take: Object.assign((key: string, perMinute: number) => Effect.sync(() => promptly(key, perMinute)), {
          promptly
        }),
        look: (key, perMinute) => Effect.sync(() => at(key, perMinute, false))
      })
    })
  )
}

/**
 * `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10 has them: `q` requests in `w`
 * seconds, `r` left, `t` seconds until there is more.
 */
export const rateLimitHeaders = ({ limit, remaining, nextSeconds }: RateLimitState): AnswerHeaders => ({
  "ratelimit-policy": `"default";q=${limit};w=60`,
  ratelimit: `"default";r=${remaining};t=${remaining < limit ? nextSeconds : 0}`
})
