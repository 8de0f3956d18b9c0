/** The anchor of a period's events on a blockchain, as the interface returns it. */
import { Schema } from "effect"

const fields = {
  id: Schema.String.annotate({ description: "`anc_` and a UUID" }),
  merkle_root: Schema.String.annotate({
    description: "Merkle root of the period's events, 64 lower-case hex characters"
  }),
  previous_anchor_hash: Schema.NullOr(Schema.String),
  events_count: Schema.Int,
  period_start: Schema.String,
  period_end: Schema.String,
  chain: Schema.Literal("base"),
  status: Schema.Literals(["pending", "submitted", "confirmed"]),
  tx_hash: Schema.NullOr(Schema.String),
  block_number: Schema.NullOr(Schema.Int),
  explorer_url: Schema.NullOr(Schema.String),
  created_at: Schema.String
}

/** An anchor in a list. Times have no fractional digits. */
export const Anchor = Schema.Struct(fields).annotate({ identifier: "Anchor" })
export type Anchor = typeof Anchor.Type

/** A single anchor, with the hashes at both ends of its period. */
export const AnchorDetail = Schema.Struct({
  ...fields,
  first_event_hash: Schema.String,
  last_event_hash: Schema.String
}).annotate({ identifier: "AnchorDetail" })
export type AnchorDetail = typeof AnchorDetail.Type

/** The result of reading an anchor's transaction from the chain. */
export const OnChain = Schema.Struct({
  /**
   * `matches`: the chain has it as it is stored. `differs`: the chain has something else, or nothing in that
   * block. `unreachable`: no node responded, so nothing is known. `not_checked`: the anchor is not confirmed,
   * or no longer because the chain has dropped its block, or no chain is configured.
   */
  status: Schema.Literals(["matches", "differs", "unreachable", "not_checked"]),
  /** One sentence. */
  detail: Schema.String
}).annotate({ identifier: "AnchorOnChain" })
export type OnChain = typeof OnChain.Type

/** The outcome of verifying an anchor. */
export const AnchorVerification = Schema.Struct({
  anchor_id: Schema.String,
  merkle_root: Schema.String,
  /** The root recomputed from the events equals the stored root. */
  valid: Schema.Boolean,
  /** `previous_anchor_hash` matches the anchor before; always true for a workspace's first anchor. */
  chain_valid: Schema.Boolean,
  /** Recomputed now. */
  expected: Schema.String,
  /** Stored at creation. */
  actual: Schema.String,
  events_count: Schema.Int,
  tx_hash: Schema.NullOr(Schema.String),
  explorer_url: Schema.NullOr(Schema.String),
  /**
   * If the chain does not have the root, `valid` is false; any other difference makes `chain_valid` false.
   */
  on_chain: Schema.optionalKey(OnChain)
}).annotate({ identifier: "AnchorVerification" })
export type AnchorVerification = typeof AnchorVerification.Type
