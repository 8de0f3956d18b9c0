/**
 * The compact frontier: what a growing Merkle tree must remember of its leaves to go on growing.
 *
 * Those are the roots of the complete subtrees that its leaves split into, one for each bit set in the size, so at most 53
 * hashes. A tree of 13 = 8 + 4 + 1 leaves keeps three:
 *
 * ```
 *         h₀ ────────────── h₁ ──── h₂
 *   0 1 2 3 4 5 6 7   8 9 10 11    12
 * ```
 */
import { Result, Schema } from "effect"
import { TreeSizeOutOfRange } from "./ProofError.ts"
import type { Sha256Shape } from "./Sha256.ts"
import {
  checkHash,
  emptyRoot,
  HashFromHex,
  leafHash,
  type MalformedHash,
  nodeHash,
  type TreeHash
} from "./TreeHash.ts"
import { completeSubtrees, isTreeSize } from "./TreeShape.ts"

/** Complete subtrees in a tree of `size` leaves: the bits set in it. */
const subtreeCount = (size: number): number => completeSubtrees({ start: 0, end: size }).length

/**
 * A frontier, as a plain value: appending makes another. It can be stored as it is, or encoded, its hashes as lower-case
 * hexadecimal; decoding refuses a number of hashes that does not belong to the size.
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
 * Told of each complete subtree as the leaf that completes it is appended, its leaf hash (level 0) first: what a store keeps
 * to prove from.
 */
export type NodeListener = (level: number, index: number, hash: TreeHash) => void

/** Puts the leaf after `size` others onto `hashes`, joining complete subtrees as a binary counter carries. */
const push = (
  sha256: Sha256Shape,
  hashes: Array<TreeHash>,
  size: number,
  leaf: TreeHash,
  listen: NodeListener | undefined
): void => {
  if (size >= Number.MAX_SAFE_INTEGER) throw new RangeError("a Merkle tree holds at most 2^53 − 1 leaves")
  let hash = leaf
  let index = size
  listen?.(0, index, hash)
  for (let level = 1; index % 2 === 1; level++) {
    hash = nodeHash(sha256, hashes.pop() as TreeHash, hash)
    index = (index - 1) / 2
    listen?.(level, index, hash)
  }
  hashes.push(hash)
}

/**
 * The frontier after more leaves, given their data. The one given is left as it was, so a failed transaction has nothing to
 * undo.
 *
 * Costs 1 + log₂ n SHA-256 a leaf at most and two on average, and holds one leaf at a time, whose buffer may be used again for
 * the next. Throws at 2^53 − 1 leaves, which no log reaches.
 */
export const appendLeaves = (
  sha256: Sha256Shape,
  frontier: MerkleFrontier,
  leaves: Iterable<Uint8Array>,
  listen?: NodeListener
): MerkleFrontier => {
  const hashes = [...frontier.hashes]
  let size = frontier.size
  for (const data of leaves) push(sha256, hashes, size++, leafHash(sha256, data), listen)
  return { size, hashes }
}

/**
 * The root of the tree so far, `MTH(D_n)` of RFC 9162 section 2.1.1: the subtrees joined from the right, where they are small.
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
