import { assert, describe, it } from "@effect/vitest"
import { barsOf, linesOf, type Range, rangeAfter } from "../../../src/log/histogram/Bars.ts"

const at = (second: number) => new Date(second * 1_000).toISOString()

describe("the bars of a histogram", () => {
  it("have empty ones where the service left them out", () => {
    const buckets = [0, 60, 240].map((second) => ({ start: at(second), count: 2 }))
    assert.deepStrictEqual(
      barsOf({ bucket_seconds: 60, buckets }).map(({ start, count }) => [start, count]),
      [
        [0, 2],
        [60, 2],
        [120, 0],
        [180, 0],
        [240, 2]
      ]
    )
  })

  it("have no more empty ones than a screen could show", () => {
    const buckets = [0, 10_000_000].map((second) => ({ start: at(second), count: 2 }))
    const bars = barsOf({ bucket_seconds: 1, buckets })
    assert.lengthOf(bars, 4_001)
    assert.deepStrictEqual(bars.at(-1), { start: 10_000_000, count: 2 })
  })

  it("are none of what is no time, or has no length", () => {
    assert.deepStrictEqual(barsOf({ bucket_seconds: 60, buckets: [{ start: "x", count: 1 }] }), [])
    assert.deepStrictEqual(barsOf({ bucket_seconds: 0, buckets: [{ start: at(0), count: 1 }] }), [])
  })

  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [4, [0, 2, 4]],
    [7, [0, 5, 10]],
    [28, [0, 10, 20, 30]],
    [86_400, [0, 50_000, 100_000]]
  ])("of %i at most stand between round lines", (most, lines) => {
    assert.deepStrictEqual(linesOf([{ start: 0, count: most }]), lines)
  })

  it.each<readonly [string, boolean, Range, Range | undefined]>([
    ["ArrowLeft", false, [3, 3], [2, 2]],
    ["ArrowLeft", false, [0, 0], [0, 0]],
    ["ArrowRight", false, [9, 9], [9, 9]],
    ["ArrowRight", true, [3, 3], [3, 4]],
    ["ArrowLeft", true, [3, 4], [3, 3]],
    ["ArrowLeft", true, [3, 3], [3, 2]],
    ["End", true, [3, 3], [3, 9]],
    ["Home", false, [3, 3], [0, 0]],
    ["a", false, [3, 3], undefined],
    ["toString", false, [3, 3], undefined]
  ])("are gone through by %s (shift: %s) from %j", (key, shiftKey, from, to) => {
    assert.deepStrictEqual(rangeAfter({ key, shiftKey }, from, 10), to)
  })
})
