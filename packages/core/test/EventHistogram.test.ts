import { bucketSeconds, Micros } from "@cairn/core"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"

describe("The length of a histogram's buckets", () => {
  const moment = FastCheck.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * Micros.SECOND)

  it("is such that no more than the asked-for number reach from the first moment to the last", () => {
    void FastCheck.assert(
      FastCheck.property(moment, moment, FastCheck.integer({ min: 1, max: 200 }), (one, other, buckets) => {
        const [first, last] = [Math.min(one, other), Math.max(one, other)]
        const length = bucketSeconds(first, last, buckets) * Micros.SECOND
        assert.isAtMost(Math.floor(last / length) - Math.floor(first / length) + 1, buckets)
      })
    )
  })

  it("is the shortest of those that people read easily", () => {
    const noon = Micros.parse("2026-05-01T12:00:00Z") ?? 0
    for (const [span, buckets, seconds] of [
      [0, 1, 1],
      [59, 60, 1],
      [60, 60, 5],
      [3_600, 61, 60],
      [86_400, 60, 3_600],
      [365 * 86_400, 60, 7 * 86_400]
    ] as const) {
      assert.strictEqual(bucketSeconds(noon, noon + span * Micros.SECOND, buckets), seconds)
    }
  })
})
