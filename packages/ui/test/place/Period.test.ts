import { assert, describe, it } from "@effect/vitest"
import { PERIOD_NAMES, periodEnds, placeFrom, placeParameters } from "../../src/place/index.ts"
import { endsBetween, withPeriod } from "../../src/place/Period.ts"

/** Times of the calendar in the zone of this machine, as a reader's browser has one. */
const local = (...parts: [year: number, month: number, day: number, hours?: number]) => new Date(...parts)

const lastMicrosecondBefore = (date: Date) => new Date(date.getTime() - 1).toISOString().replace("Z", "999Z")

describe("a week of the calendar", () => {
  it.each([
    ["on a Monday at midnight", local(2026, 10, 23)],
    ["on a Wednesday", local(2026, 10, 25, 17)],
    ["late on a Sunday", local(2026, 10, 29, 23)]
  ])("begins on Monday, %s", (_, now) => {
    assert.deepStrictEqual(periodEnds("this_week", now), { from: local(2026, 10, 23).toISOString() })
    assert.deepStrictEqual(periodEnds("last_week", now), {
      from: local(2026, 10, 16).toISOString(),
      to: lastMicrosecondBefore(local(2026, 10, 23))
    })
  })

  it("reaches over the turn of a year", () => {
    assert.deepStrictEqual(periodEnds("last_week", local(2027, 0, 5)), {
      from: local(2026, 11, 28).toISOString(),
      to: lastMicrosecondBefore(local(2027, 0, 4))
    })
  })
})

describe("a filter within a period", () => {
  it("has the times of the period alone, and its other conditions", () => {
    const filter = { action: ["a"], from: "2020-01-01T00:00:00.000Z", to: "2020-02-01T00:00:00.000Z" }
    const now = local(2026, 10, 25, 17)
    assert.deepStrictEqual(withPeriod(filter, "hour", now), {
      action: ["a"],
      from: local(2026, 10, 25, 16).toISOString()
    })
  })
})

describe("days and months of the calendar", () => {
  const now = local(2026, 2, 31, 17)

  it.each([
    ["today", local(2026, 2, 31), undefined],
    ["yesterday", local(2026, 2, 30), local(2026, 2, 31)],
    ["this_month", local(2026, 2, 1), undefined],
    ["last_month", local(2026, 1, 1), local(2026, 2, 1)]
  ] as const)("begin and end at midnight: %s", (name, from, end) => {
    assert.deepStrictEqual(periodEnds(name, now), {
      from: from.toISOString(),
      ...(end === undefined ? {} : { to: lastMicrosecondBefore(end) })
    })
  })

  it("are those of UTC where times are shown in it", () => {
    const late = new Date("2026-03-01T23:30:00Z")
    assert.deepStrictEqual(periodEnds("today", late, "utc"), { from: "2026-03-01T00:00:00.000Z" })
    assert.deepStrictEqual(periodEnds("last_week", late, "utc"), {
      from: "2026-02-16T00:00:00.000Z",
      to: "2026-02-22T23:59:59.999999Z"
    })
    const place = placeFrom(new URLSearchParams("period=last_month&zone=utc"), late)
    assert.deepStrictEqual(place.filter, {
      from: "2026-02-01T00:00:00.000Z",
      to: "2026-02-28T23:59:59.999999Z"
    })
  })
})

describe("a period in an address", () => {
  const NOW = new Date(Date.UTC(2026, 0, 8))
  const parameters = (query: string) => new URLSearchParams(query)

  it.each(PERIOD_NAMES)("stays named: %s", (period) => {
    const place = placeFrom(parameters(`action=user.*&period=${period}`), NOW)
    assert.deepStrictEqual(place.filter, { action: ["user.*"], ...periodEnds(period, NOW) })
    assert.deepStrictEqual(placeParameters(place), [
      ["action", "user.*"],
      ["period", period]
    ])
  })

  it("gives way to times of one's own, and is none where it has no such name", () => {
    const place = placeFrom(parameters("period=week&from=2026-01-01"), NOW)
    assert.deepStrictEqual(place.filter, { from: "2026-01-01" })
    assert.deepStrictEqual(placeParameters(place), [["from", "2026-01-01"]])
    for (const name of ["", "custom", "toString"]) {
      assert.deepStrictEqual(placeFrom(parameters(`period=${name}`), NOW).filter, {})
    }
  })
})

describe("the ends of a time that was chosen", () => {
  it("have its first moment, and not the one that what follows begins with", () => {
    const [from, to] = [Date.parse("2023-05-05T00:00:00Z"), Date.parse("2023-05-06T00:00:00Z")]
    assert.deepStrictEqual(endsBetween(from, to), {
      from: "2023-05-05T00:00:00.000Z",
      to: "2023-05-05T23:59:59.999999Z"
    })
  })

  it("are within the years that the interface takes", () => {
    const far = 257 * 365 * 86_400_000
    const first = Date.parse("0001-01-01T00:00:00Z")
    const last = Date.parse("9999-12-31T23:59:59Z")
    assert.deepStrictEqual(endsBetween(first - far, first + far).from, "0000-01-01T00:00:00.000Z")
    assert.deepStrictEqual(endsBetween(last - far, last + far).to, "9999-12-31T23:59:59.999999Z")
  })
})
