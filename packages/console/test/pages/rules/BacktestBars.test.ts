import { assert, describe, it } from "@effect/vitest"
import { backtestBars, countSince } from "../../../src/page/pages/rules/BacktestBars.ts"

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const alert = (minute: number) => ({ triggered_at: at(minute) })

describe("the bars of a backtest", () => {
  it("go from the first to the last of events and alerts, without gaps", () => {
    const log = {
      bucket_seconds: 600,
      buckets: [
        { start: at(10), count: 5 },
        { start: at(30), count: 2 }
      ]
    }
    // The last one is newer than the counts, which were read before.
    const bars = backtestBars(log, [alert(11), alert(19), alert(31), alert(45)])
    assert.deepStrictEqual(
      bars.map(({ start, events, alerts }) => [new Date(start).toISOString(), events, alerts]),
      [
        [at(10), 5, 2],
        [at(20), 0, 0],
        [at(30), 2, 1],
        [at(40), 0, 1]
      ]
    )
  })

  it("are none of an empty log, and limited in number", () => {
    assert.deepStrictEqual(backtestBars({ bucket_seconds: 60, buckets: [] }, []), [])
    const far = { bucket_seconds: 1, buckets: [{ start: at(0), count: 1 }] }
    assert.lengthOf(backtestBars(far, [alert(1_000_000)]), 500)
  })
})

describe("alerts since a time", () => {
  it("include those at that time", () => {
    assert.strictEqual(countSince([alert(1), alert(2), alert(3)], Date.parse(at(2))), 2)
  })
})
