import { assert, describe, it } from "@effect/vitest"
import {
  completeSubtrees,
  consistencyRanges,
  inclusionRanges,
  isTreeSize,
  type LeafRange,
  splitPoint
} from "../../src/merkle/TreeShape.ts"
import { ceilLog2 } from "../support/CountingSha256.ts"

const LARGEST = Number.MAX_SAFE_INTEGER

/** Sizes around every power of two up to 2^53. */
const edgeSizes: ReadonlyArray<number> = Array.from({ length: 54 }, (_, exponent) => 2 ** exponent)
  .flatMap((power) => [power - 1, power, power + 1])
  .filter((size) => size >= 1 && size <= LARGEST)

const spans = (ranges: ReadonlyArray<LeafRange>): string =>
  ranges.map(({ start, end }) => `${start}–${end}`).join(" ")

describe("TreeShape", () => {
  it("takes integers from 0 to 2^53 − 1 for sizes", () => {
    for (const size of [0, 1, 2 ** 32, LARGEST]) assert.isTrue(isTreeSize(size), `${size}`)
    for (const size of [-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.isFalse(isTreeSize(size), `${size}`)
    }
  })

  it("splits at the largest power of two smaller than the size, exactly up to 2^53 − 1", () => {
    for (const size of edgeSizes.filter((size) => size >= 2)) {
      let k = 1n
      while (2n * k < BigInt(size)) k *= 2n
      assert.strictEqual(splitPoint(size), Number(k), `size ${size}`)
    }
  })

  it("takes a tree apart into one complete subtree for each bit set in its size, largest first", () => {
    for (const size of edgeSizes) {
      const nodes = completeSubtrees({ start: 0, end: size })
      const bits = [...BigInt(size).toString(2)].filter((bit) => bit === "1").length
      assert.strictEqual(nodes.length, bits, `size ${size}`)
      let covered = 0
      for (const [position, { level, index }] of nodes.entries()) {
        assert.strictEqual(index * 2 ** level, covered, `size ${size}, subtree ${position}`)
        covered += 2 ** level
      }
      assert.strictEqual(covered, size)
    }
    assert.deepStrictEqual(completeSubtrees({ start: 0, end: 0 }), [])
  })

  it("takes a range within a tree apart at its own place", () => {
    assert.deepStrictEqual(completeSubtrees({ start: 8, end: 13 }), [
      { level: 2, index: 2 },
      { level: 0, index: 12 }
    ])
  })

  // RFC 9162 section 2.1.5, the tree of seven leaves: PATH(0), PATH(3), PATH(4) and PATH(6).
  it.each([
    [0, "1–2 2–4 4–7"],
    [3, "2–3 0–2 4–7"],
    [4, "5–6 6–7 0–4"],
    [6, "4–6 0–4"]
  ])("gives the ranges of the RFC's example for leaf %i of 7", (leaf, expected) => {
    assert.strictEqual(spans(inclusionRanges(leaf, 7)), expected)
  })

  // RFC 9162 section 2.1.5, the tree of seven leaves: PROOF(3), PROOF(4) and PROOF(6).
  it.each([
    [3, "2–3 3–4 0–2 4–7"],
    [4, "4–7"],
    [6, "4–6 6–7 0–4"],
    [7, ""]
  ])("gives the ranges of the RFC's example for the first %i of 7 leaves", (firstSize, expected) => {
    assert.strictEqual(spans(consistencyRanges(firstSize, 7)), expected)
  })

  it("covers with a leaf and its siblings every leaf of the tree exactly once", () => {
    for (const size of edgeSizes) {
      for (const leaf of new Set([0, Math.floor(size / 2), Math.floor(size / 3), size - 1])) {
        const ranges = [{ start: leaf, end: leaf + 1 }, ...inclusionRanges(leaf, size)]
        ranges.sort((one, other) => one.start - other.start)
        for (const [position, { start }] of ranges.entries()) {
          assert.strictEqual(start, ranges[position - 1]?.end ?? 0, `leaf ${leaf} of ${size}`)
        }
        assert.strictEqual(ranges.at(-1)?.end, size, `leaf ${leaf} of ${size}`)
        assert.isAtMost(ranges.length - 1, ceilLog2(size), `leaf ${leaf} of ${size}`)
      }
    }
  })
})
