/**
 * The Merkle tree over event hashes (RFC 6962 section 2.1, RFC 9162 section 2.1): SHA-256, `0x00` before a leaf, `0x01` before
 * two nodes, an odd last node carried up as it is and never doubled, the empty tree the SHA-256 of nothing.
 *
 * ```
 * MTH({})  = SHA-256()
 * MTH({d}) = SHA-256(0x00 ‖ d)
 * MTH(D_n) = SHA-256(0x01 ‖ MTH(D[0:k]) ‖ MTH(D[k:n]))    k the largest power of two smaller than n
 * ```
 *
 * A leaf's data are the 32 raw bytes of an event hash. Inside, hashes are bytes and the functions plain and synchronous; the
 * service {@link MerkleTree} is the edge, where they are lower-case hexadecimal.
 */
import { Context, Effect, Layer, Result } from "effect"
import { toHex } from "../hashing/Randomness.ts"
import { HASH_BYTES, Sha256, type Sha256Shape } from "../hashing/Sha256.ts"
import {
  type ConsistencyProof,
  type ConsistentTrees,
  proveConsistency,
  verifyConsistency
} from "./ConsistencyProof.ts"
import { type IncludedLeaf, type InclusionProof, proveInclusion, verifyInclusion } from "./InclusionProof.ts"
import {
  appendLeaves,
  emptyFrontier,
  frontierRoot,
  type MerkleFrontier,
  type NodeListener
} from "./MerkleFrontier.ts"
import type {
  LeafOutOfRange,
  MissingNode,
  ProofLengthMismatch,
  RootMismatch,
  SizesOutOfRange,
  TreeSizeOutOfRange
} from "./ProofError.ts"
import { hashFromHex, leafHash, MalformedHash, writeHex } from "./TreeHash.ts"
import { memoryNodes, type NodeReader, rootFromNodes } from "./TreeNodes.ts"

/**
 * The root of the tree over some leaves' data: `MTH(D_n)`, RFC 9162 section 2.1.1.
 *
 * Costs 2n − 1 SHA-256 and keeps log₂ n hashes; the leaves may come one by one, in one buffer.
 */
export const merkleRoot = (sha256: Sha256Shape, leaves: Iterable<Uint8Array>): Uint8Array =>
  frontierRoot(sha256, appendLeaves(sha256, emptyFrontier, leaves))

/** An inclusion proof whose hashes are lower-case hexadecimal, as it stands in JSON. */
export type InclusionProofJson = typeof InclusionProof.Encoded

/** A consistency proof whose hashes are lower-case hexadecimal, as it stands in JSON. */
export type ConsistencyProofJson = typeof ConsistencyProof.Encoded

/** The Merkle tree over event hashes. Event hashes and roots are 64 lower-case hexadecimal characters, or `MalformedHash`. */
export interface MerkleTreeShape {
  /** The root over the events with these hashes, in their order. Costs 2n − 1 SHA-256. */
  readonly root: (eventHashes: Iterable<string>) => Result.Result<string, MalformedHash>
  /**
   * The frontier after more events. Costs two SHA-256 an event on average. `listen` has been told of the nodes before a
   * malformed hash when there is one.
   */
  readonly append: (
    frontier: MerkleFrontier,
    eventHashes: Iterable<string>,
    listen?: NodeListener
  ) => Result.Result<MerkleFrontier, MalformedHash>
  /** The root of the tree so far. Costs at most log₂ n SHA-256. */
  readonly frontierRoot: (frontier: MerkleFrontier) => string
  /** The whole tree over these events, to prove from. Costs 2n − 1 SHA-256 and 64 bytes an event. */
  readonly nodes: (eventHashes: ReadonlyArray<string>) => Result.Result<NodeReader, MalformedHash>
  /** The root at a size, this or an earlier one, from stored nodes. Costs at most log₂ n SHA-256. */
  readonly rootFromNodes: (
    read: NodeReader,
    treeSize: number
  ) => Result.Result<string, TreeSizeOutOfRange | MissingNode | MalformedHash>
  /** See {@link proveInclusion}. */
  readonly proveInclusion: (
    read: NodeReader,
    leafIndex: number,
    treeSize: number
  ) => Result.Result<InclusionProofJson, LeafOutOfRange | MissingNode | MalformedHash>
  /** Checks that the event with this hash stands at the proof's index, see {@link verifyInclusion}. */
  readonly verifyInclusion: (
    eventHash: string,
    proof: InclusionProofJson,
    root: string
  ) => Result.Result<
    IncludedLeaf<string>,
    LeafOutOfRange | ProofLengthMismatch | MalformedHash | RootMismatch
  >
  /** See {@link proveConsistency}. */
  readonly proveConsistency: (
    read: NodeReader,
    firstSize: number,
    secondSize: number
  ) => Result.Result<ConsistencyProofJson, SizesOutOfRange | MissingNode | MalformedHash>
  /** See {@link verifyConsistency}. */
  readonly verifyConsistency: (
    firstRoot: string,
    secondRoot: string,
    proof: ConsistencyProofJson
  ) => Result.Result<
    ConsistentTrees<string>,
    SizesOutOfRange | ProofLengthMismatch | MalformedHash | RootMismatch
  >
}

