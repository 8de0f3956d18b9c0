/**
 * The shape of a Merkle tree (RFC 9162 section 2.1): which leaves each of its hashes covers. No hashing
 * happens here.
 *
 * All arithmetic is exact up to 2^53 − 1 leaves. JavaScript's bit operators are not exact past 2^31, so they
 * are not used.
 */

/** Leaves `start` to `end`, the latter excluded. */
export interface LeafRange {
  readonly start: number
  readonly end: number
}

/**
 * The root of a complete subtree: it covers the `2^level` leaves from `index · 2^level` on. Level 0 is the
 * leaf hashes.
 */
export interface NodeAddress {
  readonly level: number
  readonly index: number
}

/** Whether `value` counts leaves: an integer from 0 to 2^53 − 1. */
export const isTreeSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** ⌊log₂ value⌋ of an integer from 1 to 2^53 − 1; `Math.log2` rounds up near the powers of two. */
const floorLog2 = (value: number): number =>
  value < 2 ** 32 ? 31 - Math.clz32(value) : 63 - Math.clz32(Math.floor(value / 2 ** 32))

/**
 * The `k` of RFC 9162 section 2.1.1: the largest power of two smaller than `size`, which must be at least 2.
 */
export const splitPoint = (size: number): number => 2 ** floorLog2(size - 1)

/**
 * The complete subtrees that `range` consists of, left to right and so largest first: one for each bit set in
 * its length.
 *
 * `range` must be a range that one hash of a tree covers, so it starts at a multiple of the power of two at
 * or above its length. Costs O(log n).
 */
export const completeSubtrees = (range: LeafRange): ReadonlyArray<NodeAddress> => {
  const nodes: Array<NodeAddress> = []
  for (let start = range.start; start < range.end; ) {
    const level = floorLog2(range.end - start)
    nodes.push({ level, index: start / 2 ** level })
    start += 2 ** level
  }
  return nodes
}

/**
 * The ranges that the hashes of an inclusion proof cover, in the proof's order (RFC 9162 section 2.1.3.1):
 *
 * ```
 * PATH(0, {d}) = {}
 * PATH(m, D_n) = PATH(m, D[0:k]) : MTH(D[k:n])          for m < k
 *              = PATH(m − k, D[k:n]) : MTH(D[0:k])      for m ≥ k
 * ```
 *
 * Requires `leafIndex < treeSize`. Gives at most ⌈log₂ n⌉ ranges; at most one of them is not a complete
 * subtree.
 */
export const inclusionRanges = (leafIndex: number, treeSize: number): ReadonlyArray<LeafRange> => {
  const ranges: Array<LeafRange> = []
  let start = 0
  let end = treeSize
  while (end - start > 1) {
    const middle = start + splitPoint(end - start)
    if (leafIndex < middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  return ranges.reverse()
}

/**
 * The ranges that the hashes of a consistency proof cover, in the proof's order (RFC 9162 section 2.1.4.1):
 *
 * ```
 * PROOF(m, D_n)          = SUBPROOF(m, D_n, true)
 * SUBPROOF(m, D_m, true) = {}                                              the verifier knows the first root
 * SUBPROOF(m, D_m, false)= {MTH(D_m)}
 * SUBPROOF(m, D_n, b)    = SUBPROOF(m, D[0:k], b) : MTH(D[k:n])            for m ≤ k
 *                        = SUBPROOF(m − k, D[k:n], false) : MTH(D[0:k])    for m > k
 * ```
 *
 * Requires `0 < firstSize ≤ secondSize`. Gives at most ⌈log₂ n⌉ + 1 ranges. Each is entirely within the first
 * tree's leaves or entirely after them.
 */
export const consistencyRanges = (firstSize: number, secondSize: number): ReadonlyArray<LeafRange> => {
  const ranges: Array<LeafRange> = []
  let start = 0
  let end = secondSize
  while (end > firstSize) {
    const middle = start + splitPoint(end - start)
    if (firstSize <= middle) {
      ranges.push({ start: middle, end })
      end = middle
    } else {
      ranges.push({ start, end: middle })
      start = middle
    }
  }
  // The rest are the last leaves of the first tree. `b` is false once the walk went right.
  if (start > 0) ranges.push({ start, end })
  return ranges.reverse()
}
