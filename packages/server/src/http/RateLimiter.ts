/**
 * Rate limits: a token bucket a workspace, refilled steadily to the plan's requests a minute.
 *
 * Buckets live in this process's memory; the headers are those of draft-ietf-httpapi-ratelimit-headers-10.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ApiError } from "./ApiError.ts"

interface Bucket {
  tokens: number
  /** Milliseconds of the monotonic clock when `tokens` was right. */
  at: number
}

const MINUTE = 60_000

/** Buckets kept at most; a full one is as good as none, so those can go. */
const MAX_BUCKETS = 100_000

/** Headers that tell a client where it stands; none when nothing limits it. */
export type RateLimitHeaders = Readonly<Record<string, string>>

/** The limiter. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Takes one request of `perMinute` (null: no limit); fails with `429` and `Retry-After` when there is none left. */
    readonly take: (key: string, perMinute: number | null) => Effect.Effect<RateLimitHeaders, ApiError>
  }
>()("@cairn/server/RateLimiter") {
  static readonly layer = Layer.sync(RateLimiter, () => {
    const buckets = new Map<string, Bucket>()

    const refilled = (key: string, perMinute: number, now: number): Bucket => {
      const bucket = buckets.get(key) ?? { tokens: perMinute, at: now }
      bucket.tokens = Math.min(perMinute, bucket.tokens + (Math.max(0, now - bucket.at) / MINUTE) * perMinute)
      bucket.at = now
      if (buckets.size >= MAX_BUCKETS && !buckets.has(key)) buckets.clear()
      buckets.set(key, bucket)
      return bucket
    }

    const headers = (perMinute: number, bucket: Bucket): RateLimitHeaders => {
      const left = Math.floor(bucket.tokens)
      const reset = perMinute === 0 ? 60 : Math.ceil(((perMinute - bucket.tokens) / perMinute) * 60)
      return {
        "RateLimit-Policy": `"default";q=${perMinute};w=60`,
        RateLimit: `"default";r=${left};t=${reset}`
      }
    }

    return RateLimiter.of({
      take: (key, perMinute) =>
        perMinute === null
          ? Effect.succeed({})
          : Clock.clockWith((clock) => {
              const bucket = refilled(key, perMinute, Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n))
              if (bucket.tokens >= 1) {
                bucket.tokens -= 1
                return Effect.succeed(headers(perMinute, bucket))
              }
              const seconds =
                perMinute === 0 ? 60 : Math.max(1, Math.ceil(((1 - bucket.tokens) / perMinute) * 60))
              return Effect.fail(
                new ApiError({
                  code: "rate_limited",
                  message: `More than ${perMinute} requests a minute; try again in ${seconds} s`,
                  headers: { ...headers(perMinute, bucket), "Retry-After": String(seconds) }
                })
              )
            })
    })
  })
}
