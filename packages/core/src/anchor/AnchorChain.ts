/** Port: the blockchain that anchors are sent to, and the account that sends them. */
import { Context, type Effect, Layer, Option, Schema } from "effect"
import type { EvidenceBlock } from "./EvidenceBlock.ts"

/** No node responds, or none that is on the right chain. The outcome of the request is unknown. */
export class ChainUnavailable extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", {
  /** The operation that failed. */
  operation: Schema.String,
  /** The error of each node, without its address, which may contain a key. */
  reasons: Schema.Array(Schema.String)
}) {
  override get message() {
    return `could not ${this.operation}: ${this.reasons.join("; ")}`
  }
}

/** The chain's fee is above the highest that the operator allows. It may fall later. */
export class FeeTooHigh extends Schema.TaggedError<FeeTooHigh>()("FeeTooHigh", {
  /** Wei a unit of gas. */
  required: Schema.BigInt,
  allowed: Schema.BigInt
}) {
  override get message() {
    return `a fee of ${this.required} wei a unit of gas is needed, and ${this.allowed} are allowed`
  }
}

/** A node has rejected a transaction: the account cannot pay for it, or its nonce is used. */
export class TransactionRefused extends Schema.TaggedError<TransactionRefused>()("TransactionRefused", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/** A signed transaction, which anybody who has it can send. */
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

/** Where a transaction is in the chain. */
export interface TransactionPlace {
  readonly hash: string
  readonly blockNumber: number
  readonly blockHash: string
}

/** The state of the transactions that were sent with one nonce. The chain can include only one of them. */
export type TransactionFate =
  /** None of them is in a block. */
  | { readonly type: "missing" }
  /** One is in a block that the chain may still drop. */
  | ({ readonly type: "included" } & TransactionPlace)
  /**
   * One is as deep in the chain as the operator requires. `final` is true once the chain calls it finalized.
   */
  | ({ readonly type: "confirmed"; readonly final: boolean } & TransactionPlace)
  /**
   * The account has used the nonce for another transaction, and that is final: none of these is in the chain
   * or ever will be.
   */
  | { readonly type: "superseded" }

/** A transaction as it is in the chain. */
export interface ChainTransaction extends TransactionPlace {
  /** Addresses are `0x` and 40 lower-case hexadecimal characters. */
  readonly from: string
  readonly to: string | null
  readonly data: Uint8Array
}

/** The state of a transaction at the place where it was confirmed. */
export type TransactionReading =
  /** It is there. */
  | ({ readonly type: "found" } & ChainTransaction)
  /** It is not there: the chain has the same block without it, or a different block that is final. */
  | { readonly type: "absent" }
  /**
   * The chain has a different block at that height, which it may still drop: the transaction is not confirmed
   * at present.
   */
  | { readonly type: "dropped" }

/**
 * Contract:
 *
 * - Every result comes from a node that has just stated that it is on the chain `chainId`, and each result
 *   from one node only.
 * - `sign`, `resign` and `fate` change nothing. `send` may be repeated: it also succeeds if the node already
 *   knows the transaction, or if the transaction is in a block.
 * - `fate` returns `confirmed` only for a block that the node's chain has at that height. It returns
 *   `superseded` only once that is final and if the node knows none of the transactions, so that a node
 *   without receipts of old blocks does not make them look lost.
 */
export interface AnchorChainShape {
  readonly chainId: number
  /** Address that signs, `0x` and 40 lower-case hexadecimal characters. */
  readonly account: string
  /** Addresses whose transactions are this service's: the address that signs now, and earlier ones. */
  readonly accounts: ReadonlyArray<string>
  /** The account's next nonce, after those of transactions in the node's pool. */
  readonly nextNonce: Effect.Effect<number, ChainUnavailable>
  /** Signs a transaction from the account to itself, without value, at the chain's current fee. */
  readonly sign: (
    data: Uint8Array,
    nonce: number
  ) => Effect.Effect<SignedTransaction, ChainUnavailable | FeeTooHigh>
  /**
   * Signs the payload of another transaction again, at the chain's current fee. With the same nonce it pays
   * at least an eighth more: for less, nodes keep the old one.
   */
  readonly resign: (
    transaction: SignedTransaction,
    nonce: number
  ) => Effect.Effect<SignedTransaction, ChainUnavailable | FeeTooHigh>
  readonly send: (
    transaction: SignedTransaction
  ) => Effect.Effect<void, ChainUnavailable | TransactionRefused>
  /** The state of some transactions of an account with one nonce. */
  readonly fate: (sent: {
    readonly account: string
    readonly nonce: number
    readonly hashes: ReadonlyArray<string>
  }) => Effect.Effect<TransactionFate, ChainUnavailable>
  /**
   * The transaction with this hash in the block with this number. Fails while the nodes do not have a block
   * with that number.
   */
  readonly read: (place: TransactionPlace) => Effect.Effect<TransactionReading, ChainUnavailable>
  /**
   * The block's header and the Merkle–Patricia proof that the transaction is in it; none if the node knows
   * the block and the transaction is not in it.
   */
  readonly prove: (
    hash: string,
    blockNumber: number
  ) => Effect.Effect<Option.Option<EvidenceBlock>, ChainUnavailable>
}

/** The chain; none if the operator has configured none. */
export class AnchorChain extends Context.Service<AnchorChain, Option.Option<AnchorChainShape>>()(
  "@cairn/core/AnchorChain"
) {
  /** No chain is configured, so anchors stay pending. */
  static readonly layerNone = Layer.succeed(AnchorChain, Option.none())
}

/** Id of Base's main network. */
export const BASE = 8453

/** Id of Base's test network. */
const BASE_SEPOLIA = 84_532

/** A public page that shows a transaction. */
export const explorerUrl = (chainId: number, transactionHash: string): string =>
  `https://${chainId === BASE_SEPOLIA ? "sepolia." : ""}basescan.org/tx/${transactionHash}`
