/**
 * RFC 9162 section 2.1 written down as it stands, to hold the real code against: recursive, slow, sharing
 * nothing with it.
 */
import { hash as digest } from "node:crypto"

const hash = (...parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  new Uint8Array(digest("sha256", Buffer.concat(parts), "buffer"))

const LEAF = Uint8Array.of(0x00)
const NODE = Uint8Array.of(0x01)

/** "the largest power of two smaller than n" */
const largestPowerOfTwoBelow = (n: number): number => {
  let k = 1
  while (2 * k < n) k *= 2
  return k
}

type Leaves = ReadonlyArray<Uint8Array>

/** Section 2.1.1: the hash of a list of leaves. */
export const MTH = (d: Leaves): Uint8Array => {
  const [first] = d
  if (first === undefined) return hash()
  if (d.length === 1) return hash(LEAF, first)
  const k = largestPowerOfTwoBelow(d.length)
  return hash(NODE, MTH(d.slice(0, k)), MTH(d.slice(k)))
}

/** Section 2.1.3.1: the inclusion proof of leaf `m`. */
export const PATH = (m: number, d: Leaves): ReadonlyArray<Uint8Array> => {
  if (d.length === 1) return []
  const k = largestPowerOfTwoBelow(d.length)
  return m < k
    ? [...PATH(m, d.slice(0, k)), MTH(d.slice(k))]
    : [...PATH(m - k, d.slice(k)), MTH(d.slice(0, k))]
}

/** Section 2.1.4.1: the consistency proof from the first `m` leaves. */
export const PROOF = (m: number, d: Leaves): ReadonlyArray<Uint8Array> => SUBPROOF(m, d, true)

const SUBPROOF = (m: number, d: Leaves, b: boolean): ReadonlyArray<Uint8Array> => {
  if (m === d.length) return b ? [] : [MTH(d)]
  const k = largestPowerOfTwoBelow(d.length)
  return m <= k
    ? [...SUBPROOF(m, d.slice(0, k), b), MTH(d.slice(k))]
    : [...SUBPROOF(m - k, d.slice(k), false), MTH(d.slice(0, k))]
}

const equal = (one: Uint8Array, other: Uint8Array): boolean => Buffer.from(one).equals(other)
const odd = (n: bigint): boolean => n % 2n === 1n

/** Section 2.1.3.2, step by step: whether the proof is accepted. */
export const acceptsInclusion = (
  leafHash: Uint8Array,
  leafIndex: number,
  treeSize: number,
  proof: ReadonlyArray<Uint8Array>,
  rootHash: Uint8Array
): boolean => {
  if (leafIndex >= treeSize) return false
  let fn = BigInt(leafIndex)
  let sn = BigInt(treeSize) - 1n
  let r = leafHash
  for (const p of proof) {
    if (sn === 0n) return false
    if (odd(fn) || fn === sn) {
      r = hash(NODE, p, r)
      while (!odd(fn) && fn !== 0n) {
        fn >>= 1n
        sn >>= 1n
      }
    } else {
      r = hash(NODE, r, p)
    }
    fn >>= 1n
    sn >>= 1n
  }
  return sn === 0n && equal(r, rootHash)
}

/** Section 2.1.4.2, step by step, with equal sizes accepted for equal roots and no proof. */
export const acceptsConsistency = (
  first: number,
  second: number,
  consistencyPath: ReadonlyArray<Uint8Array>,
  firstHash: Uint8Array,
  secondHash: Uint8Array
): boolean => {
  if (first === second) return consistencyPath.length === 0 && equal(firstHash, secondHash)
  if (first < 1 || first > second || consistencyPath.length === 0) return false
  const powerOfTwo = 2 * largestPowerOfTwoBelow(first) === first || first === 1
  const [start, ...rest] = powerOfTwo ? [firstHash, ...consistencyPath] : consistencyPath
  if (start === undefined) return false
  let fn = BigInt(first) - 1n
  let sn = BigInt(second) - 1n
  while (odd(fn)) {
    fn >>= 1n
    sn >>= 1n
  }
  let fr = start
  let sr = start
  for (const c of rest) {
    if (sn === 0n) return false
    if (odd(fn) || fn === sn) {
      fr = hash(NODE, c, fr)
      sr = hash(NODE, c, sr)
      while (!odd(fn) && fn !== 0n) {
        fn >>= 1n
        sn >>= 1n
      }
    } else {
      sr = hash(NODE, sr, c)
    }
    fn >>= 1n
    sn >>= 1n
  }
  return equal(fr, firstHash) && equal(sr, secondHash) && sn === 0n
}

/** The hash of a leaf's data. */
export const leafHashOf = (data: Uint8Array): Uint8Array => hash(LEAF, data)

/** Some leaf data, 32 bytes each, all different: SHA-256 of "leaf 0", "leaf 1" … */
export const someLeaves = (count: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: count }, (_, index) => hash(Buffer.from(`leaf ${index}`)))
