/** Why a Merkle proof does not hold or cannot be made. Hashes in these errors are lower-case hexadecimal. */
import { Schema } from "effect"
import { toHex } from "../hashing/Randomness.ts"
import type { TreeHash } from "./TreeHash.ts"

/** No such leaf: sizes and indexes are integers up to 2^53 − 1, and `0 ≤ leafIndex < treeSize`. */
export class LeafOutOfRange extends Schema.TaggedError<LeafOutOfRange>()("LeafOutOfRange", {
  leafIndex: Schema.Number,
  treeSize: Schema.Number
}) {}

/** Not the size of a tree: an integer from 0 to 2^53 − 1. */
export class TreeSizeOutOfRange extends Schema.TaggedError<TreeSizeOutOfRange>()("TreeSizeOutOfRange", {
  treeSize: Schema.Number
}) {}

/**
 * No consistency proof exists between these sizes: integers up to 2^53 − 1 with `0 < firstSize ≤ secondSize`.
 *
 * Every tree begins as the empty one, so a proof from size 0 would say nothing about the second root (RFC
 * 9162 section 2.1.4 defines none).
 */
export class SizesOutOfRange extends Schema.TaggedError<SizesOutOfRange>()("SizesOutOfRange", {
  firstSize: Schema.Number,
  secondSize: Schema.Number
}) {}

/** The proof has more or fewer hashes than its sizes and index require. */
export class ProofLengthMismatch extends Schema.TaggedError<ProofLengthMismatch>()("ProofLengthMismatch", {
  expected: Schema.Number,
  actual: Schema.Number
}) {}

/** The proof leads to a root other than the expected one. */
export class RootMismatch extends Schema.TaggedError<RootMismatch>()("RootMismatch", {
  /** Leaves of the tree whose root it is. */
  treeSize: Schema.Number,
  /** The root the verifier was given. */
  expected: Schema.String,
  /** The root that follows from the proof. */
  computed: Schema.String
}) {}

/** A {@link RootMismatch} between hashes. */
export const rootMismatch = (treeSize: number, expected: TreeHash, computed: TreeHash): RootMismatch =>
  new RootMismatch({ treeSize, expected: toHex(expected), computed: toHex(computed) })

/** A complete subtree that the reader should have but does not. */
export class MissingNode extends Schema.TaggedError<MissingNode>()("MissingNode", {
  level: Schema.Number,
  index: Schema.Number
}) {}
