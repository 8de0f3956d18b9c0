/** What a verification found, as the interface returns it. */
import { Schema } from "effect"

/** One place where the chain does not hold. */
export const ChainBreak = Schema.Struct({
  event_id: Schema.String,
  /**
   * `hash_mismatch`: the event was modified after ingestion. `chain_break`: an event was inserted or deleted before it, or,
   * on the last one, after it.
   */
  type: Schema.Literals(["hash_mismatch", "chain_break"]),
  expected_hash: Schema.String,
  actual_hash: Schema.String
}).annotate({ identifier: "ChainBreak" })
export type ChainBreak = typeof ChainBreak.Type

/** The outcome of verifying a chain. */
export const ChainVerification = Schema.Struct({
  valid: Schema.Boolean,
  /** Chained events that were checked; legacy events are skipped. */
  events_checked: Schema.Int,
  breaks: Schema.Array(ChainBreak)
}).annotate({ identifier: "ChainVerification" })
export type ChainVerification = typeof ChainVerification.Type
