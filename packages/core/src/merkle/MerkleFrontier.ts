/**
 * The compact frontier: the hashes that a Merkle tree must keep so that leaves can be appended.
 *
 * These are the roots of the complete subtrees that its leaves split into, one for each bit set in the size,
 * so at most 53 hashes. A tree of 13 = 8 + 4 + 1 leaves keeps three:
 *
 * ```
 *         h₀ ────────────── h₁ ──── h₂
 *   0 1 2 3 4 5 6 7   8 9 10 11    12
 * ```
 */
import { Result, Schema } from "effect"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { HASH_BYTES } from "../hashing/Sha256.ts"
import { TreeSizeOutOfRange } from "./ProofError.ts"
import {
  checkHash,
  emptyRoot,
  HashFromHex,
  hashAt,
  leafHash,
  leafHashes,
  type MalformedHash,
  nodeHash,
  nodeHashes,
  type TreeHash
} from "./TreeHash.ts"
import { completeSubtrees, isTreeSize } from "./TreeShape.ts"

/** Complete subtrees in a tree of `size` leaves: the bits set in it. */
const subtreeCount = (size: number): number => completeSubtrees({ start: 0, end: size }).length

/**
 * A frontier as a plain value: appending returns a new one. It can be stored as it is, or encoded with its
 * hashes as lower-case hexadecimal. Decoding fails if the number of hashes does not fit the size.
 */
export const MerkleFrontier = Schema.Struct({
  /** Leaves so far. */
  size: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** Roots of the complete subtrees, the largest and leftmost first. */
  hashes: Schema.Array(HashFromHex)
})
  .check(
    Schema.makeFilter(
      ({ size, hashes }) =>
        hashes.length === subtreeCount(size) || `a tree of ${size} leaves has ${subtreeCount(size)} subtrees`
    )
  )
  .annotate({ identifier: "MerkleFrontier" })
export type MerkleFrontier = typeof MerkleFrontier.Type

/** The number of hashes does not fit the size: there must be one for each bit set in it. */
export class FrontierMismatch extends Schema.TaggedError<FrontierMismatch>()("FrontierMismatch", {
  size: Schema.Number,
  expected: Schema.Number,
  actual: Schema.Number
}) {}

/** The frontier of the tree without leaves. */
export const emptyFrontier: MerkleFrontier = { size: 0, hashes: [] }

/** A frontier from its stored parts. `hashes` are in order, the largest subtree first. */
export const frontierFrom = (
  size: number,
  hashes: ReadonlyArray<TreeHash>
): Result.Result<MerkleFrontier, TreeSizeOutOfRange | FrontierMismatch | MalformedHash> =>
  Result.gen(function* () {
    if (!isTreeSize(size)) return yield* Result.fail(new TreeSizeOutOfRange({ treeSize: size }))
    const expected = subtreeCount(size)
    if (hashes.length !== expected) {
      return yield* Result.fail(new FrontierMismatch({ size, expected, actual: hashes.length }))
    }
    for (const [position, hash] of hashes.entries()) yield* checkHash(hash, "subtree", position)
    return { size, hashes }
  })

/**
 * Called with each complete subtree when the leaf that completes it is appended, the leaf's own hash (level
 * 0) first. A store keeps these nodes to make proofs from them.
 */
type NodeListener = (level: number, index: number, hash: TreeHash) => void

/**
 * The frontier after more leaves, whose hashes are given one after the other. Works like the carry of a
 * binary counter, but level by level, so that the nodes of a level are hashed together.
 *
 * Costs one SHA-256 a leaf on average. Throws at 2^53 − 1 leaves, which no log reaches.
 */
export const appendLeafHashes = (
  sha256: Sha256Shape,
  frontier: MerkleFrontier,
  hashes: Uint8Array,
  listen?: NodeListener
): MerkleFrontier => {
  const size = frontier.size + hashes.length / HASH_BYTES
  if (size > Number.MAX_SAFE_INTEGER) throw new RangeError("a Merkle tree holds at most 2^53 − 1 leaves")
  const left = [...frontier.hashes]
  /** Subtrees that had no neighbour to be joined with, the smallest first. */
  const alone: Array<TreeHash> = []
  let nodes = hashes
  /** Index of the first node in its level. */
  let first = frontier.size
  for (let level = 0; nodes.length > 0; level++) {
    if (listen !== undefined) tell(listen, level, first, nodes)
    if (first % 2 === 1) {
      nodes = concat(left.pop() as TreeHash, nodes)
      first--
    }
    const paired = nodes.length - (nodes.length % (2 * HASH_BYTES))
    if (paired < nodes.length) alone.push(nodes.slice(paired))
    nodes = nodeHashes(sha256, nodes.subarray(0, paired))
    first /= 2
  }
  return { size, hashes: [...left, ...alone.reverse()] }
}

const tell = (listen: NodeListener, level: number, first: number, nodes: Uint8Array): void => {
  for (let index = 0; index * HASH_BYTES < nodes.length; index++) {
    listen(level, first + index, hashAt(nodes, index).slice())
  }
}

const concat = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

/** Leaves that are hashed together: as many as a tree with eight levels of nodes above them has. */
const BATCH = 256

/**
 * The frontier after more leaves, given their data. The original frontier is not changed, so a failed
 * transaction has nothing to undo.
 *
 * Costs at most 1 + log₂ n SHA-256 a leaf and two on average, and holds a few hundred leaves at a time. The
 * caller may reuse one buffer for all leaves. Throws at 2^53 − 1 leaves, which no log reaches.
 */
export const appendLeaves = (
  sha256: Sha256Shape,
  frontier: MerkleFrontier,
  leaves: Iterable<Uint8Array>,
  listen?: NodeListener
): MerkleFrontier => {
  const most = Array.isArray(leaves) ? Math.min(leaves.length, BATCH) : BATCH
  const gathered = new Uint8Array(most * HASH_BYTES)
  let end = 0
  let grown = frontier
  const flush = () => {
    grown = appendLeafHashes(sha256, grown, leafHashes(sha256, gathered.subarray(0, end)), listen)
    end = 0
  }
  for (const data of leaves) {
    if (data.length !== HASH_BYTES) {
      flush()
      grown = appendLeafHashes(sha256, grown, leafHash(sha256, data), listen)
      continue
    }
    gathered.set(data, end)
    end += HASH_BYTES
    if (end === gathered.length) flush()
  }
  flush()
  return grown
}

/**
 * The root of the current tree, `MTH(D_n)` of RFC 9162 section 2.1.1: the subtrees joined from the right,
 * where the smallest are.
 *
 * Costs one SHA-256 fewer than there are hashes, so less than log₂ n. The empty tree costs one.
 */
export const frontierRoot = (sha256: Sha256Shape, frontier: MerkleFrontier): TreeHash => {
  let root: TreeHash | undefined
  for (let index = frontier.hashes.length - 1; index >= 0; index--) {
    const subtree = frontier.hashes[index] as TreeHash
    root = root === undefined ? subtree : nodeHash(sha256, subtree, root)
  }
  return root ?? emptyRoot(sha256)
}
