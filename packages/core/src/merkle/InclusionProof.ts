/** Inclusion proofs (RFC 9162 section 2.1.3): that a leaf is at an index of the tree with a given root. */
import { Result, Schema } from "effect"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import {
  LeafOutOfRange,
  type MissingNode,
  ProofLengthMismatch,
  type RootMismatch,
  rootMismatch
} from "./ProofError.ts"
import { checkHash, HashFromHex, type MalformedHash, nodeHash, sameHash, type TreeHash } from "./TreeHash.ts"
import { type NodeReader, rangeHashes } from "./TreeNodes.ts"
import {
  completeSubtrees,
  inclusionRanges,
  isTreeSize,
  type LeafRange,
  type NodeAddress
} from "./TreeShape.ts"

/** An inclusion proof; encoded, its hashes are lower-case hexadecimal. */
export const InclusionProof = Schema.Struct({
  /** From 0. */
  leafIndex: Schema.Int,
  /** Leaves of the tree. */
  treeSize: Schema.Int,
  /** The siblings on the way from the leaf to the root, the leaf's own first: at most ⌈log₂ n⌉. */
  hashes: Schema.Array(HashFromHex)
}).annotate({ identifier: "InclusionProof" })
export type InclusionProof = typeof InclusionProof.Type

/** The result: the leaf is in the tree. */
interface IncludedLeaf {
  readonly leafIndex: number
  readonly treeSize: number
  readonly leafHash: TreeHash
  readonly root: TreeHash
}

const siblings = (
  leafIndex: number,
  treeSize: number
): Result.Result<ReadonlyArray<LeafRange>, LeafOutOfRange> =>
  isTreeSize(leafIndex) && isTreeSize(treeSize) && leafIndex < treeSize
    ? Result.succeed(inclusionRanges(leafIndex, treeSize))
    : Result.fail(new LeafOutOfRange({ leafIndex, treeSize }))

/**
 * The stored nodes that {@link proveInclusion} reads, so that a store can fetch them in one query: at most
 * 2⌈log₂ n⌉.
 */
export const inclusionNodes = (
  leafIndex: number,
  treeSize: number
): Result.Result<ReadonlyArray<NodeAddress>, LeafOutOfRange> =>
  Result.map(siblings(leafIndex, treeSize), (ranges) => ranges.flatMap(completeSubtrees))

/**
 * Makes the proof that leaf `leafIndex` is in the tree of `treeSize` leaves, which may be an earlier size of
 * a larger one: `PATH(m, D_n)`, RFC 9162 section 2.1.3.1.
 *
 * Costs at most 2⌈log₂ n⌉ reads and ⌈log₂ n⌉ SHA-256.
 */
export const proveInclusion = (
  sha256: Sha256Shape,
  read: NodeReader,
  leafIndex: number,
  treeSize: number
): Result.Result<InclusionProof, LeafOutOfRange | MissingNode | MalformedHash> =>
  Result.flatMap(siblings(leafIndex, treeSize), (ranges) =>
    Result.map(rangeHashes(sha256, read, ranges), (hashes) => ({ leafIndex, treeSize, hashes }))
  )

/**
 * The root that follows from a leaf's hash and its proof, RFC 9162 section 2.1.3.2: from the leaf up,
 *
 * ```
 * r ← SHA-256(0x01 ‖ sibling ‖ r)   when the sibling is to the left
 *     SHA-256(0x01 ‖ r ‖ sibling)   when it is to the right
 * ```
 *
 * Fails only if the proof is malformed: {@link verifyInclusion} compares. Costs one SHA-256 a hash in the
 * proof.
 */
export const rootFromInclusionProof = (
  sha256: Sha256Shape,
  leafHash: TreeHash,
  proof: InclusionProof
): Result.Result<TreeHash, LeafOutOfRange | ProofLengthMismatch | MalformedHash> =>
  Result.gen(function* () {
    const ranges = yield* siblings(proof.leafIndex, proof.treeSize)
    if (proof.hashes.length !== ranges.length) {
      return yield* Result.fail(
        new ProofLengthMismatch({ expected: ranges.length, actual: proof.hashes.length })
      )
    }
    let root = yield* checkHash(leafHash, "leaf_hash")
    for (const [position, hash] of proof.hashes.entries()) {
      const sibling = yield* checkHash(hash, "proof", position)
      const left = (ranges[position] as LeafRange).start < proof.leafIndex
      root = left ? nodeHash(sha256, sibling, root) : nodeHash(sha256, root, sibling)
    }
    return root
  })

/**
 * Checks that the leaf with `leafHash` is at `proof.leafIndex` of the tree whose root is `root`.
 *
 * `leafHash` is `SHA-256(0x00 ‖ data)`, which the verifier computes from the data it has. `root` and
 * `proof.treeSize` must come from a source other than the proof: an anchor or a signed checkpoint. A root
 * does not determine its tree's size, so a proof holds for every size at which the leaf's siblings are on the
 * same sides. Costs at most ⌈log₂ n⌉ SHA-256.
 */
export const verifyInclusion = (
  sha256: Sha256Shape,
  leafHash: TreeHash,
  proof: InclusionProof,
  root: TreeHash
): Result.Result<IncludedLeaf, LeafOutOfRange | ProofLengthMismatch | MalformedHash | RootMismatch> =>
  Result.gen(function* () {
    const expected = yield* checkHash(root, "root")
    const computed = yield* rootFromInclusionProof(sha256, leafHash, proof)
    if (!sameHash(expected, computed)) {
      return yield* Result.fail(rootMismatch(proof.treeSize, expected, computed))
    }
    return { leafIndex: proof.leafIndex, treeSize: proof.treeSize, leafHash, root: computed }
  })
