/**
 * The compact frontier: what a growing Merkle tree must remember of its leaves to go on growing.
 *
 * Those are the roots of the complete subtrees that its leaves split into, one for each bit set in the size,
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
 * A frontier, as a plain value: appending makes another. It can be stored as it is, or encoded, its hashes as
 * lower-case hexadecimal; decoding refuses a number of hashes that does not belong to the size.
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

/** The number of hashes does not belong to the size: one is needed for each bit set in it. */
export class FrontierMismatch extends Schema.TaggedError<FrontierMismatch>()("FrontierMismatch", {
  size: Schema.Number,
  expected: Schema.Number,
  actual: Schema.Number
}) {}

/** The frontier of the tree without leaves. */
export const emptyFrontier: MerkleFrontier = { size: 0, hashes: [] }

/** A frontier from its parts, as a store kept them. `hashes` stand largest subtree first. */
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
 * Told of each complete subtree as the leaf that completes it is appended, its leaf hash (level 0) first:
 * what a store keeps to prove from.
 */
type NodeListener = (level: number, index: number, hash: TreeHash) => void

/**
 * The frontier after more leaves, given their hashes, one after the other: as a binary counter carries, but
 * level by level, so that the nodes of a level are hashed together.
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
  /** Subtrees that no other was there to be joined with, the smallest first. */
  const alone: Array<TreeHash> = []
  let nodes = hashes
  /** Index of the first of the nodes in its level. */
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

/** Leaves that are hashed together: a tree of so many has its own nodes, and eight more carry. */
const BATCH = 256

/**
 * The frontier after more leaves, given their data. The one given is left as it was, so a failed transaction
 * has nothing to undo.
 *
 * Costs 1 + log₂ n SHA-256 a leaf at most and two on average, and holds a few hundred leaves at a time; the
 * buffer that a leaf comes in may be used again for the next. Throws at 2^53 − 1 leaves, which no log
 * reaches.
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
 * The root of the tree so far, `MTH(D_n)` of RFC 9162 section 2.1.1: the subtrees joined from the right,
 * where they are small.
 *
 * Costs one SHA-256 fewer than there are hashes, so less than log₂ n; of no leaves, one.
 */
export const frontierRoot = (sha256: Sha256Shape, frontier: MerkleFrontier): TreeHash => {
  let root: TreeHash | undefined
  for (let index = frontier.hashes.length - 1; index >= 0; index--) {
    const subtree = frontier.hashes[index] as TreeHash
    root = root === undefined ? subtree : nodeHash(sha256, subtree, root)
  }
  return root ?? emptyRoot(sha256)
}
