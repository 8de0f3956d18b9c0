/** Blocks of the chain, by what one node says of them. */
import { Effect, Schema } from "effect"
import { numberToHex } from "viem"
import { type Node, NodeFailed } from "./Nodes.ts"
import { Block, FullBlock } from "./RpcAnswers.ts"

/** A result that may be missing. */
export const optional = <S extends Schema.Constraint>(answer: S) => Schema.NullOr(answer)

/** The block at a height or with a name, if the node has it. */
export const blockAt = (node: Node, at: number | "latest" | "safe" | "finalized") =>
  node.call(optional(Block), "eth_getBlockByNumber", typeof at === "number" ? numberToHex(at) : at, false)

/** The last block that the chain calls final. Not every chain knows the name: nothing is final there. */
export const finalizedBlock = (node: Node) =>
  blockAt(node, "finalized").pipe(Effect.catchTag("NodeRefused", () => Effect.succeed(null)))

/** A block with its transactions; a node that does not have it yet knows nothing of them. */
const fullBlock = Effect.fnUntraced(function* (node: Node, number: number) {
  const block = yield* node.call(optional(FullBlock), "eth_getBlockByNumber", numberToHex(number), true)
  return block ?? (yield* new NodeFailed({ reason: `a node does not have block ${number}` }))
})

/** The block at a height, and a transaction's place among its own; undefined if it is not in there. */
export const locate = Effect.fnUntraced(function* (node: Node, hash: string, blockNumber: number) {
  const block = yield* fullBlock(node, blockNumber)
  const index = block.transactions.findIndex((transaction) => transaction.hash === hash)
  const transaction = block.transactions[index]
  return transaction === undefined ? undefined : { block, index, transaction }
})
