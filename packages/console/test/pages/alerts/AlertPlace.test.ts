import { periodEnds } from "@cairn/ui/place"
import { assert, describe, it } from "@effect/vitest"
import {
  alertFilter,
  alertPlaceFrom,
  alertQuery,
  EVERYTHING
} from "../../../src/page/pages/alerts/AlertPlace.ts"

const NOW = Date.UTC(2026, 0, 8)

describe("the address of a list of alerts", () => {
  it.each([
    "",
    "?type=off_hours",
    "?period=week",
    "?period=last_week",
    "?type=new_country&period=custom&from=2026-01-01T00%3A00%3A00.000Z&to=2026-01-02T00%3A00%3A00.000Z",
    "?period=custom"
  ])("is the same after it was read: %s", (query) => {
    const given = Object.fromEntries(new URLSearchParams(query))
    assert.strictEqual(alertQuery(alertPlaceFrom(given)), query)
  })

  it("has nothing of what it cannot mean", () => {
    assert.deepStrictEqual(alertPlaceFrom({ type: "loud", period: "toString", from: "soon" }), EVERYTHING)
    assert.deepInclude(alertPlaceFrom({ from: "2026-01-01" }), { period: "custom", from: "2026-01-01" })
  })
})

describe("what a list of alerts is asked for", () => {
  it("begins as long ago as the period is long", () => {
    assert.deepStrictEqual(alertFilter(EVERYTHING, NOW), {})
    assert.deepStrictEqual(alertFilter({ ...EVERYTHING, type: "off_hours", period: "week" }, NOW), {
      rule_type: "off_hours",
      from: "2026-01-01T00:00:00.000Z"
    })
    assert.deepStrictEqual(
      alertFilter({ ...EVERYTHING, period: "last_week" }, NOW),
      periodEnds("last_week", new Date(NOW))
    )
    assert.deepStrictEqual(alertFilter({ ...EVERYTHING, from: "2026-01-01", period: "custom" }, NOW), {
      from: "2026-01-01"
    })
  })
})
