/**
 * A Merkle tree of any size up to 2^53 − 1 that fits in memory: all its leaves are alike but for a few, so
 * all its complete subtrees of one height are alike but for those above the few.
 *
 * Written from RFC 9162 section 2.1.1 by recursion over ranges; it shares nothing with the code under test.
 */
import { createHash } from "node:crypto"

const hash = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const sha256 = createHash("sha256")
  for (const part of parts) sha256.update(part)
  return new Uint8Array(sha256.digest())
}

const LEAF = Uint8Array.of(0x00)
const NODE = Uint8Array.of(0x01)

/** The data of every leaf that is not special. */
export const commonLeaf = new Uint8Array(32)

/**
 * The hash of leaves `start` to `end` (excluded) of a tree whose leaves at the indexes in `special` have
 * other data.
 */
export const sparseTree = (special: ReadonlyMap<number, Uint8Array>) => {
  const common = [hash(LEAF, commonLeaf)]
  for (let height = 1; height <= 53; height++) {
    const below = common[height - 1] as Uint8Array
    common.push(hash(NODE, below, below))
  }
  const range = (start: number, end: number): Uint8Array => {
    const length = end - start
    if (length === 1) return hash(LEAF, special.get(start) ?? commonLeaf)
    let k = 1
    let height = 0
    for (; 2 * k < length; height++) k *= 2
    const within = [...special.keys()].some((index) => start <= index && index < end)
    if (2 * k === length && !within) return common[height + 1] as Uint8Array
    return hash(NODE, range(start, start + k), range(start + k, end))
  }
  return {
    range,
    /** As a reader of stored nodes. */
    read: ({ level, index }: { readonly level: number; readonly index: number }) =>
      range(index * 2 ** level, (index + 1) * 2 ** level)
  }
}
