/**
 * That a transaction stands in a block: the trie of a block's transactions, whose root is in its header
 * (yellow paper 4.3.2).
 */
import { Result, Schema } from "effect"
import { decodeBlockHeader, type MalformedBlockHeader } from "./BlockHeader.ts"
import { keccak256, toEthereumHex } from "./Keccak.ts"
import { rlpNumber } from "./Rlp.ts"
import { InvalidTrieProof, verifyTrieProof } from "./TrieProof.ts"

/** What is claimed: a transaction's place in a block. All bytes, none of them trusted. */
export interface TransactionInclusion {
  /** RLP of the block's header. */
  readonly blockHeader: Uint8Array
  /** From 0. */
  readonly transactionIndex: number
  /** Nodes of the transaction trie, the root first. */
  readonly proof: ReadonlyArray<Uint8Array>
  readonly rawTransaction: Uint8Array
}

/** What was proven, provided that the block of this hash is on the chain, which the caller looks up. */
interface IncludedTransaction {
  readonly transactionHash: string
  readonly transactionIndex: number
  readonly blockHash: string
  readonly blockNumber: number
  /** Seconds since the Unix epoch. */
  readonly timestamp: number
}

/** Another transaction stands at that place. */
export class AnotherTransaction extends Schema.TaggedError<AnotherTransaction>()("AnotherTransaction", {
  expected: Schema.String,
  /** Keccak-256 of the one that stands there. */
  found: Schema.String
}) {
  override get message() {
    return `${this.found} stands there, not ${this.expected}`
  }
}

/**
 * Checks that the block holds the transaction at that place. Costs a Keccak-256 a node of the proof, and
 * three.
 */
export const verifyTransactionInclusion = ({
  blockHeader,
  transactionIndex,
  proof,
  rawTransaction
}: TransactionInclusion): Result.Result<
  IncludedTransaction,
  MalformedBlockHeader | InvalidTrieProof | AnotherTransaction
> =>
  Result.gen(function* () {
    const header = yield* decodeBlockHeader(blockHeader)
    // An invalid index would be encoded as the key of another one.
    if (!Number.isSafeInteger(transactionIndex) || transactionIndex < 0) {
      return yield* Result.fail(new InvalidTrieProof({ reason: "path", position: 0 }))
    }
    const found = yield* verifyTrieProof(header.transactionsRoot, rlpNumber(transactionIndex), proof)
    const [expectedHash, foundHash] = [
      toEthereumHex(keccak256(rawTransaction)),
      toEthereumHex(keccak256(found))
    ]
    if (expectedHash !== foundHash) {
      return yield* Result.fail(new AnotherTransaction({ expected: expectedHash, found: foundHash }))
    }
    return {
      transactionHash: foundHash,
      transactionIndex,
      blockHash: header.hash,
      blockNumber: header.number,
      timestamp: header.timestamp
    }
  })
