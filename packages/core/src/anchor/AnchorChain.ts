/** Port: the blockchain that anchors are sent to, and the account that sends them. */
import { Context, type Effect, Layer, Option, Schema } from "effect"
import type { EvidenceBlock } from "./EvidenceBlock.ts"

/** No node answers, or none that is on the chain it should be on. Nothing is known of what was asked. */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  /** What was being done. */
  operation: Schema.String,
  /** What each node said, without its address, which may hold a key. */
  reasons: Schema.Array(Schema.String)
}) {
  override get message() {
    return `could not ${this.operation}: ${this.reasons.join("; ")}`
  }
}

/** The chain asks for more than the highest fee that the operator has allowed. It may ask for less later. */
export class FeeTooHigh extends Schema.TaggedError<FeeTooHigh>()("FeeTooHigh", {
  /** Wei a unit of gas. */
  required: Schema.BigInt,
  allowed: Schema.BigInt
}) {
  override get message() {
    return `a fee of ${this.required} wei a unit of gas is needed, and ${this.allowed} are allowed`
  }
}

/** A node has refused a transaction: the account cannot pay for it, or its nonce is taken. */
export class TransactionRefused extends Schema.TaggedError<TransactionRefused>()("TransactionRefused", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** A transaction that is signed and can be sent by anyone who has it. */
export interface SignedTransaction {
  /** `0x` and 64 lower-case hexadecimal characters. */
  readonly hash: string
  /** Its bytes, `0x` and lower-case hexadecimal. */
  readonly raw: string
  readonly nonce: number
  /** Wei a unit of gas. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Where a transaction stands in the chain. */
export interface TransactionPlace {
  readonly hash: string
  readonly blockNumber: number
  readonly blockHash: string
}

/** What has become of the transactions that were sent at one nonce, of which the chain can hold one only. */
export type TransactionFate =
  /** None of them is in a block. */
  | { readonly type: "missing" }
  /** One is in a block that may yet go. */
  | ({ readonly type: "included" } & TransactionPlace)
  /** One is as deep in the chain as the operator asks for; `final` once the chain calls it finalized. */
  | ({ readonly type: "confirmed"; readonly final: boolean } & TransactionPlace)
  /**
   * The account has used the nonce for good, and for another transaction: none of them is known, or will ever
   * be in the chain.
   */
  | { readonly type: "superseded" }

/** A transaction as the chain has it. */
export interface ChainTransaction extends TransactionPlace {
  /** Addresses are `0x` and 40 lower-case hexadecimal characters. */
  readonly from: string
  readonly to: string | null
  readonly data: Uint8Array
}

/** What has become of a transaction at the place where it was confirmed. */
export type TransactionReading =
  /** It is there. */
  | ({ readonly type: "found" } & ChainTransaction)
  /** It is not: the chain has that very block without it, or calls another one final. */
  | { readonly type: "absent" }
  /** The chain has another block at that height, which may yet go: the transaction is on its way again. */
  | { readonly type: "dropped" }

/**
 * Contract:
 *
 * - Every answer comes from a node that has just said that it is on the chain of `chainId`; one call's answer
 *   from one node.
 * - `sign`, `resign` and `fate` change nothing. `send` may be repeated: a transaction that the node knows
 *   already, or that is in a block, is as good as sent.
 * - `fate` says `confirmed` only of a block that the node's chain holds at that height, and `superseded` only
 *   once that is final, and if the node knows none of the transactions: one without receipts of old blocks
 *   does not have them taken for lost.
 */
export interface AnchorChainShape {
  readonly chainId: number
  /** Address that signs, `0x` and 40 lower-case hexadecimal characters. */
  readonly account: string
  /** Addresses whose transactions are this service's: the one that signs, and those that did before. */
  readonly accounts: ReadonlyArray<string>
  /** The account's next nonce, after those that wait in the node's pool. */
  readonly nextNonce: Effect.Effect<number, ChainUnavailable>
  /** Signs a transaction of the account to itself, of no value, at the fee that the chain asks for now. */
  readonly sign: (
    data: Uint8Array,
    nonce: number
  ) => Effect.Effect<SignedTransaction, ChainUnavailable | FeeTooHigh>
  /**
   * Signs what another transaction carries again, at the fee that the chain asks for now. At the same nonce
   * it pays at least an eighth more, below which nodes keep the old one.
   */
  readonly resign: (
    transaction: SignedTransaction,
    nonce: number
  ) => Effect.Effect<SignedTransaction, ChainUnavailable | FeeTooHigh>
  readonly send: (
    transaction: SignedTransaction
  ) => Effect.Effect<void, ChainUnavailable | TransactionRefused>
  /** What has become of some transactions of an account at one nonce. */
  readonly fate: (sent: {
    readonly account: string
    readonly nonce: number
    readonly hashes: ReadonlyArray<string>
  }) => Effect.Effect<TransactionFate, ChainUnavailable>
  /**
   * The transaction of this hash in the block of this number. Fails while the nodes do not have a block of
   * that number.
   */
  readonly read: (place: TransactionPlace) => Effect.Effect<TransactionReading, ChainUnavailable>
  /**
   * The block's header and the Merkle–Patricia proof that the transaction stands in it; none if the node
   * knows the block and it is not in there.
   */
  readonly prove: (
    hash: string,
    blockNumber: number
  ) => Effect.Effect<Option.Option<EvidenceBlock>, ChainUnavailable>
}

/** The chain; none when the operator has configured none. */
export class AnchorChain extends Context.Service<AnchorChain, Option.Option<AnchorChainShape>>()(
  "@cairn/core/AnchorChain"
) {
  /** Anchors stay pending. */
  static readonly layerNone = Layer.succeed(AnchorChain, Option.none())
}

/** Id of Base's main network. */
export const BASE = 8453

/** Id of Base's test network. */
const BASE_SEPOLIA = 84_532

/** Where anyone can look at a transaction. */
export const explorerUrl = (chainId: number, transactionHash: string): string =>
  `https://${chainId === BASE_SEPOLIA ? "sepolia." : ""}basescan.org/tx/${transactionHash}`
