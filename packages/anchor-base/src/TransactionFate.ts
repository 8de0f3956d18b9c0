/** What has become of the transactions of a nonce, by what one node says of them. */
import type { AnchorChainShape, TransactionFate, TransactionPlace } from "@cairn/core/anchor"
import { Effect } from "effect"
import { numberToHex } from "viem"
import { blockAt, finalizedBlock, locate, optional } from "./Blocks.ts"
import type { Confirmations } from "./Confirmations.ts"
import { type Node, NodeFailed, type NodeRefused } from "./Nodes.ts"
import { KnownTransaction, Quantity, Receipt } from "./RpcAnswers.ts"

type Sent = Parameters<AnchorChainShape["fate"]>[0]

/** A node's statements contradict each other; another node, or the same one a moment later, may do better. */
const contradiction = () => new NodeFailed({ reason: "a node contradicts itself about a transaction" })

/**
 * Where the chain holds one of some transactions, by its receipt; `left` if there is one, of a block that the
 * chain has left.
 */
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

/**
 * The same without receipts, which a node may have removed: from its blocks; `waiting` if one is in the pool.
 */
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
 * Where the chain holds one of the transactions of a nonce or, if it holds none, whether it never will. That
 * a node has no receipt of them does not say so, even when their nonce is used: it must not know them at all,
 * or they would be taken for lost, and sent twice.
 */
const findPlace = Effect.fnUntraced(function* (
  node: Node,
  { account, nonce, hashes }: Sent
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

/** What has become of the transactions of a nonce; confirmed once their block is as deep as it should be. */
export const fateOf = Effect.fnUntraced(function* (
  node: Node,
  sent: Sent,
  confirmations: Confirmations
): Effect.fn.Return<TransactionFate, NodeFailed | NodeRefused> {
  const place = yield* findPlace(node, sent)
  if (typeof place === "string") return { type: place }
  const { confirmed, final } = yield* depthOf(node, place, confirmations)
  return confirmed ? { type: "confirmed", final, ...place } : { type: "included", ...place }
})
