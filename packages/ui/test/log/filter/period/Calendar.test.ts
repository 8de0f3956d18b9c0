import { assert, describe, it, vi } from "@effect/vitest"
import {
  beginningOf,
  dateOf,
  dayFormat,
  dayOf,
  edgeOf,
  endOf,
  firstWeekday,
  monthsAfter,
  OPEN,
  weekOf,
  weeksOf
} from "../../../../src/log/filter/period/Calendar.ts"

const day = (date: string) => dayOf(date) ?? Number.NaN

describe("a day", () => {
  it("is a date, and no other text", () => {
    assert.strictEqual(dateOf(day("2024-02-29")), "2024-02-29")
    assert.strictEqual(day("2026-03-05") - day("2026-03-04"), 1)
    for (const text of ["", "2026-13-01", "2026-3-4", "26-03-04", "+275760-09-13"])
      assert.isUndefined(dayOf(text))
  })

  it("has the same number in other months, or their last", () => {
    const after = (date: string, months: number) => dateOf(monthsAfter(day(date), months))
    assert.strictEqual(after("2026-01-31", 1), "2026-02-28")
    assert.strictEqual(after("2026-03-31", -1), "2026-02-28")
    assert.strictEqual(after("2024-02-29", 12), "2025-02-28")
    assert.strictEqual(after("2026-12-15", 1), "2027-01-15")
    assert.strictEqual(after("2026-01-15", -1), "2025-12-15")
  })
})

describe("a week", () => {
  it.each([
    ["en-US", 0],
    ["en-GB", 1],
    ["de", 1],
    ["ja", 0],
    ["ar-EG", 6],
    ["pt-PT", 0]
  ])("begins in %s with day %i", (locale, first) => {
    assert.strictEqual(firstWeekday(locale), first)
  })

  it("has its days in the order of the locale", () => {
    const names = (locale: string) => {
      const name = dayFormat(locale, { weekday: "short" })
      return (weeksOf(day("2026-03-04"), firstWeekday(locale))[0] ?? []).map(name)
    }
    assert.deepStrictEqual(names("de"), ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"])
    assert.deepStrictEqual(names("ja"), ["日", "月", "火", "水", "木", "金", "土"])
  })

  it("begins on or before each of its days", () => {
    assert.strictEqual(dateOf(weekOf(day("2026-03-01"), 1)), "2026-02-23")
    assert.strictEqual(dateOf(weekOf(day("2026-03-01"), 0)), "2026-03-01")
  })
})

describe("a month", () => {
  const shown = (date: string, first: number) =>
    weeksOf(day(date), first).map((week) => [week[0], week[6]].map((one) => dateOf(one ?? 0)).join(" "))

  it("has whole weeks, as many as it needs", () => {
    assert.deepStrictEqual(shown("2026-02-11", 0), [
      "2026-02-01 2026-02-07",
      "2026-02-08 2026-02-14",
      "2026-02-15 2026-02-21",
      "2026-02-22 2026-02-28"
    ])
    assert.strictEqual(shown("2026-02-11", 1).length, 5)
    assert.deepStrictEqual(shown("2026-08-31", 1).at(-1), "2026-08-31 2026-09-06")
    assert.deepStrictEqual(shown("2026-08-31", 1)[0], "2026-07-27 2026-08-02")
  })
})

describe("the ends of a period", () => {
  const on = (date: string, time = "") => ({ date, time })

  it("are whole days unless a time is given", () => {
    assert.strictEqual(beginningOf(on("2026-03-04"), "utc"), "2026-03-04T00:00:00.000Z")
    assert.strictEqual(endOf(on("2026-03-04"), "utc"), "2026-03-04T23:59:59.999999Z")
    assert.strictEqual(beginningOf(on("2026-03-04", "09:30"), "utc"), "2026-03-04T09:30:00.000Z")
    assert.strictEqual(endOf(on("2026-03-04", "09:30:15"), "utc"), "2026-03-04T09:30:15.000Z")
    assert.strictEqual(beginningOf(on("2026-03-04"), "local"), new Date(2026, 2, 4).toISOString())
  })

  it("are of the reader's zone where it is meant", () => {
    vi.stubEnv("TZ", "Asia/Kolkata")
    try {
      assert.strictEqual(beginningOf(on("2026-03-04", "09:30"), "local"), "2026-03-04T04:00:00.000Z")
      assert.strictEqual(endOf(on("2026-03-04", "09:30"), "local"), "2026-03-04T04:00:00.000Z")
      assert.strictEqual(endOf(on("2026-03-04"), "local"), "2026-03-04T18:29:59.999999Z")
      assert.deepStrictEqual(edgeOf("2026-03-04T20:00:00Z", "local", ""), on("2026-03-05", "01:30:00"))
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it("are open without a date", () => {
    assert.isUndefined(beginningOf(on("", "09:30"), "local"))
    assert.isUndefined(endOf(OPEN, "utc"))
  })

  it("are shown as they were given", () => {
    for (const zone of ["utc", "local"] as const) {
      for (const edge of [on("2026-03-04"), on("2026-03-29", "02:30:00"), on("2026-12-31", "23:00:05")]) {
        assert.deepStrictEqual(edgeOf(beginningOf(edge, zone), zone, "00:00:00"), edge)
      }
      assert.deepStrictEqual(edgeOf(endOf(on("2026-03-04"), zone), zone, "23:59:59"), on("2026-03-04"))
    }
  })

  it.each([undefined, "", "<b>", "2026-99-99"])("are open where an address has %j", (text) => {
    assert.deepStrictEqual(edgeOf(text, "local", ""), OPEN)
  })

  it.each(["+275760-09-13T00:00:00Z", "-271821-04-20T00:00:00Z"])(
    "are told of the last of times, %s",
    (text) => {
      for (const zone of ["utc", "local"] as const) {
        const edge = edgeOf(text, zone, "")
        assert.isUndefined(dayOf(edge.date))
        assert.isUndefined(beginningOf(edge, zone))
      }
    }
  )
})
