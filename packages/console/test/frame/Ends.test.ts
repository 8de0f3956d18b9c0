import { assert, describe, it } from "@effect/vitest"
import { endOf } from "../../src/page/frame/end/Ends.ts"

/** A time of a day in the zone of the tests. */
const local = (day: number, hour: number): number => new Date(2026, 10, day, hour).getTime()

describe("An end", () => {
  // The 27th of November 2026 is a Friday.
  it.each([
    ["on a Wednesday, is two days later", 25, 15, 27],
    ["on a Friday morning, is that evening", 27, 9, 27],
    ["on a Friday night, is a week later", 20, 21, 27],
    ["on a Saturday, is six days later", 21, 12, 27]
  ] as const)("on Friday evening, said %s", (_, day, hour, friday) => {
    assert.strictEqual(endOf("friday", "", local(day, hour)), new Date(local(friday, 20)).toISOString())
  })

  it("after some days is at the same time of the day", () => {
    assert.strictEqual(endOf("week", "", local(2, 15)), new Date(local(9, 15)).toISOString())
  })

  it("at a date is that, and nothing where the date is none", () => {
    assert.strictEqual(endOf("date", "2026-11-05T08:00", 0), new Date(local(5, 8)).toISOString())
    assert.isUndefined(endOf("date", "", 0))
    assert.isUndefined(endOf("date", "soon", 0))
  })

  it("that is never is null, and one that stays is not said", () => {
    assert.isNull(endOf("never", "", 0))
    assert.isUndefined(endOf("keep", "", 0))
  })
})
