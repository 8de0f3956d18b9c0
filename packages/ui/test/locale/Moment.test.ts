import { assert, describe, it } from "@effect/vitest"
import { countryName, flagOf } from "../../src/locale/Country.ts"
import { fromLocalInput, MomentFormat, millisOf, toLocalInput } from "../../src/locale/Moment.ts"

const SECOND = 1_000
const DAY = 86_400 * SECOND

describe("moments", () => {
  const english = new MomentFormat("en-GB", "Asia/Tokyo")

  it.each([
    [0, "now"],
    [-59 * SECOND, "59 seconds ago"],
    [-60 * SECOND, "1 minute ago"],
    [-3 * 3_600 * SECOND, "3 hours ago"],
    [-DAY, "yesterday"],
    [-29 * DAY, "29 days ago"],
    [-400 * DAY, "last year"],
    [89.9 * DAY, "in 3 months"],
    [3 * 365 * DAY - 1, "in 3 years"],
    [2 * DAY, "in 2 days"]
  ])("%i ms away are %s", (away, text) => {
    assert.strictEqual(english.relative(1e12 + away, 1e12), text)
  })

  it.each([
    ["an end on Friday evening, from Wednesday evening", "25T21:00", "27T20:00", "in 2 days"],
    ["an end in the night, from the evening before the last", "25T21:00", "27T00:30", "in 2 days"],
    ["an end the next night, a day later", "25T00:10", "26T23:50", "tomorrow"],
    ["what is kept for seven days, some seconds later", "10T12:00:09", "17T12:00", "in 7 days"],
    ["an evening, from two mornings later", "27T09:00", "25T20:00", "2 days ago"],
    ["less than a day, over midnight", "25T21:00", "26T20:00", "in 23 hours"]
  ])("days are those of the calendar: %s", (_, now, then, text) => {
    const at = (day: string) => millisOf(`2026-11-${day}+09:00`)
    assert.strictEqual(english.relative(at(then), at(now)), text)
  })

  it.each([
    ["within a day", "2024-05-01T05:00:00Z", "15 hours ago"],
    ["a day before", "2024-04-30T20:00:00Z", "1 May 2024, 05:00"],
    ["a day after", "2024-05-02T20:00:00Z", "3 May 2024, 05:00"],
    ["no time", "", ""]
  ])("in a list are a date once they are a day away: %s", (_, text, told) => {
    assert.strictEqual(english.brief(millisOf(text), millisOf("2024-05-01T20:00:00Z")), told)
  })

  it("of a part of a day are told with their hours", () => {
    const [from, to] = ["2024-05-01T02:00:00+09:00", "2024-05-01T03:59:59+09:00"].map(millisOf)
    assert.strictEqual(english.hours(from ?? 0, to ?? 0), "1 May 2024, 02:00–03:59")
    assert.strictEqual(english.hours(Number.NaN, to ?? 0), "")
  })

  it("are told in the zone", () => {
    const millis = millisOf("2024-05-01T20:00:00.123456Z")
    assert.strictEqual(english.absolute(millis), "2 May 2024, 05:00:00 GMT+9")
    assert.strictEqual(english.full(millis), "Thursday, 2 May 2024 at 05:00:00 GMT+9")
  })

  it("on an axis are told as finely as it needs", () => {
    const millis = millisOf("2024-05-01T20:00:07Z")
    const ticks = [3_600 * SECOND, DAY, 14 * DAY, 15 * DAY].map((range) => english.tick(millis, range))
    assert.deepStrictEqual(ticks, ["05:00:07", "05:00", "2 May, 5:00", "2 May 2024"])
  })

  it("that are none are told as nothing", () => {
    for (const text of ["", "x", "2024-13-01"]) {
      assert.strictEqual(english.relative(millisOf(text), 0), "")
      assert.strictEqual(english.absolute(millisOf(text)), "")
      assert.strictEqual(toLocalInput(text), "")
      assert.strictEqual(fromLocalInput(text), "")
    }
  })

  it("come back from an input as they went in, to the second", () => {
    assert.strictEqual(fromLocalInput(toLocalInput("2024-05-01T20:00:07.9Z")), "2024-05-01T20:00:07.000Z")
  })
})

describe("countries", () => {
  it("have flags and names, and what is no code has neither", () => {
    assert.strictEqual(flagOf("DE"), "🇩🇪")
    assert.strictEqual(countryName("DE", "ja"), "ドイツ")
    for (const code of ["", "de", "D", "DEU", "<b>"]) {
      assert.strictEqual(flagOf(code), "")
      assert.strictEqual(countryName(code, "en"), code)
    }
  })
})
