import { Micros, monthOf } from "@cairn/core/encoding"
import { secondsToNextMonth } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { monthEnd, monthStart } from "../../src/encoding/CalendarMonth.ts"

const at = (text: string): number => Micros.parse(text) ?? Number.NaN

describe("a calendar month", () => {
  it("ends with its last microsecond, in UTC", () => {
    assert.strictEqual(monthOf(at("2024-05-31T23:59:59.999999Z")), "2024-05")
    assert.strictEqual(monthOf(at("2024-06-01")), "2024-06")
    assert.strictEqual(monthOf(at("2024-06-01T00:30:00+01:00")), "2024-05")
    assert.strictEqual(monthOf(at("2024-12-31T23:59:59.999999Z")), "2024-12")
    assert.strictEqual(monthOf(at("2025-01-01")), "2025-01")
    assert.strictEqual(monthOf(at("2024-02-29T12:00:00Z")), "2024-02")
    assert.strictEqual(monthOf(at("1969-12-31T23:59:59.999999Z")), "1969-12")
  })

  it("knows its first moment and the one after its last", () => {
    assert.strictEqual(monthStart("2024-05"), at("2024-05-01"))
    assert.strictEqual(monthEnd("2024-05"), at("2024-06-01"))
    assert.strictEqual(monthEnd("2024-12"), at("2025-01-01"))
    assert.strictEqual(monthEnd("2024-02"), at("2024-03-01"))
  })

  it("is over in so many seconds, rounded up", () => {
    assert.strictEqual(secondsToNextMonth(at("2024-05-31T23:59:59.999999Z")), 1)
    assert.strictEqual(secondsToNextMonth(at("2024-05-31T23:59:00Z")), 60)
    assert.strictEqual(secondsToNextMonth(at("2024-05-01")), 31 * 86_400)
  })
})
