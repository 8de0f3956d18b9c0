/** The anchor of a period's events on a blockchain, as the interface returns it. */
import { Schema } from "effect"
import * as Field from "../encoding/FieldSchemas.ts"

const id = Field.prefixedId("anc", "The anchor's id: `anc_` and a UUID")
const merkleRoot = Field.sha256("Merkle root of the period's events")
const eventsCount = Schema.Int.annotate({ description: "Events of the period", minimum: 1 })
const txHash = Field.nullable(
  Schema.String.annotate({ pattern: "^0x[0-9a-f]{64}$" }),
  "Hash of the transaction that carries the root; null until it is sent"
)
const explorer = Field.nullable(
  Field.url(),
  "Where a block explorer shows the transaction; null until it is sent"
)

const fields = {
  id,
  merkle_root: merkleRoot,
  previous_anchor_hash: Field.nullable(
    Field.sha256(),
    "The hash of the workspace's anchor before it; null for the first"
  ),
  events_count: eventsCount,
  period_start: Field.timestamp("The period begins here"),
  period_end: Field.timestamp("The period ends before this"),
  chain: Schema.Literal("base").annotate({ description: "The blockchain" }),
  status: Schema.Literals(["pending", "submitted", "confirmed"]).annotate({
    description: "How far its transaction is: to be sent, sent, or in a block that stays"
  }),
  tx_hash: txHash,
  block_number: Field.nullable(Field.count(), "The block that has the transaction; null until one has"),
  explorer_url: explorer,
  created_at: Field.timestamp("When the anchor was made")
}

/** An anchor in a list. Times have no fractional digits. */
export const Anchor = Schema.Struct(fields).annotate({
  identifier: "Anchor",
  description: "The Merkle root of a period's events on a blockchain. Times have no fractional digits"
})
export type Anchor = typeof Anchor.Type

/** A single anchor, with the hashes at both ends of its period. */
export const AnchorDetail = Schema.Struct({
  ...fields,
  first_event_hash: Field.sha256("The hash of the period's first event"),
  last_event_hash: Field.sha256("The hash of its last event")
}).annotate({
  identifier: "AnchorDetail",
  description: "An anchor, with the hashes at both ends of its period. Times have no fractional digits"
})
export type AnchorDetail = typeof AnchorDetail.Type

/** The result of reading an anchor's transaction from the chain. */
export const OnChain = Schema.Struct({
  status: Schema.Literals(["matches", "differs", "unreachable", "not_checked"]).annotate({
    description:
      "`matches`: the chain has it as it is stored. `differs`: the chain has something else, or nothing in that block. `unreachable`: no " +
      "node responded, so nothing is known. `not_checked`: the anchor is not confirmed, or no longer because the chain has dropped its " +
      "block, or no chain is configured"
  }),
  detail: Field.text("The same in one sentence")
}).annotate({
  identifier: "AnchorOnChain",
  description:
    "What the chain says. If it does not have the root, `valid` is false; any other difference makes `chain_valid` false"
})
export type OnChain = typeof OnChain.Type

/** The outcome of verifying an anchor. */
export const AnchorVerification = Schema.Struct({
  anchor_id: id,
  merkle_root: merkleRoot,
  valid: Schema.Boolean.annotate({
    description: "Whether the root that is recomputed from the events equals the stored root"
  }),
  chain_valid: Schema.Boolean.annotate({
    description:
      "Whether `previous_anchor_hash` matches the anchor before; always true for a workspace's first anchor"
  }),
  expected: Field.text("The root that is recomputed now"),
  actual: Field.text("The root that was stored at creation"),
  events_count: eventsCount,
  tx_hash: txHash,
  explorer_url: explorer,
  on_chain: Schema.optionalKey(OnChain)
}).annotate({ identifier: "AnchorVerification", description: "What verifying an anchor found" })
export type AnchorVerification = typeof AnchorVerification.Type
