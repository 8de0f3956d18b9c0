import { assert, describe, it } from "@effect/vitest"
import { CLOSED, draftFrom, filtersOf, withPeriod } from "../../../src/page/pages/exports/ExportDraft.ts"

const draft = draftFrom(() => [])

/** All values of a query. */
const values = (query: string) => (name: string) => new URLSearchParams(query).getAll(name)

/** The beginning of a month in the zone of whoever runs the test. */
const month = (year: number, index: number) => new Date(year, index, 1)

describe("the form of an export", () => {
  it("begins with the filters of an address", () => {
    const begun = draftFrom(values("new=ndjson&action=document.*&actor_id=ada&from=2026-01-01T00:00:00.000Z"))
    assert.strictEqual(begun.period, "custom")
    assert.strictEqual(begun.format, "ndjson")
    assert.deepStrictEqual(filtersOf(begun), {
      from: "2026-01-01T00:00:00.000Z",
      action: "document.*",
      actor_id: "ada"
    })
    assert.deepStrictEqual(filtersOf(draftFrom(values("new=1"))), {})
  })

  it("goes by the time that the list went by, and evidence by that of the log", () => {
    const begun = draftFrom(values("new=csv&time=occurred&from=2026-01-01"))
    assert.deepStrictEqual(filtersOf(begun), { from: "2026-01-01", time: "occurred" })
    assert.deepStrictEqual(filtersOf({ ...begun, format: "evidence" }), { from: "2026-01-01" })
    assert.deepStrictEqual(filtersOf(draftFrom(values("time=recorded"))), {})
    assert.deepStrictEqual(filtersOf(draftFrom(values("time=absolute"))), {})
  })

  it("leaves nothing of what it was begun with in the address once it is closed", () => {
    const asked = new Set<string>()
    const noted = (name: string) => {
      asked.add(name)
      return []
    }
    draftFrom(noted)
    assert.deepStrictEqual(Object.keys(CLOSED).toSorted(), [...asked].toSorted())
    assert.isTrue(Object.values(CLOSED).every((value) => value === undefined))
  })

  it("leaves out what is empty, and what evidence cannot be narrowed by", () => {
    const narrowed = { ...draft, from: "2026-01-01", conditions: { action: " user.* ", search: " " } }
    assert.deepStrictEqual(filtersOf(narrowed), { from: "2026-01-01", action: "user.*" })
    assert.deepStrictEqual(filtersOf({ ...narrowed, format: "evidence" }), { from: "2026-01-01" })
  })

  it("holds what the list showed: conditions without a box, and several values of one", () => {
    const begun = draftFrom(
      values("action=user.*&action=*.deleted&actor_id=ada&target_id=42&country=&search=a&search=b&search=a")
    )
    assert.deepStrictEqual(filtersOf(begun), {
      action: ["user.*", "*.deleted"],
      actor_id: "ada",
      target_id: "42",
      search: ["a", "b"]
    })
    assert.deepStrictEqual(filtersOf({ ...begun, format: "evidence" }), {})
    assert.deepStrictEqual(
      begun.more.map(({ name, value }) => `${name}=${value}`),
      ["search=b", "action=*.deleted", "target_id=42"]
    )
    const without = { ...begun, conditions: { ...begun.conditions, action: " " }, more: begun.more.slice(1) }
    assert.deepStrictEqual(filtersOf(without), {
      action: "*.deleted",
      actor_id: "ada",
      target_id: "42",
      search: "a"
    })
  })

  it("has periods that end now", () => {
    const now = new Date("2026-03-08T12:00:00.000Z")
    const { from, to } = withPeriod(draft, "week", now)
    assert.strictEqual(from, "2026-03-01T12:00:00.000Z")
    assert.strictEqual(to, "")
    assert.deepStrictEqual(filtersOf(withPeriod(withPeriod(draft, "week", now), "all", now)), {})
  })

  it("has the weeks of the calendar that the list of events has", () => {
    // A Wednesday.
    const now = new Date(2026, 10, 25, 15)
    const last = withPeriod(draft, "last_week", now)
    assert.strictEqual(last.from, new Date(2026, 10, 16).toISOString())
    assert.strictEqual(Date.parse(last.to), new Date(2026, 10, 23).getTime() - 1)
    const begun = withPeriod(last, "this_week", now)
    assert.strictEqual(begun.from, new Date(2026, 10, 23).toISOString())
    assert.strictEqual(begun.to, "")
  })

  it("has whole months and quarters of the calendar, over the turn of a year", () => {
    const now = new Date(2026, 1, 10)
    const last = withPeriod(draft, "lastMonth", now)
    assert.strictEqual(last.from, month(2026, 0).toISOString())
    assert.strictEqual(Date.parse(last.to), month(2026, 1).getTime() - 1)
    const quarter = withPeriod(draft, "lastQuarter", now)
    assert.strictEqual(quarter.from, month(2025, 9).toISOString())
    assert.strictEqual(Date.parse(quarter.to), month(2026, 0).getTime() - 1)
  })
})
