/** The port `AnchorChain` on Base, or any chain that speaks Ethereum's JSON-RPC and knows EIP-1559. */
import {
  AnchorChain,
  type AnchorChainShape,
  BASE,
  type SignedTransaction,
  type TransactionFate,
  type TransactionPlace,
  type TransactionReading,
  TransactionRefused
} from "@cairn/core/anchor"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import {
  bytesToHex,
  hexToBytes,
  keccak256,
  numberToHex,
  recoverTransactionAddress,
  type TransactionSerialized
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { parseTransaction } from "viem/op-stack"
import { encodeTransaction, proveTransaction } from "./BlockProof.ts"
import { gasFor, offer } from "./Fees.ts"
import { makeNodes, type Node, NodeFailed, type NodeRefused } from "./Nodes.ts"
import {
  Block,
  type BlockTransaction,
  FullBlock,
  Hash,
  Hex,
  KnownTransaction,
  Quantity,
  Receipt,
  Wei
} from "./RpcAnswers.ts"

/**
 * How deep a block must be for its anchors to be confirmed: as deep as the chain calls safe or finalized, or that many blocks, its own
 * among them.
 */
export type Confirmations = "finalized" | "safe" | number

/** Reads `finalized`, `safe` or a number of blocks from 1 on; undefined for anything else. */
export const confirmationsFrom = (text: string): Confirmations | undefined => {
  if (text === "finalized" || text === "safe") return text
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

/** Settings. */
export interface BaseChainOptions {
  /** Addresses of nodes, the preferred first. */
  readonly urls: readonly [string, ...ReadonlyArray<string>]
  /** See `privateKeyFrom`. */
  readonly privateKey: Redacted.Redacted<`0x${string}`>
  /** 8453, Base, unless set; a node on another chain is not listened to. */
  readonly chainId?: number
  /** `finalized` unless set. */
  readonly confirmations?: Confirmations
  /** Most that may be offered, in wei a unit of gas; 5 gwei unless set, a hundred times what Base usually asks for. */
  readonly maxFeePerGas?: bigint
  /** Milliseconds that a node may take for an answer; 10,000 unless set. */
  readonly timeout?: number
  /** Addresses of accounts that anchored before this one did. */
  readonly formerAccounts?: ReadonlyArray<string>
}

const GWEI = 1_000_000_000n

const optional = <S extends Schema.Constraint>(answer: S) => Schema.NullOr(answer)

/** The block at a height or of a name, if the node has it. */
const blockAt = (node: Node, at: number | "latest" | "safe" | "finalized") =>
  node.call(optional(Block), "eth_getBlockByNumber", typeof at === "number" ? numberToHex(at) : at, false)

/** What a node says fits no chain; another may know better, or the same one a moment later. */
const contradiction = () => new NodeFailed({ reason: "a node contradicts itself about a transaction" })

/** Where the chain holds one of some transactions, by its receipt; `left` if there is one, of a block that the chain has left. */
const findReceipt = Effect.fnUntraced(function* (
  node: Node,
  hashes: ReadonlyArray<string>
): Effect.fn.Return<TransactionPlace | "left" | undefined, NodeFailed | NodeRefused> {
  let left: "left" | undefined
  for (const hash of hashes) {
    const receipt = yield* node.call(optional(Receipt), "eth_getTransactionReceipt", hash)
    if (receipt === null) continue
    if (receipt.transactionHash !== hash) return yield* contradiction()
    const { blockNumber, blockHash } = receipt
    const block = yield* blockAt(node, blockNumber)
    if (block?.hash === blockHash) return { hash, blockNumber, blockHash }
    left = "left"
  }
  return left
})

/** A block with its transactions; a node that does not have it yet knows nothing of them. */
const fullBlock = Effect.fnUntraced(function* (node: Node, number: number) {
  const block = yield* node.call(optional(FullBlock), "eth_getBlockByNumber", numberToHex(number), true)
  return block ?? (yield* new NodeFailed({ reason: `a node does not have block ${number}` }))
})

/** The block at a height, and a transaction's place among its own; undefined if it is not in there. */
const locate = Effect.fnUntraced(function* (node: Node, hash: string, blockNumber: number) {
  const block = yield* fullBlock(node, blockNumber)
  const index = block.transactions.findIndex((transaction) => transaction.hash === hash)
  const transaction = block.transactions[index]
  return transaction === undefined ? undefined : { block, index, transaction }
})

/** The same without receipts, which a node may have removed: from its blocks; `waiting` if one is in the pool. */
const findKnown = Effect.fnUntraced(function* (
  node: Node,
  hashes: ReadonlyArray<string>
): Effect.fn.Return<TransactionPlace | "waiting" | undefined, NodeFailed | NodeRefused> {
  let waiting: "waiting" | undefined
  for (const hash of hashes) {
    const known = yield* node.call(optional(KnownTransaction), "eth_getTransactionByHash", hash)
    if (known === null) continue
    if (known.hash !== hash) return yield* contradiction()
    const blockNumber = known.blockNumber ?? null
    if (blockNumber !== null) {
      const located = yield* locate(node, hash, blockNumber)
      return located === undefined
        ? yield* contradiction()
        : { hash, blockNumber, blockHash: located.block.hash }
    }
    waiting = "waiting"
  }
  return waiting
})

/** The last block that the chain calls final. Not every chain knows the name: nothing is final there. */
const finalizedBlock = (node: Node) =>
  blockAt(node, "finalized").pipe(Effect.catchTag("NodeRefused", () => Effect.succeed(null)))

/** Whether a block is as deep as it should be, and whether it is final. */
const depthOf = Effect.fnUntraced(function* (
  node: Node,
  { blockNumber }: TransactionPlace,
  confirmations: Confirmations
) {
  const finalized = yield* finalizedBlock(node)
  const final = finalized !== null && finalized.number >= blockNumber
  if (confirmations === "finalized") return { confirmed: final, final }
  const tip = yield* blockAt(node, confirmations === "safe" ? "safe" : "latest")
  if (tip === null) return { confirmed: final, final }
  const depth = tip.number - blockNumber + 1
  return { confirmed: final || depth >= (confirmations === "safe" ? 1 : Math.max(1, confirmations)), final }
})

/** Whether the account has used the nonce in a block that is final. */
const isUsedForGood = Effect.fnUntraced(function* (node: Node, account: string, nonce: number) {
  const finalized = yield* finalizedBlock(node)
  if (finalized === null) return false
  const used = yield* node.call(Quantity, "eth_getTransactionCount", account, numberToHex(finalized.number))
  return used > nonce
})

/**
 * Where the chain holds one of the transactions of a nonce or, if it holds none, whether it never will. That a node has no receipt of them
 * does not say so, even when their nonce is used: it must not know them at all, or they would be taken for lost, and sent twice.
 */
const findPlace = Effect.fnUntraced(function* (
  node: Node,
  { account, nonce, hashes }: Parameters<AnchorChainShape["fate"]>[0]
): Effect.fn.Return<TransactionPlace | "missing" | "superseded", NodeFailed | NodeRefused> {
  const received = yield* findReceipt(node, hashes)
  if (typeof received === "object") return received
  const used = yield* node.call(Quantity, "eth_getTransactionCount", account, "latest")
  if (used <= nonce) return "missing"
  if (received === "left") return yield* contradiction()
  const known = yield* findKnown(node, hashes)
  if (known !== undefined) return known === "waiting" ? "missing" : known
  return (yield* isUsedForGood(node, account, nonce)) ? "superseded" : "missing"
})

/** Whether a transaction that is not in the block of a number never was, or the chain has dropped the block that it was in. */
const whyAbsent = Effect.fnUntraced(function* (node: Node, blockNumber: number, blockHash: string) {
  const block = yield* blockAt(node, blockNumber)
  if (block?.hash === blockHash) return "absent"
  const finalized = yield* finalizedBlock(node)
  return finalized !== null && finalized.number >= blockNumber ? "absent" : "dropped"
})

/** The bytes of a transaction, encoded from what the block says of it or, for one of a new type, as the node has them. */
const rawOf = Effect.fnUntraced(function* (node: Node, transaction: BlockTransaction) {
  return (
    encodeTransaction(transaction) ?? (yield* node.call(Hex, "eth_getRawTransactionByHash", transaction.hash))
  )
})

/** Bytes of a transaction of any type; what they are is told by reading them. */
type Serialized = Parameters<typeof parseTransaction>[0]

/** What a transaction says, from its bytes alone: a node's description of it may be another's. */
const decodeRaw = (raw: Serialized) =>
  Effect.tryPromise({
    try: async () => {
      const parsed = parseTransaction(raw)
      const from =
        parsed.type === "deposit"
          ? parsed.from
          : await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
      return {
        from: from.toLowerCase(),
        to: parsed.to?.toLowerCase() ?? null,
        data: hexToBytes(parsed.data ?? "0x")
      }
    },
    catch: () => new NodeFailed({ reason: "a node shows a transaction that cannot be read" })
  })

const make = (options: BaseChainOptions): AnchorChainShape => {
  const {
    urls,
    chainId = BASE,
    confirmations = "finalized",
    maxFeePerGas = 5n * GWEI,
    timeout = 10_000
  } = options
  const nodes = makeNodes(urls, chainId, timeout)
  const signer = privateKeyToAccount(Redacted.value(options.privateKey))
  const account = signer.address.toLowerCase()

  const marketFees = nodes.first("ask for fees", (node) =>
    Effect.gen(function* () {
      const latest = yield* blockAt(node, "latest")
      if (latest?.baseFeePerGas === undefined)
        return yield* new NodeFailed({ reason: "a node has no base fee" })
      const priorityFee = yield* node.call(Wei, "eth_maxPriorityFeePerGas")
      return { baseFee: latest.baseFeePerGas, priorityFee }
    })
  )

  const signWith = Effect.fnUntraced(function* (
    data: Uint8Array,
    nonce: number,
    replaced?: SignedTransaction
  ) {
    const market = yield* marketFees
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
    const signed: SignedTransaction = { hash: keccak256(raw), raw, nonce, ...fees }
    return signed
  })

  const send = Effect.fnUntraced(function* ({ raw, hash }: SignedTransaction) {
    const refusal = yield* nodes.first("send a transaction", (node) =>
      node.call(Hash, "eth_sendRawTransaction", raw).pipe(
        Effect.as(undefined),
        Effect.catchTag("NodeRefused", ({ reason }) =>
          // Refused because it is there already, in the pool or in a block, is as good as taken.
          Effect.map(node.call(optional(KnownTransaction), "eth_getTransactionByHash", hash), (known) =>
            known === null ? reason : undefined
          )
        )
      )
    )
    if (refusal !== undefined) return yield* new TransactionRefused({ reason: refusal })
  })

  const fate: AnchorChainShape["fate"] = (sent) =>
    nodes.first("follow a transaction", (node) =>
      Effect.gen(function* (): Effect.fn.Return<TransactionFate, NodeFailed | NodeRefused> {
        const place = yield* findPlace(node, sent)
        if (typeof place === "string") return { type: place }
        const { confirmed, final } = yield* depthOf(node, place, confirmations)
        return confirmed ? { type: "confirmed", final, ...place } : { type: "included", ...place }
      })
    )

  const read: AnchorChainShape["read"] = ({ hash, blockNumber, blockHash }) =>
    nodes.first("read a transaction back", (node) =>
      Effect.gen(function* (): Effect.fn.Return<TransactionReading, NodeFailed | NodeRefused> {
        const found = yield* locate(node, hash, blockNumber)
        if (found === undefined) return { type: yield* whyAbsent(node, blockNumber, blockHash) }
        const raw = yield* rawOf(node, found.transaction)
        if (keccak256(raw) !== hash) {
          return yield* new NodeFailed({ reason: "a node shows another transaction than was asked for" })
        }
        const body = yield* decodeRaw(raw as Serialized)
        return { type: "found", hash, blockNumber, blockHash: found.block.hash, ...body }
      })
    )

  const prove: AnchorChainShape["prove"] = (hash, blockNumber) =>
    nodes.first("prove a transaction", (node) =>
      Effect.gen(function* () {
        const found = yield* locate(node, hash, blockNumber)
        if (found === undefined) return Option.none()
        const { block, index } = found
        const raw = yield* Effect.forEach(block.transactions, (transaction) => rawOf(node, transaction))
        const proof = yield* Effect.mapError(
          proveTransaction(block, raw, index),
          ({ message }) => new NodeFailed({ reason: message })
        )
        return Option.some(proof)
      })
    )

  return {
    chainId,
    account,
    accounts: [account, ...(options.formerAccounts ?? []).map((address) => address.toLowerCase())],
    nextNonce: nodes.first("ask for the next nonce", (node) =>
      node.call(Quantity, "eth_getTransactionCount", account, "pending")
    ),
    sign: (data, nonce) => signWith(data, nonce),
    resign: (transaction, nonce) => {
      const data = hexToBytes(parseTransaction(transaction.raw as Serialized).data ?? "0x")
      return signWith(data, nonce, nonce === transaction.nonce ? transaction : undefined)
    },
    send,
    fate,
    read,
    prove
  }
}

/** Base. Nothing is asked before it is needed: nodes may be down when the service starts. */
export const layer = (options: BaseChainOptions) => Layer.sync(AnchorChain, () => Option.some(make(options)))
