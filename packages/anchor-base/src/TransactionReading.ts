/** A transaction read back from the chain, and the proof that it stands in its block. */
import type { SignedTransaction, TransactionPlace, TransactionReading } from "@cairn/core/anchor"
import { Effect, Option } from "effect"
import { hexToBytes, keccak256, recoverTransactionAddress, type TransactionSerialized } from "viem"
import { parseTransaction } from "viem/op-stack"
import { encodeTransaction, proveTransaction } from "./BlockProof.ts"
import { blockAt, finalizedBlock, locate } from "./Blocks.ts"
import { type Node, NodeFailed, type NodeRefused } from "./Nodes.ts"
import { type BlockTransaction, Hex } from "./RpcAnswers.ts"

/**
 * Whether a transaction that is not in the block of a number never was, or the chain has dropped the block
 * that it was in.
 */
const whyAbsent = Effect.fnUntraced(function* (node: Node, blockNumber: number, blockHash: string) {
  const block = yield* blockAt(node, blockNumber)
  if (block?.hash === blockHash) return "absent"
  const finalized = yield* finalizedBlock(node)
  return finalized !== null && finalized.number >= blockNumber ? "absent" : "dropped"
})

/**
 * The bytes of a transaction, encoded from what the block says of it or, for one of a new type, as the node
 * has them.
 */
const rawOf = Effect.fnUntraced(function* (node: Node, transaction: BlockTransaction) {
  return (
    encodeTransaction(transaction) ?? (yield* node.call(Hex, "eth_getRawTransactionByHash", transaction.hash))
  )
})

/** Bytes of a transaction of any type, which is found by reading them. */
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
    catch: () => new NodeFailed({ reason: "a node returned a transaction that cannot be read" })
  })

/** What stands on the chain at a place. */
export const readTransaction = Effect.fnUntraced(function* (
  node: Node,
  { hash, blockNumber, blockHash }: TransactionPlace
): Effect.fn.Return<TransactionReading, NodeFailed | NodeRefused> {
  const found = yield* locate(node, hash, blockNumber)
  if (found === undefined) return { type: yield* whyAbsent(node, blockNumber, blockHash) }
  const raw = yield* rawOf(node, found.transaction)
  if (keccak256(raw) !== hash) {
    return yield* new NodeFailed({ reason: "a node returned another transaction than the one asked for" })
  }
  const body = yield* decodeRaw(raw as Serialized)
  return { type: "found", hash, blockNumber, blockHash: found.block.hash, ...body }
})

/** The proof that a transaction stands in a block; none if it does not. */
export const proofOf = Effect.fnUntraced(function* (node: Node, hash: string, blockNumber: number) {
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

/** What a signed transaction carries. */
export const dataOf = ({ raw }: SignedTransaction): Uint8Array =>
  hexToBytes(parseTransaction(raw as Serialized).data ?? "0x")
