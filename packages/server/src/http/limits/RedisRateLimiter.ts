/**
 * Rate limits that hold across processes: the buckets live in Redis, and each request costs one round trip to
 * it.
 */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { Clock, Duration, Effect, Layer } from "effect"
import { RateLimiter as Shared } from "effect/persistence"
import { RateLimiter, type RateLimitState } from "./RateLimiter.ts"
import { answersAtAll } from "./RedisProbe.ts"

const MINUTE = 60_000

/** How long Redis may take; a request must not wait for a limiter that hangs. */
const PATIENCE = "250 millis"
/** Least milliseconds between two lines in the log: one for each request would flood it. */
const COMPLAIN_EVERY_MILLIS = 10_000

/**
 * The limiter over the Redis at `url`, which must be reachable when the server starts. While it is not
 * reachable later, each process falls back to buckets of its own, so that a limit holds for each of them
 * instead of for all: no request fails for want of a limiter.
 */
export const layer = (url: string) =>
  Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const store = yield* Shared.RateLimiterStore
      const local = yield* RateLimiter
      let complainedAt = Number.NEGATIVE_INFINITY

      const complain = (cause: unknown) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (Math.abs(now - complainedAt) < COMPLAIN_EVERY_MILLIS) return Effect.void
          complainedAt = now
          return Effect.logWarning("Redis is not available; rate limits hold for each process alone").pipe(
            Effect.annotateLogs({ cause: String(cause) })
          )
        })

      const ask = (key: string, limit: number, tokens: number): Effect.Effect<RateLimitState> => {
        const refill = MINUTE / Math.max(1, limit)
        const fallBack = tokens === 0 ? local.look(key, limit) : local.take(key, limit)
        if (limit === 0) return fallBack
        return store
          .tokenBucket({ key, tokens, limit, refillRate: Duration.millis(refill), allowOverflow: false })
          .pipe(
            Effect.timeout(PATIENCE),
            Effect.map(([left, elapsed]): RateLimitState => {
              const allowed = left >= (tokens === 0 ? 1 : 0)
              return {
                allowed,
                limit,
                remaining: Math.max(0, left < 0 ? left + tokens : left),
                nextSeconds: Math.ceil((refill - elapsed) / 1_000)
              }
            }),
            Effect.catch((cause) => Effect.andThen(complain(cause), fallBack))
          )
      }

      return RateLimiter.of({
        take: (key, perMinute) => ask(key, perMinute, 1),
        look: (key, perMinute) => ask(key, perMinute, 0)
      })
    })
  ).pipe(
    Layer.provide(RateLimiter.layer),
    Layer.provide(Shared.layerStoreRedis({ prefix: "cairn:rate:" })),
    // A command that cannot be sent fails at once instead of waiting for the connection to come back.
    Layer.provide(
      Layer.unwrap(Effect.as(answersAtAll(url), NodeRedis.layer({ url, disableOfflineQueue: true })))
    )
  )
