/** Port: token buckets that several processes draw from together. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** What one process used since it last settled. */
export interface RateUsage {
  /** The owner of the bucket: a workspace's id. */
  readonly key: string
  /** Any text that identifies the process. */
  readonly process: string
  /** Tokens that it has already used. */
  readonly used: number
  /** The capacity of the bucket, which is also how many tokens it gains in a minute. */
  readonly perMinute: number
}

/** The state of a bucket after settling. */
interface RateBalance {
  /** Tokens that are left; negative if more were used than there were. */
  readonly tokens: number
  /** Processes that settled within the last minute, including this one. */
  readonly sharers: number
}

/**
 * Contract: a bucket begins full, gains `perMinute` tokens a minute and never has more. Settled tokens are
 * taken from it exactly once, whichever process settles. Its state may be lost if the store crashes.
 */
export class RateBuckets extends Context.Service<
  RateBuckets,
  { readonly settle: (usage: RateUsage) => Effect.Effect<RateBalance, StorageUnavailable> }
>()("@cairn/core/RateBuckets") {}
