/**
 * Proves that a run of leaves is in a tree, without the leaves before and after it. The proof is the frontier
 * over the leaves before, to which the run is appended, and a consistency proof from the tree that ends with
 * the run to the whole tree.
 *
 * ```
 *   frontier │ leaf leaf leaf leaf │ consistency proof
 *   ─────────┴─────────────────────┴──────────────────
 *   0      start                  end            size      root, from a signed checkpoint or an anchor
 * ```
 *
 * The frontier needs no signature: a wrong frontier leads to a different root.
 */
import { Result } from "effect"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { type ConsistentTrees, verifyConsistency } from "./ConsistencyProof.ts"
import { type FrontierMismatch, frontierFrom, frontierRoot, type MerkleFrontier } from "./MerkleFrontier.ts"
import {
  MissingNode,
  ProofLengthMismatch,
  type RootMismatch,
  rootMismatch,
  type SizesOutOfRange,
  TreeSizeOutOfRange
} from "./ProofError.ts"
import { checkHash, type MalformedHash, sameHash, type TreeHash } from "./TreeHash.ts"
import type { NodeReader } from "./TreeNodes.ts"
import { completeSubtrees, isTreeSize, type NodeAddress } from "./TreeShape.ts"

/** The stored nodes that {@link frontierFromNodes} reads: at most ⌊log₂ n⌋ + 1. */
const frontierNodes = (size: number): Result.Result<ReadonlyArray<NodeAddress>, TreeSizeOutOfRange> =>
  isTreeSize(size)
    ? Result.succeed(completeSubtrees({ start: 0, end: size }))
    : Result.fail(new TreeSizeOutOfRange({ treeSize: size }))

/**
 * The frontier of a tree at this or an earlier size, from stored nodes. Costs one read for each bit set in
 * the size.
 */
export const frontierFromNodes = (
  read: NodeReader,
  size: number
): Result.Result<MerkleFrontier, TreeSizeOutOfRange | MissingNode | FrontierMismatch | MalformedHash> =>
  Result.gen(function* () {
    const hashes: Array<TreeHash> = []
    for (const node of yield* frontierNodes(size)) {
      const hash = read(node)
      if (hash === undefined) return yield* Result.fail(new MissingNode(node))
      hashes.push(hash)
    }
    return yield* frontierFrom(size, hashes)
  })

/**
 * Checks that the tree of a frontier is the beginning of the tree with `root` and `size`, or the whole of it.
 *
 * `after` are the hashes of the consistency proof between the two sizes, none if they are equal. As for a
 * consistency proof, `root` and `size` must come from a source other than the proof. Costs O(log n) SHA-256.
 */
export const verifyGrowth = (
  sha256: Sha256Shape,
  frontier: MerkleFrontier,
  size: number,
  root: TreeHash,
  after: ReadonlyArray<TreeHash>
): Result.Result<ConsistentTrees, SizesOutOfRange | ProofLengthMismatch | MalformedHash | RootMismatch> =>
  Result.gen(function* () {
    const computed = frontierRoot(sha256, frontier)
    const firstSize = frontier.size
    if (firstSize !== size) {
      return yield* verifyConsistency(sha256, computed, root, { firstSize, secondSize: size, hashes: after })
    }
    const expected = yield* checkHash(root, "root")
    if (after.length > 0) {
      return yield* Result.fail(new ProofLengthMismatch({ expected: 0, actual: after.length }))
    }
    if (!sameHash(computed, expected)) return yield* Result.fail(rootMismatch(size, expected, computed))
    return { firstSize, firstRoot: computed, secondSize: size, secondRoot: computed }
  })
