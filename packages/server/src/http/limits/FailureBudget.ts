/** How many failures someone may have: a token bucket each, which refills by itself. */
import { BoundedMap } from "@cairn/core/encoding"

interface Bucket {
  tokens: number
  /** Milliseconds of the monotonic clock when `tokens` was right. */
  at: number
}

/** The size of each bucket, and how long until one token is back. */
export interface FailureAllowance {
  readonly burst: number
  readonly refillMillis: number
}

/** Buckets kept at most; beyond that those that were touched longest ago go first. */
const MAX_BUCKETS = 20_000

/** The budgets of many subjects. Times are milliseconds of a clock that never goes back. */
export class FailureBudget {
  readonly #allowance: FailureAllowance
  readonly #buckets = new BoundedMap<string, Bucket>(MAX_BUCKETS)

  constructor(allowance: FailureAllowance) {
    this.#allowance = allowance
  }

  /** Milliseconds until the subject may fail again; 0 when it may now. */
  wait(subject: string, now: number): number {
    const bucket = this.#refilled(subject, now)
    return bucket.tokens >= 1 ? 0 : Math.ceil((1 - bucket.tokens) * this.#allowance.refillMillis)
  }

  /** Takes the token of an attempt that may fail. */
  take(subject: string, now: number): void {
    const bucket = this.#refilled(subject, now)
    bucket.tokens = Math.max(0, bucket.tokens - 1)
    this.#buckets.set(subject, bucket)
  }

  /** Gives the token back: the attempt did not fail. */
  giveBack(subject: string, now: number): void {
    const bucket = this.#refilled(subject, now)
    bucket.tokens = Math.min(this.#allowance.burst, bucket.tokens + 1)
    if (bucket.tokens === this.#allowance.burst) this.#buckets.delete(subject)
  }

  #refilled(subject: string, now: number): Bucket {
    const { burst, refillMillis } = this.#allowance
    const bucket = this.#buckets.get(subject)
    if (bucket === undefined) return { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / refillMillis)
    bucket.at = now
    return bucket
  }
}
