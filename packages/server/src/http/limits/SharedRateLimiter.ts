/**
 * Rate limits that hold across processes, through buckets in the database: each process draws on its share of
 * a workspace's bucket and settles at most once a second.
 *
 * Between two settlements a process may give out what the bucket held, divided by the processes that draw on
 * it. Settlements are not of one moment, and a process that joins is not known to the others yet, so a burst
 * on all of them can be up to as large again as the bucket: half of it where two processes are already at it.
 * What was given out beyond the limit is a debt, which the refill pays before any process gets more, so that
 * over the minutes the limit holds. While the database is not available, each process continues with its
 * share of the refill, and a bucket that it has not seen yet begins full.
 */
import { hostname } from "node:os"
import { BoundedMap } from "@cairn/core/encoding"
import { Randomness, uuid } from "@cairn/core/hashing"
import { RateBuckets } from "@cairn/core/workspace"
import { Clock, Effect, Fiber, Layer } from "effect"
import { RateLimiter, type RateLimitState } from "./RateLimiter.ts"

/** Least time between two settlements of a bucket, in milliseconds. */
const SETTLE_MILLIS = 1_000
/** How long a request waits for a settlement. */
const PATIENCE = "250 millis"
const MINUTE = 60_000
/** Shares kept at most; beyond that the oldest is forgotten and settled again when needed. */
const MAX_SHARES = 100_000

/** What this process may still give out of a bucket. */
class Share {
  tokens = 0
  /** Given out since the last settlement. */
  used = 0
  sharers = 1
  /** Milliseconds of the monotonic clock when `tokens` was right. */
  #at: number
  #settledAt = Number.NEGATIVE_INFINITY
  /** The settlement in progress. */
  settling: Fiber.Fiber<void> | undefined
  /** Whether the bucket's standing is known, or was assumed since the database does not tell. */
  isKnown = false

  constructor(at: number) {
    this.#at = at
  }

  /** Adds its part of what the bucket gained in the meantime. */
  refill(perMinute: number, at: number): void {
    const gained = (Math.max(0, at - this.#at) / MINUTE) * (perMinute / this.sharers)
    this.tokens = Math.min(perMinute, this.tokens + gained)
    this.#at = at
  }

  /** Lets a bucket begin full of which nothing is known. */
  assumeFull(perMinute: number, at: number): void {
    if (this.isKnown) return
    this.isKnown = true
    this.tokens = perMinute - this.used
    this.#at = at
  }

  /** Whether the last settlement is long enough ago. */
  isDue(at: number): boolean {
    return this.settling === undefined && at - this.#settledAt >= SETTLE_MILLIS
  }

  /** Begins a settlement; returns what was used until then. */
  begin(at: number): number {
    const { used } = this
    this.used = 0
    this.#settledAt = at
    return used
  }

  /** Takes over how the bucket stands after a settlement. */
  settled({ tokens, sharers }: { readonly tokens: number; readonly sharers: number }, at: number): void {
    this.sharers = sharers
    // Tokens that were used while the response was on its way are not in it yet.
    this.tokens = Math.max(0, tokens) / sharers - this.used
    this.#at = at
    this.isKnown = true
  }

  /** Gives out a token. */
  take(): void {
    this.tokens -= 1
    this.used += 1
  }
}

const state = (allowed: boolean, limit: number, { tokens, sharers }: Share): RateLimitState => {
  const remaining = Math.max(0, Math.floor(tokens))
  const missing = remaining + 1 - tokens
  const perSecond = limit / sharers / 60
  return { allowed, limit, remaining, nextSeconds: limit === 0 ? 60 : Math.ceil(missing / perSecond) }
}

/** The limiter over the shared buckets. */
export const layer = Layer.effect(
  RateLimiter,
  Effect.gen(function* () {
    const { settle } = yield* RateBuckets
    const process = `${hostname()}-${uuid(yield* Randomness)}`
    const clock = yield* Clock.Clock
    const fork = Effect.runForkWith(yield* Effect.context())
    const shares = new BoundedMap<string, Share>(MAX_SHARES)
    const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

    const shareOf = (key: string, perMinute: number): Share => {
      const known = shares.get(key)
      if (known !== undefined) {
        known.refill(perMinute, now())
        return known
      }
      const share = new Share(now())
      shares.set(key, share)
      return share
    }

    const settleShare = (key: string, perMinute: number, share: Share) =>
      Effect.suspend(() => {
        const used = share.begin(now())
        return settle({ key, process, used, perMinute }).pipe(
          Effect.match({
            onSuccess: (standing) => share.settled(standing, now()),
            onFailure: () => {
              share.used += used
              share.assumeFull(perMinute, now())
            }
          }),
          Effect.ensuring(
            Effect.sync(() => {
              share.settling = undefined
            })
          )
        )
      })

    /** The settlement in progress, or that begins now since it is due. */
    const settlement = (key: string, perMinute: number, share: Share): Fiber.Fiber<void> | undefined => {
      if (share.isDue(now())) {
        const settling = fork(settleShare(key, perMinute, share))
        if (settling.pollUnsafe() === undefined) share.settling = settling
        return settling
      }
      return share.settling
    }

    const ask = Effect.fnUntraced(function* (key: string, perMinute: number, taking: boolean) {
      let share = shareOf(key, perMinute)
      // A share that is used up, or not known yet, is worth the wait; any other is settled on the side.
      if (!share.isKnown || share.tokens < 1) {
        const settling = settlement(key, perMinute, share)
        if (settling !== undefined) yield* Effect.ignore(Effect.timeout(Fiber.await(settling), PATIENCE))
        share.assumeFull(perMinute, now())
        share = shareOf(key, perMinute)
      } else if (share.used > 0) settlement(key, perMinute, share)
      const allowed = share.tokens >= 1
      if (taking && allowed) share.take()
      return state(allowed, perMinute, share)
    })

    return RateLimiter.of({
      take: (key, perMinute) => ask(key, perMinute, true),
      look: (key, perMinute) => ask(key, perMinute, false)
    })
  })
)