/** The frontier after leaves whose data are given in hexadecimal, read into one buffer, one after the other. */
const appendHex = (
  sha256: Sha256Shape,
  frontier: MerkleFrontier,
  texts: Iterable<string>,
  listen?: NodeListener
): Result.Result<MerkleFrontier, MalformedHash> => {
  let malformed: MalformedHash | undefined
  const leaves = function* () {
    const data = new Uint8Array(HASH_BYTES)
    let position = 0
    for (const text of texts) {
      if (!writeHex(text, data)) {
        malformed = new MalformedHash({ part: "leaf_data", position, length: text.length })
        return
      }
      yield data
      position++
    }
  }
  const grown = appendLeaves(sha256, frontier, leaves(), listen)
  return malformed === undefined ? Result.succeed(grown) : Result.fail(malformed)
}

const proofHashes = (texts: ReadonlyArray<string>) =>
  Result.all(texts.map((text, position) => hashFromHex(text, "proof", position)))

const verifyInclusionHex =
  (sha256: Sha256Shape): MerkleTreeShape["verifyInclusion"] =>
  (eventHash, proof, root) =>
    Result.gen(function* () {
      const leaf = leafHash(sha256, yield* hashFromHex(eventHash, "leaf_data"))
      const hashes = yield* proofHashes(proof.hashes)
      const expected = yield* hashFromHex(root, "root")
      const found = yield* verifyInclusion(sha256, leaf, { ...proof, hashes }, expected)
      return { ...found, leafHash: toHex(found.leafHash), root: toHex(found.root) }
    })

const verifyConsistencyHex =
  (sha256: Sha256Shape): MerkleTreeShape["verifyConsistency"] =>
  (firstRoot, secondRoot, proof) =>
    Result.gen(function* () {
      const first = yield* hashFromHex(firstRoot, "first_root")
      const second = yield* hashFromHex(secondRoot, "second_root")
      const hashes = yield* proofHashes(proof.hashes)
      const found = yield* verifyConsistency(sha256, first, second, { ...proof, hashes })
      return { ...found, firstRoot: toHex(found.firstRoot), secondRoot: toHex(found.secondRoot) }
    })

const make = (sha256: Sha256Shape): MerkleTreeShape => ({
  root: (eventHashes) =>
    Result.map(appendHex(sha256, emptyFrontier, eventHashes), (frontier) =>
      toHex(frontierRoot(sha256, frontier))
    ),
  append: (frontier, eventHashes, listen) => appendHex(sha256, frontier, eventHashes, listen),
  frontierRoot: (frontier) => toHex(frontierRoot(sha256, frontier)),
  nodes: (eventHashes) =>
    Result.map(
      Result.all(eventHashes.map((text, position) => hashFromHex(text, "leaf_data", position))),
      (leaves) => memoryNodes(sha256, leaves)
    ),
  rootFromNodes: (read, treeSize) => Result.map(rootFromNodes(sha256, read, treeSize), toHex),
  proveInclusion: (read, leafIndex, treeSize) =>
    Result.map(proveInclusion(sha256, read, leafIndex, treeSize), (proof) => ({
      ...proof,
      hashes: proof.hashes.map(toHex)
    })),
  verifyInclusion: verifyInclusionHex(sha256),
  proveConsistency: (read, firstSize, secondSize) =>
    Result.map(proveConsistency(sha256, read, firstSize, secondSize), (proof) => ({
      ...proof,
      hashes: proof.hashes.map(toHex)
    })),
  verifyConsistency: verifyConsistencyHex(sha256)
})

/** The Merkle tree for those who embed the core. */
export class MerkleTree extends Context.Service<MerkleTree, MerkleTreeShape>()("@cairn/core/MerkleTree") {
  static readonly layer = Layer.effect(MerkleTree, Effect.map(Sha256, make))
}
