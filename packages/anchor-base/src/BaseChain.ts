/** The port `AnchorChain` on Base, or any chain that speaks Ethereum's JSON-RPC and knows EIP-1559. */
import {
  AnchorChain,
  type AnchorChainShape,
  BASE,
  type ChainUnavailable,
  type SignedTransaction,
  TransactionRefused
} from "@cairn/core/anchor"
import { Effect, Layer, Option, Redacted } from "effect"
import { bytesToHex, keccak256 } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { blockAt, optional } from "./Blocks.ts"
import { type Confirmations, confirmationsFrom } from "./Confirmations.ts"
import { gasFor, offer } from "./Fees.ts"
import { makeNodes, type Node, NodeFailed, type Nodes } from "./Nodes.ts"
import { Hash, KnownTransaction, Quantity, Wei } from "./RpcAnswers.ts"
import { fateOf } from "./TransactionFate.ts"
import { dataOf, proofOf, readTransaction } from "./TransactionReading.ts"

export { type Confirmations, confirmationsFrom }

/** Settings. */
export interface BaseChainOptions {
  /** Addresses of nodes, the preferred first. */
  readonly urls: readonly [string, ...ReadonlyArray<string>]
  /** See `privateKeyFrom`. */
  readonly privateKey: Redacted.Redacted<`0x${string}`>
  /** 8453, Base, unless set; a node on another chain is not used. */
  readonly chainId?: number
  /** `finalized` unless set. */
  readonly confirmations?: Confirmations
  /**
   * Most that may be offered, in wei a unit of gas; 5 gwei unless set, a hundred times what Base usually asks
   * for.
   */
  readonly maxFeePerGas?: bigint
  /** Milliseconds that a node may take to respond; 10,000 unless set. */
  readonly timeout?: number
  /** Addresses of accounts that anchored before this one did. */
  readonly formerAccounts?: ReadonlyArray<string>
}

const GWEI = 1_000_000_000n

/** An account on a chain, and what its transactions may cost. */
interface SigningContext {
  readonly nodes: Nodes
  readonly chainId: number
  readonly signer: PrivateKeyAccount
  readonly maxFeePerGas: bigint
}

/** What the chain asks for now. */
const marketFees = Effect.fnUntraced(function* (node: Node) {
  const latest = yield* blockAt(node, "latest")
  if (latest?.baseFeePerGas === undefined) return yield* new NodeFailed({ reason: "a node has no base fee" })
  const priorityFee = yield* node.call(Wei, "eth_maxPriorityFeePerGas")
  return { baseFee: latest.baseFeePerGas, priorityFee }
})

/** Signs a transaction to the account itself that carries some data; in the place of another it pays more. */
const signWith = Effect.fnUntraced(function* (
  { nodes, chainId, signer, maxFeePerGas }: SigningContext,
  data: Uint8Array,
  nonce: number,
  replaced?: SignedTransaction
) {
  const market = yield* nodes.first("ask for fees", marketFees)
  const fees = yield* Effect.fromResult(offer(market, maxFeePerGas, replaced))
  const raw = yield* Effect.promise(() =>
    signer.signTransaction({
      type: "eip1559",
      chainId,
      nonce,
      to: signer.address,
      value: 0n,
      gas: gasFor(data),
      data: bytesToHex(data),
      ...fees
    })
  )
  return { hash: keccak256(raw), raw, nonce, ...fees } satisfies SignedTransaction
})

/**
 * Why a node rejects a transaction; undefined if it accepted it, or has it already, in the pool or in a
 * block.
 */
const refusalOf = (node: Node, { raw, hash }: SignedTransaction) =>
  node.call(Hash, "eth_sendRawTransaction", raw).pipe(
    Effect.as(undefined),
    Effect.catchTag("NodeRefused", ({ reason }) =>
      Effect.map(node.call(optional(KnownTransaction), "eth_getTransactionByHash", hash), (known) =>
        known === null ? reason : undefined
      )
    )
  )

const send = Effect.fnUntraced(function* (nodes: Nodes, transaction: SignedTransaction) {
  const reason = yield* nodes.first("send a transaction", (node) => refusalOf(node, transaction))
  if (reason !== undefined) return yield* new TransactionRefused({ reason })
})

const make = (options: BaseChainOptions): AnchorChainShape => {
  const { chainId = BASE, confirmations = "finalized", formerAccounts = [] } = options
  const nodes = makeNodes(options.urls, chainId, options.timeout ?? 10_000)
  const signer = privateKeyToAccount(Redacted.value(options.privateKey))
  const account = signer.address.toLowerCase()
  const signing = { nodes, chainId, signer, maxFeePerGas: options.maxFeePerGas ?? 5n * GWEI }
  return {
    chainId,
    account,
    accounts: [account, ...formerAccounts.map((address) => address.toLowerCase())],
    nextNonce: nodes.first("ask for the next nonce", (node) =>
      node.call(Quantity, "eth_getTransactionCount", account, "pending")
    ),
    sign: (data, nonce) => signWith(signing, data, nonce),
    resign: (transaction, nonce) => {
      const replaced = nonce === transaction.nonce ? transaction : undefined
      return signWith(signing, dataOf(transaction), nonce, replaced)
    },
    send: (transaction) => send(nodes, transaction),
    fate: (sent) => nodes.first("follow a transaction", (node) => fateOf(node, sent, confirmations)),
    read: (place) => nodes.first("read a transaction back", (node) => readTransaction(node, place)),
    prove: (hash, blockNumber) =>
      nodes.first("prove a transaction", (node) => proofOf(node, hash, blockNumber))
  }
}

/** What the account has, in wei, by the nodes that {@link layer} would ask. */
export const balance = (options: BaseChainOptions): Effect.Effect<bigint, ChainUnavailable> => {
  const { address } = privateKeyToAccount(Redacted.value(options.privateKey))
  const nodes = makeNodes(options.urls, options.chainId ?? BASE, options.timeout ?? 10_000)
  return nodes.first("ask for the balance", (node) => node.call(Wei, "eth_getBalance", address, "latest"))
}

/** Base. Nothing is asked before it is needed: nodes may be down when the service starts. */
export const layer = (options: BaseChainOptions) => Layer.sync(AnchorChain, () => Option.some(make(options)))
