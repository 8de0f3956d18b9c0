/**
 * Stored nodes: the hashes of a tree's complete subtrees, which never change once their leaves are there, and
 * what can be computed from them. A tree of n leaves has fewer than 2n stored nodes. Any hash of the tree, at
 * its current or any earlier size, is computed from O(log n) of them.
 */
import { Result } from "effect"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { HASH_BYTES } from "../hashing/Sha256.ts"
import { MissingNode, TreeSizeOutOfRange } from "./ProofError.ts"
import {
  checkHash,
  emptyRoot,
  hashAt,
  leafHash,
  type MalformedHash,
  nodeHash,
  nodeHashes,
  type TreeHash
} from "./TreeHash.ts"
import { completeSubtrees, isTreeSize, type LeafRange, type NodeAddress } from "./TreeShape.ts"

/** A complete subtree's hash and place. */
export interface StoredNode extends NodeAddress {
  readonly hash: TreeHash
}

/**
 * Returns the hash of a complete subtree; `undefined` if it is missing.
 *
 * It is synchronous. An asynchronous store first finds which nodes are needed (`completeSubtrees`,
 * `inclusionNodes`, `consistencyNodes`), reads them in one query, and passes them to `nodesOf`.
 */
export type NodeReader = (node: NodeAddress) => TreeHash | undefined

/** A reader over nodes that were already read, in any order. */
export const nodesOf = (nodes: Iterable<StoredNode>): NodeReader => {
  const hashes = new Map<string, TreeHash>()
  for (const { level, index, hash } of nodes) hashes.set(`${level}/${index}`, hash)
  return ({ level, index }) => hashes.get(`${level}/${index}`)
}

/** The level of complete subtrees over `below`. */
const levelAbove = (sha256: Sha256Shape, below: Uint8Array): Uint8Array =>
  nodeHashes(sha256, below.subarray(0, below.length - (below.length % (2 * HASH_BYTES))))

/**
 * A reader over the whole tree of the given leaves' data, held in memory: 64 bytes a leaf.
 *
 * Costs fewer than 2n SHA-256 once; a proof from it then costs O(log n).
 */
export const memoryNodes = (sha256: Sha256Shape, leaves: ReadonlyArray<Uint8Array>): NodeReader => {
  let level: Uint8Array = new Uint8Array(leaves.length * HASH_BYTES)
  for (const [index, data] of leaves.entries()) level.set(leafHash(sha256, data), index * HASH_BYTES)
  const levels: Array<Uint8Array> = []
  for (; level.length > 0; level = levelAbove(sha256, level)) levels.push(level)
  return (node) => {
    const hashes = levels[node.level]
    if (hashes === undefined || (node.index + 1) * HASH_BYTES > hashes.length) return undefined
    // A copy: a hash that is kept in a proof must not keep the whole level in memory.
    return hashAt(hashes, node.index).slice()
  }
}

/**
 * The hash over a range of leaves, which must be a range that one hash of a tree covers: `MTH(D[start:end])`,
 * RFC 9162 section 2.1.1.
 *
 * Costs one read for each bit set in its length, and one SHA-256 fewer.
 */
export const rangeHash = (
  sha256: Sha256Shape,
  read: NodeReader,
  range: LeafRange
): Result.Result<TreeHash, MissingNode | MalformedHash> => {
  let hash: TreeHash | undefined
  // From the right, where the subtrees are small: each larger one to the left is a left child.
  for (const node of completeSubtrees(range).toReversed()) {
    const stored = read(node)
    if (stored === undefined) return Result.fail(new MissingNode(node))
    const checked = checkHash(stored, "stored_node", node.index)
    if (Result.isFailure(checked)) return Result.fail(checked.failure)
    hash = hash === undefined ? stored : nodeHash(sha256, stored, hash)
  }
  return Result.succeed(hash ?? emptyRoot(sha256))
}

/** The hashes of some ranges, in order, or the first failure. */
export const rangeHashes = (
  sha256: Sha256Shape,
  read: NodeReader,
  ranges: ReadonlyArray<LeafRange>
): Result.Result<ReadonlyArray<TreeHash>, MissingNode | MalformedHash> =>
  Result.all(ranges.map((range) => rangeHash(sha256, read, range)))

/**
 * The root of the tree at `treeSize`, which may be any earlier size, from stored nodes.
 *
 * Costs O(log n): one read for each bit set in the size, and one SHA-256 fewer.
 */
export const rootFromNodes = (
  sha256: Sha256Shape,
  read: NodeReader,
  treeSize: number
): Result.Result<TreeHash, TreeSizeOutOfRange | MissingNode | MalformedHash> =>
  isTreeSize(treeSize)
    ? rangeHash(sha256, read, { start: 0, end: treeSize })
    : Result.fail(new TreeSizeOutOfRange({ treeSize }))
