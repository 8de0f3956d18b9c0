import { assert, describe, it } from "@effect/vitest"
import { timeOf, timesDiffer } from "../../../src/log/clock/EventTime.ts"

const CREATED = "2026-03-04T12:00:00.000000Z"

describe("the times of an event", () => {
  it("are told by the clock that counts", () => {
    const event = { occurred_at: "2023-01-01T00:00:00.000000Z", created_at: CREATED }
    assert.strictEqual(timeOf(event, "occurred"), event.occurred_at)
    assert.strictEqual(timeOf(event, "recorded"), event.created_at)
  })

  it.each([
    ["2026-03-04T12:00:00.000000Z", false],
    ["2026-03-04T11:55:00.000000Z", false],
    ["2026-03-04T11:54:59.999000Z", true],
    ["2026-03-04T12:05:00.000000Z", false],
    ["2026-03-04T12:05:00.001000Z", true],
    ["2023-03-04T12:00:00.000000Z", true]
  ])("of what happened at %s and was recorded at noon differ: %s", (occurred_at, differ) => {
    assert.strictEqual(timesDiffer({ occurred_at, created_at: CREATED }), differ)
  })
})
