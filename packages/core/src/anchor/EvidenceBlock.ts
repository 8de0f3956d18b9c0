/** What proves offline that a transaction is in a block. */
import { Schema } from "effect"
import { HexBytes } from "../encoding/HexBytes.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The block that a transaction is in, and the proof that it is. */
export const EvidenceBlock = Schema.Struct({
  /** RLP of the header, whose Keccak-256 is the block's hash. */
  header: HexBytes,
  transaction_index: Count,
  /** Nodes of the transaction trie from its root to the transaction. */
  proof: Schema.Array(HexBytes)
}).annotate({ identifier: "EvidenceBlock" })
export type EvidenceBlock = typeof EvidenceBlock.Type
