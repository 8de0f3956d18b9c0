/**
 * Consistency proofs (RFC 9162 section 2.1.4): that a tree only grew, its earlier leaves unchanged and in
 * place.
 */
import { Result, Schema } from "effect"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import {
  type MissingNode,
  ProofLengthMismatch,
  type RootMismatch,
  rootMismatch,
  SizesOutOfRange
} from "./ProofError.ts"
import { checkHash, HashFromHex, type MalformedHash, nodeHash, sameHash, type TreeHash } from "./TreeHash.ts"
import { type NodeReader, rangeHashes } from "./TreeNodes.ts"
import {
  completeSubtrees,
  consistencyRanges,
  isTreeSize,
  type LeafRange,
  type NodeAddress
} from "./TreeShape.ts"

/** A consistency proof; encoded, its hashes are lower-case hexadecimal. */
export const ConsistencyProof = Schema.Struct({
  /** Leaves of the earlier tree; at least 1. */
  firstSize: Schema.Int,
  /** Leaves of the later tree; at least `firstSize`. */
  secondSize: Schema.Int,
  /** In the order of RFC 9162 section 2.1.4.1: at most ⌈log₂ n⌉ + 1, none between equal sizes. */
  hashes: Schema.Array(HashFromHex)
}).annotate({ identifier: "ConsistencyProof" })
export type ConsistencyProof = typeof ConsistencyProof.Type

/** The result: one tree is the beginning of the other. */
export interface ConsistentTrees {
  readonly firstSize: number
  readonly firstRoot: TreeHash
  readonly secondSize: number
  readonly secondRoot: TreeHash
}

const coveredRanges = (
  firstSize: number,
  secondSize: number
): Result.Result<ReadonlyArray<LeafRange>, SizesOutOfRange> =>
  isTreeSize(firstSize) && isTreeSize(secondSize) && 0 < firstSize && firstSize <= secondSize
    ? Result.succeed(consistencyRanges(firstSize, secondSize))
    : Result.fail(new SizesOutOfRange({ firstSize, secondSize }))

/**
 * The stored nodes that {@link proveConsistency} reads, so that a store can fetch them in one query: at most
 * 2⌈log₂ n⌉.
 */
export const consistencyNodes = (
  firstSize: number,
  secondSize: number
): Result.Result<ReadonlyArray<NodeAddress>, SizesOutOfRange> =>
  Result.map(coveredRanges(firstSize, secondSize), (ranges) => ranges.flatMap(completeSubtrees))

/**
 * Makes the proof that the tree of `firstSize` leaves is the beginning of the tree of `secondSize`:
 * `PROOF(m, D_n)`, RFC 9162 section 2.1.4.1.
 *
 * Costs O(log n) reads and SHA-256.
 */
export const proveConsistency = (
  sha256: Sha256Shape,
  read: NodeReader,
  firstSize: number,
  secondSize: number
): Result.Result<ConsistencyProof, SizesOutOfRange | MissingNode | MalformedHash> =>
  Result.flatMap(coveredRanges(firstSize, secondSize), (ranges) =>
    Result.map(rangeHashes(sha256, read, ranges), (hashes) => ({ firstSize, secondSize, hashes }))
  )

/**
 * The two roots that follow from a proof, RFC 9162 section 2.1.4.2: from the first tree's last complete part
 * `r` up,
 *
 * ```
 * when c covers leaves of the first tree:  first ← SHA-256(0x01 ‖ c ‖ first)
 *                                          second ← SHA-256(0x01 ‖ c ‖ second)
 * when c covers leaves after it:           second ← SHA-256(0x01 ‖ second ‖ c)
 * ```
 *
 * starting with `first = second = r`, where r is the proof's first hash or, when the first tree is one
 * complete subtree of the second, the first root itself. Fails only if the proof is malformed: {@link
 * verifyConsistency} compares. Costs at most two SHA-256 a hash in the proof.
 */
export const rootsFromConsistencyProof = (
  sha256: Sha256Shape,
  firstRoot: TreeHash,
  proof: ConsistencyProof
): Result.Result<
  { readonly firstRoot: TreeHash; readonly secondRoot: TreeHash },
  SizesOutOfRange | ProofLengthMismatch | MalformedHash
> =>
  Result.gen(function* () {
    const { firstSize, secondSize, hashes } = proof
    const ranges = yield* coveredRanges(firstSize, secondSize)
    if (hashes.length !== ranges.length) {
      return yield* Result.fail(new ProofLengthMismatch({ expected: ranges.length, actual: hashes.length }))
    }
    let first = yield* checkHash(firstRoot, "first_root")
    let second = first
    for (const [position, hash] of hashes.entries()) {
      const covered = yield* checkHash(hash, "proof", position)
      const range = ranges[position] as LeafRange
      if (position === 0 && range.end === firstSize) {
        first = covered
        second = covered
      } else if (range.end <= firstSize) {
        first = nodeHash(sha256, covered, first)
        second = nodeHash(sha256, covered, second)
      } else {
        second = nodeHash(sha256, second, covered)
      }
    }
    return { firstRoot: first, secondRoot: second }
  })

/**
 * Checks that the tree with `firstRoot` is the beginning of the tree with `secondRoot`: every leaf of the
 * first is in the second, unchanged and at the same index.
 *
 * Both roots and their sizes must come from a source other than the proof, such as two signed checkpoints.
 * Costs at most 2⌈log₂ n⌉ + 1 SHA-256.
 */
export const verifyConsistency = (
  sha256: Sha256Shape,
  firstRoot: TreeHash,
  secondRoot: TreeHash,
  proof: ConsistencyProof
): Result.Result<ConsistentTrees, SizesOutOfRange | ProofLengthMismatch | MalformedHash | RootMismatch> =>
  Result.gen(function* () {
    const { firstSize, secondSize } = proof
    const first = yield* checkHash(firstRoot, "first_root")
    const second = yield* checkHash(secondRoot, "second_root")
    const computed = yield* rootsFromConsistencyProof(sha256, first, proof)
    if (!sameHash(first, computed.firstRoot)) {
      return yield* Result.fail(rootMismatch(firstSize, first, computed.firstRoot))
    }
    if (!sameHash(second, computed.secondRoot)) {
      return yield* Result.fail(rootMismatch(secondSize, second, computed.secondRoot))
    }
    return { firstSize, firstRoot: first, secondSize, secondRoot: second }
  })
