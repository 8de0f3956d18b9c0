import { assert, describe, it } from "@effect/vitest"
import { holds, log, raise, rule, times } from "./Cases.ts"

describe("repeated_action: 20 times in 60 seconds, unless told otherwise", () => {
  holds({ rule_type: "repeated_action" }, [
    ["nineteen times is not rapid", times(19, 0, 1), []],
    ["the twentieth alerts", times(20, 0, 1), [19]],
    ["another action does not count", [...times(19, 0, 1), { at: 19, action: "document.opened" }], []],
    ["another actor does not count", [...times(19, 0, 1), { at: 19, actor: "bob" }], []],
    [
      "the first a microsecond less than 60 seconds before the twentieth counts",
      [{ at: 0.000001 }, ...times(19, 60 - 18, 1)],
      [19]
    ],
    ["the first exactly 60 seconds before the twentieth does not", [{ at: 0 }, ...times(19, 60 - 18, 1)], []],
    ["a steady pace below the threshold never alerts", times(200, 0, 3.2), []],
    [
      "a second action repeated within the hour is the same actor's incident",
      [...times(20, 0, 1), ...times(20, 20, 1, { action: "document.opened" })],
      [19]
    ],
    ["two actors are two incidents", [...times(20, 0, 1), ...times(20, 20, 1, { actor: "bob" })], [19, 39]],
    [
      "the times that the client claims do not matter",
      times(20, 0, 1).map((one, i) => ({ ...one, occurred: `20${10 + i}-01-01T00:00:00Z` })),
      [19]
    ]
  ])
})

describe("repeated_action without a cooldown", () => {
  holds(
    { rule_type: "repeated_action", cooldown_seconds: 0, parameters: { threshold: 3, window_seconds: 10 } },
    [
      ["every event that qualifies alerts", times(5, 0, 1), [2, 3, 4]],
      ["until the window has emptied", [...times(4, 0, 1), { at: 20 }, { at: 21 }, { at: 22 }], [2, 3, 6]]
    ]
  )
})

describe("repeated_action", () => {
  it("does not take an actor `a` that does `bc` for an actor `ab` that does `c`", () => {
    const events = log([
      { actor: "a", action: ":bc" },
      { actor: "a:", action: "bc" },
      { actor: "a", action: ":bc" }
    ])
    const body = { rule_type: "repeated_action", parameters: { threshold: 3 } }
    assert.deepStrictEqual(raise([rule(body)], [events]).alerts, [])
  })

  it("says who did what how often", () => {
    const { alerts } = raise(
      [rule({ rule_type: "repeated_action", parameters: { threshold: 2, window_seconds: 1 } })],
      [log(times(2, 0, 0.5))]
    )
    assert.strictEqual(alerts[0]?.reason, "ada performed document.viewed 2 times within 1 second")
  })
})
