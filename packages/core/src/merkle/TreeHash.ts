/**
 * The hashes that a Merkle tree is made of (RFC 6962 section 2.1, RFC 9162 section 2.1.1): 32 bytes each,
 * never changed once made. The prefixes `0x00` and `0x01` keep a leaf from passing for an inner node.
 *
 * In JSON a hash is 64 lower-case hexadecimal characters; {@link HashFromHex} converts.
 */
import { Result, Schema, SchemaGetter } from "effect"
import { toHex } from "../hashing/Randomness.ts"
import { HASH_BYTES, type Sha256Shape } from "../hashing/Sha256.ts"

/** A hash within a tree: 32 bytes, to be treated as immutable. */
export type TreeHash = Uint8Array

/** A value is not a hash: not 32 bytes, or not 64 lower-case hexadecimal characters. */
export class MalformedHash extends Schema.TaggedError<MalformedHash>()("MalformedHash", {
  part: Schema.Literals([
    "leaf_data",
    "leaf_hash",
    "proof",
    "stored_node",
    "root",
    "first_root",
    "second_root",
    "subtree"
  ]),
  /** Its index among the hashes of the same role; 0 where there is only one. */
  position: Schema.Number,
  /** Its length: bytes or, for a text, characters. */
  length: Schema.Number
}) {}

/** Which of a tree's hashes is meant. */
type HashPart = MalformedHash["part"]

/** Returns the hash if it has 32 bytes. */
export const checkHash = (
  hash: TreeHash,
  part: HashPart,
  position = 0
): Result.Result<TreeHash, MalformedHash> =>
  hash.length === HASH_BYTES
    ? Result.succeed(hash)
    : Result.fail(new MalformedHash({ part, position, length: hash.length }))

/** Values of hexadecimal digits by character code; 255 for any other character below U+0080. */
const DIGITS = new Uint8Array(128).fill(255)
for (let value = 0; value < 16; value++) DIGITS[value.toString(16).charCodeAt(0)] = value

/**
 * Writes the 32 bytes that `text` spells to `into`, from `offset` on. Returns false if it is not 64
 * lower-case hexadecimal characters; `into` then holds garbage. Costs a tenth of a SHA-256 and no
 * allocation, which matters for a million leaves.
 */
export const writeHex = (text: string, into: Uint8Array, offset = 0): boolean => {
  if (text.length !== 2 * HASH_BYTES) return false
  let wrong = 0
  for (let index = 0; index < HASH_BYTES; index++) {
    const high = DIGITS[text.charCodeAt(2 * index)] ?? 255
    const low = DIGITS[text.charCodeAt(2 * index + 1)] ?? 255
    wrong |= high | low
    into[offset + index] = (high << 4) | low
  }
  return wrong < 16
}

/** Reads 64 lower-case hexadecimal characters. */
export const hashFromHex = (
  text: string,
  part: HashPart,
  position = 0
): Result.Result<TreeHash, MalformedHash> => {
  const hash = new Uint8Array(HASH_BYTES)
  return writeHex(text, hash)
    ? Result.succeed(hash)
    : Result.fail(new MalformedHash({ part, position, length: text.length }))
}

/** A hash as JSON has it: 64 lower-case hexadecimal characters, so that one hash has one spelling. */
export const HashFromHex = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 lower-case hexadecimal characters" })
).pipe(
  Schema.decodeTo(Schema.Uint8Array.check(Schema.makeFilter((hash) => hash.length === HASH_BYTES)), {
    decode: SchemaGetter.transform((text) => {
      const hash = new Uint8Array(HASH_BYTES)
      writeHex(text, hash)
      return hash
    }),
    encode: SchemaGetter.transform(toHex)
  })
)

/** Whether two hashes are equal. Neither is a secret, so the comparison need not take constant time. */
export const sameHash = (one: TreeHash, other: TreeHash): boolean => {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false
  return true
}

