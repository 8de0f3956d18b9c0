/** Port: token buckets that several processes draw from together. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** What one process took since it last settled. */
export interface RateUsage {
  /** Whose bucket: a workspace's id. */
  readonly key: string
  /** Any text that no other process has. */
  readonly process: string
  /** Tokens it gave out already. */
  readonly used: number
  /** Tokens the bucket holds, and gains in a minute. */
  readonly perMinute: number
}

/** Where a bucket stands after settling. */
interface RateBalance {
  /** Tokens that are left; below zero when more was given out than there was. */
  readonly tokens: number
  /** Processes that settled within the last minute, this one included. */
  readonly sharers: number
}

/**
 * Contract: a bucket begins full, gains `perMinute` tokens a minute and never holds more. What is settled is
 * taken from it, by whomever, exactly once. What it knows may be lost with a crash of the store.
 */
export class RateBuckets extends Context.Service<
  RateBuckets,
  { readonly settle: (usage: RateUsage) => Effect.Effect<RateBalance, StorageUnavailable> }
>()("@cairn/core/RateBuckets") {}
