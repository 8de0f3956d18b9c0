/**
 * The proof that a transaction stands in a block: the block's header, and the nodes of its transaction trie
 * on the way to the transaction (yellow paper 4.3.2 and appendix D).
 *
 * Nodes have no method for it, so header and transactions are encoded again from what they return. Everything
 * is compared with the hashes: a header, transaction or trie that does not hash to its value is not used.
 */
import type { EvidenceBlock } from "@cairn/core/anchor"
import { createMerkleProof, createMPT } from "@ethereumjs/mpt"
import { Effect, Schema } from "effect"
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, toRlp } from "viem"
import { chainConfig, serializeTransaction } from "viem/op-stack"
import type { BlockTransaction, FullBlock } from "./RpcAnswers.ts"

/** The block cannot be encoded so that it has the hash that it says. */
class BlockNotProven extends Schema.TaggedError<BlockNotProven>()("BlockNotProven", {
  part: Schema.Literals(["header", "transaction", "trie"]),
  blockNumber: Schema.Number
}) {
  override get message() {
    return `the ${this.part} of block ${this.blockNumber} does not have the hash that the node states`
  }
}

/** A number as RLP has it: without leading zeros, and nothing for 0. */
const integer = (value: bigint | number): Hex =>
  BigInt(value) === 0n ? "0x" : numberToHex(value, evenly(value))

const evenly = (value: bigint | number): { readonly size: number } => ({
  size: Math.ceil(value.toString(16).length / 2)
})

/** The fields before the first that is missing. */
const presentFields = (fields: ReadonlyArray<Hex | undefined>): ReadonlyArray<Hex> => {
  const present: Array<Hex> = []
  for (const field of fields) {
    if (field === undefined) break
    present.push(field)
  }
  return present
}

/**
 * The RLP of a header. Forks have only ever added fields at the end, so the first that is missing ends it.
 */
export const encodeHeader = (block: Omit<FullBlock, "transactions">): Hex => {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } =
    block
  const later = [
    baseFeePerGas === undefined ? undefined : integer(baseFeePerGas),
    withdrawalsRoot,
    blobGasUsed === undefined ? undefined : integer(blobGasUsed),
    excessBlobGas === undefined ? undefined : integer(excessBlobGas),
    parentBeaconBlockRoot,
    requestsHash
  ]
  return toRlp([
    ...[block.parentHash, block.sha3Uncles, block.miner, block.stateRoot, block.transactionsRoot],
    ...[block.receiptsRoot, block.logsBloom, integer(block.difficulty), integer(block.number)],
    ...[integer(block.gasLimit), integer(block.gasUsed), integer(block.timestamp), block.extraData],
    ...[block.mixHash, block.nonce],
    ...presentFields(later)
  ])
}

/** The raw bytes of a transaction as a node describes it; undefined if they do not have its hash. */
export const encodeTransaction = (transaction: BlockTransaction): Hex | undefined => {
  try {
    // viem reads the fields of each type; whatever it makes of them is held against the hash.
    const fields = chainConfig.formatters.transaction.format(transaction as never)
    const { r, s, v, yParity } = fields as { r?: Hex; s?: Hex; v?: bigint; yParity?: number }
    const signature =
      r === undefined || s === undefined ? undefined : { r, s, v: v ?? 0n, yParity: yParity ?? 0 }
    const raw = serializeTransaction(
      { ...fields, data: fields.input } as never,
      fields.type === "legacy" && signature !== undefined
        ? { r: signature.r, s: signature.s, v: signature.v }
        : signature
    )
    return keccak256(raw) === transaction.hash ? raw : undefined
  } catch {
    return undefined
  }
}

/**
 * Proves the transaction at `index`, given the block and all of its transactions' bytes. Costs a few
 * milliseconds a hundred of them.
 */
export const proveTransaction = Effect.fnUntraced(function* (
  block: FullBlock,
  raw: ReadonlyArray<Hex>,
  index: number
) {
  const refuse = (part: BlockNotProven["part"]) => new BlockNotProven({ part, blockNumber: block.number })
  const header = encodeHeader(block)
  if (keccak256(header) !== block.hash) return yield* refuse("header")
  const keyOf = (at: number) => hexToBytes(toRlp(integer(at)))
  const { root, nodes } = yield* Effect.tryPromise({
    try: async () => {
      const trie = await createMPT()
      for (const [at, transaction] of raw.entries()) await trie.put(keyOf(at), hexToBytes(transaction))
      return { root: bytesToHex(trie.root()), nodes: await createMerkleProof(trie, keyOf(index)) }
    },
    catch: () => refuse("trie")
  })
  if (root !== block.transactionsRoot) return yield* refuse("trie")
  const proven: EvidenceBlock = {
    header,
    transaction_index: index,
    // A node shorter than a hash stands within its parent, and has no place of its own.
    proof: nodes.map((node) => bytesToHex(node)).filter((node, at) => at === 0 || node.length >= 2 + 2 * 32)
  }
  return proven
})