/** A function that hashes `0x00` and leaf data. Its buffer is used within one synchronous call only. */
const leafHasher = (): ((sha256: Sha256Shape, data: Uint8Array) => TreeHash) => {
  const ordinary = new Uint8Array(1 + HASH_BYTES)
  return (sha256, data) => {
    const input = data.length === HASH_BYTES ? ordinary : new Uint8Array(1 + data.length)
    input.set(data, 1)
    return sha256.bytes(input)
  }
}

/** A function that hashes `0x01` and two hashes. Its buffer is used within one synchronous call only. */
const nodeHasher = (): ((sha256: Sha256Shape, left: TreeHash, right: TreeHash) => TreeHash) => {
  const input = new Uint8Array(1 + 2 * HASH_BYTES)
  input[0] = 0x01
  return (sha256, left, right) => {
    input.set(left, 1)
    input.set(right, 1 + HASH_BYTES)
    return sha256.bytes(input)
  }
}

/** The root of the tree without leaves: `MTH({}) = SHA-256()`, RFC 9162 section 2.1.1. Costs one SHA-256. */
export const emptyRoot = (sha256: Sha256Shape): TreeHash => sha256.bytes(new Uint8Array(0))

/** The hash of a leaf, `MTH({d}) = SHA-256(0x00 ‖ d)`, RFC 9162 section 2.1.1. Costs one SHA-256. */
export const leafHash = leafHasher()

/**
 * The hash of an inner node, `SHA-256(0x01 ‖ left ‖ right)`, RFC 9162 section 2.1.1. Costs one SHA-256.
 *
 * Both must be 32 bytes: the caller has checked proofs and stored nodes.
 */
export const nodeHash = nodeHasher()

/** The hash at `index` in a buffer of consecutive hashes, as a view of that buffer. */
export const hashAt = (hashes: Uint8Array, index: number): TreeHash =>
  hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)

/** {@link leafHash} of many leaves: consecutive data of 32 bytes each in, consecutive hashes out. */
export const leafHashes = (sha256: Sha256Shape, data: Uint8Array): Uint8Array => {
  const { lanes } = sha256
  if (lanes !== undefined) return lanes.leaves(data)
  const hashes = new Uint8Array(data.length)
  for (let index = 0; index * HASH_BYTES < data.length; index++) {
    hashes.set(leafHash(sha256, hashAt(data, index)), index * HASH_BYTES)
  }
  return hashes
}

/** {@link nodeHash} of many nodes: consecutive pairs of children in, consecutive hashes out. */
export const nodeHashes = (sha256: Sha256Shape, children: Uint8Array): Uint8Array => {
  const { lanes } = sha256
  if (lanes !== undefined) return lanes.nodes(children)
  const hashes = new Uint8Array(children.length / 2)
  for (let index = 0; index * HASH_BYTES < hashes.length; index++) {
    const node = nodeHash(sha256, hashAt(children, 2 * index), hashAt(children, 2 * index + 1))
    hashes.set(node, index * HASH_BYTES)
  }
  return hashes
}

/** The two hexadecimal digits of each byte, as they are laid out in memory. */
const DIGIT_PAIRS = new Uint16Array(
  Uint8Array.from({ length: 512 }, (_, place) =>
    (((place >> 1) >> (place % 2 === 0 ? 4 : 0)) & 15).toString(16).charCodeAt(0)
  ).buffer
)
const ascii = new TextDecoder()

/** Consecutive hashes in hexadecimal, 64 characters each. Many at once cost half as much as one by one. */
export const spellHashes = (hashes: Uint8Array): string => {
  const pairs = new Uint16Array(hashes.length)
  for (let index = 0; index < hashes.length; index++)
    pairs[index] = DIGIT_PAIRS[hashes[index] as number] as number
  return ascii.decode(pairs)
}

/**
 * Whether `text` is the hash at `index` in hexadecimal, where `spelt` is the result of {@link spellHashes}.
 */
export const isSpelling = (spelt: string, index: number, text: string): boolean =>
  spelt.slice(index * 2 * HASH_BYTES, (index + 1) * 2 * HASH_BYTES) === text
