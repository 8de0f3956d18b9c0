/**
 * Proofs in a Merkle–Patricia trie (yellow paper, appendix D): that under a root, a key has a value.
 *
 * A proof is the nodes on the way from the root to the value, each of which is named by its Keccak-256 in the
 * one before. The root is given, and the first node must hash to it: a proof never vouches for its own root.
 */
import { Result, Schema } from "effect"
import { keccak256 } from "./Keccak.ts"
import { MalformedRlp, type RlpItem, readRlp, rlpBytes, rlpItems } from "./Rlp.ts"

/** A trie proof is invalid, and why. */
export class InvalidTrieProof extends Schema.TaggedError<InvalidTrieProof>()("InvalidTrieProof", {
  reason: Schema.Literals([
    /** A node is not the one that the root, or the node before, names. */
    "hash",
    /** A node is not written as one. */
    "node",
    /** The nodes lead elsewhere, or nowhere. */
    "path",
    /** The value is reached without the last nodes. */
    "trailing"
  ]),
  /** Which of the proof's nodes. */
  position: Schema.Number
}) {
  override get message() {
    return `node ${this.position} of the proof does not fit (${this.reason})`
  }
}

/** The sixteen children of a branch and its value. */
const BRANCH = 17
const HASH = 32

/** Four bits each, the higher ones first. */
const nibbles = (bytes: Uint8Array): ReadonlyArray<number> =>
  Array.from(bytes).flatMap((byte) => [byte >> 4, byte & 15])

/** The path within a leaf or an extension, and which of them it is (hex-prefix encoding, appendix C). */
const compactPath = (
  encoded: Uint8Array
): { readonly leaf: boolean; readonly path: ReadonlyArray<number> } | undefined => {
  const [flag, padding, ...rest] = nibbles(encoded)
  if (flag === undefined || padding === undefined || flag > 3) return undefined
  const odd = flag % 2 === 1
  if (!odd && padding !== 0) return undefined
  const path = odd ? [padding, ...rest] : rest
  const leaf = flag >= 2
  // An extension that extends nothing could be put between any two nodes.
  return !leaf && path.length === 0 ? undefined : { leaf, path }
}

/** Where a node leads on the way along `key`: to another node, or to a value. */
interface Step {
  readonly next: RlpItem
  /** Nibbles of the key that are left; undefined if `next` is the value. */
  readonly rest: ReadonlyArray<number> | undefined
}

const follow = (node: RlpItem, key: ReadonlyArray<number>): Result.Result<Step | undefined, MalformedRlp> =>
  Result.gen(function* () {
    const items = yield* rlpItems(node, BRANCH)
    if (items.length === BRANCH) {
      const [nibble, ...rest] = key
      const next = items[nibble ?? BRANCH - 1]
      return next === undefined ? undefined : { next, rest: nibble === undefined ? undefined : rest }
    }
    const [first, next] = items
    const compact = items.length === 2 ? compactPath(yield* rlpBytes(first)) : undefined
    if (compact === undefined || next === undefined)
      return yield* Result.fail(new MalformedRlp({ reason: "length" }))
    const { leaf, path } = compact
    if (!path.every((nibble, index) => nibble === key[index])) return undefined
    if (leaf && path.length !== key.length) return undefined
    return { next, rest: leaf ? undefined : key.slice(path.length) }
  })

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/**
 * The value of `key` under `root`, if `proof` proves it; the nodes must be those on the way and no others.
 *
 * Costs one Keccak-256 a node, and at most as many nodes are looked at as the key has nibbles, and one.
 */
export const verifyTrieProof = (
  root: Uint8Array,
  key: Uint8Array,
  proof: ReadonlyArray<Uint8Array>
): Result.Result<Uint8Array, InvalidTrieProof> => {
  let position = 0
  const refuse = (reason: InvalidTrieProof["reason"]) =>
    Result.fail(new InvalidTrieProof({ reason, position }))
  const malformedNode = Result.mapError<MalformedRlp, InvalidTrieProof>(
    () => new InvalidTrieProof({ reason: "node", position })
  )
  return Result.gen(function* () {
    let expected = root
    let rest = nibbles(key)
    for (const encoded of proof) {
      if (!sameBytes(keccak256(encoded), expected)) return yield* refuse("hash")
      let node = yield* malformedNode(readRlp(encoded))
      for (;;) {
        const step: Step | undefined = yield* malformedNode(follow(node, rest))
        if (step === undefined) return yield* refuse("path")
        if (step.rest === undefined) {
          const value = yield* malformedNode(rlpBytes(step.next))
          if (value.length === 0) return yield* refuse("path")
          return position === proof.length - 1 ? value : yield* refuse("trailing")
        }
        rest = step.rest
        if (step.next.kind === "bytes") {
          // A child that is not there is an empty string.
          if (step.next.payload.length === 0) return yield* refuse("path")
          expected = yield* malformedNode(rlpBytes(step.next, HASH))
          break
        }
        // A node shorter than a hash stands within its parent; the key gets shorter with each, so this ends.
        if (step.next.encoded.length >= HASH) return yield* refuse("node")
        node = step.next
      }
      position++
    }
    return yield* refuse("path")
  })
}
