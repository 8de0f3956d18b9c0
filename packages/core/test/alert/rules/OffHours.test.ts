import { assert, describe, it } from "@effect/vitest"
import { holds, log, raise, rule } from "./Cases.ts"

const on = (occurred: string) => [{ occurred }]

describe("off_hours: Monday to Friday, 09:00 to 18:00 UTC, unless told otherwise", () => {
  holds({ rule_type: "off_hours", cooldown_seconds: 0 }, [
    ["a Wednesday's noon is working time", on("2024-05-01T12:00:00Z"), []],
    ["the first microsecond of the day's work is", on("2024-05-01T09:00:00Z"), []],
    ["the one before it is not", on("2024-05-01T08:59:59.999999Z"), [0]],
    ["the last microsecond of the day's work is", on("2024-05-01T17:59:59.999999Z"), []],
    ["the one after it is not", on("2024-05-01T18:00:00Z"), [0]],
    ["a Saturday's noon is not", on("2024-05-04T12:00:00Z"), [0]],
    ["neither is a Sunday's", on("2024-05-05T12:00:00Z"), [0]],
    [
      "what counts is when it occurred, not when it was recorded",
      [
        { occurred: "2024-05-01T02:00:00Z" },
        { occurred: "2024-05-01T12:00:00Z" },
        { occurred: "2024-05-01T03:00:00Z" }
      ],
      [0, 2]
    ],
    ["an event without a time of its own occurred when it was recorded", [{ at: 0 }, { at: 6 * 3600 }], [1]]
  ])
})

describe("off_hours in Berlin", () => {
  holds({ rule_type: "off_hours", cooldown_seconds: 0, parameters: { timezone: "Europe/Berlin" } }, [
    [
      "nine o'clock is eight o'clock UTC in winter",
      [{ occurred: "2024-01-10T08:00:00Z" }, { occurred: "2024-01-10T07:59:59Z" }],
      [1]
    ],
    [
      "nine o'clock is seven o'clock UTC in summer",
      [{ occurred: "2024-07-10T07:00:00Z" }, { occurred: "2024-07-10T06:59:59Z" }],
      [1]
    ],
    [
      "the Monday after the clocks went forward begins an hour earlier in UTC",
      [{ occurred: "2024-03-29T07:30:00Z" }, { occurred: "2024-04-01T07:30:00Z" }],
      [0]
    ],
    ["a Sunday's last hour in Berlin is a Sunday still in UTC", on("2024-05-05T21:59:59Z"), [0]],
    [
      "an offset in the client's time is understood",
      [{ occurred: "2024-07-10T09:00:00+02:00" }, { occurred: "2024-07-10T08:59:59+02:00" }],
      [1]
    ]
  ])
})

describe("off_hours where Sunday is a working day and the day ends at midnight", () => {
  holds(
    {
      rule_type: "off_hours",
      cooldown_seconds: 0,
      parameters: { timezone: "Asia/Kathmandu", days: [7, 1, 2, 3, 4, 5], start: "10:00", end: "24:00" }
    },
    [
      [
        "ten in the morning, five hours and three quarters before UTC",
        [{ occurred: "2024-05-05T04:15:00Z" }, { occurred: "2024-05-05T04:14:59Z" }],
        [1]
      ],
      ["the last minute before midnight", on("2024-05-05T18:14:59Z"), []],
      ["midnight", on("2024-05-05T18:15:00Z"), [0]],
      ["Saturday", on("2024-05-04T06:00:00Z"), [0]]
    ]
  )
})

describe("off_hours on the night shift", () => {
  holds(
    { rule_type: "off_hours", cooldown_seconds: 0, parameters: { days: [5], start: "22:00", end: "06:00" } },
    [
      ["Friday night", on("2024-05-03T22:00:00Z"), []],
      ["is Saturday morning too", on("2024-05-04T05:59:59Z"), []],
      ["until six", on("2024-05-04T06:00:00Z"), [0]],
      ["Friday morning belongs to Thursday night", on("2024-05-03T05:00:00Z"), [0]],
      ["Saturday night does not belong to Friday", on("2024-05-04T22:00:00Z"), [0]]
    ]
  )
})

describe("off_hours", () => {
  it("alerts once an hour for one actor", () => {
    const night = { occurred: "2024-05-01T02:00:00Z" }
    const events = log([
      { at: 0, ...night },
      { at: 3599, ...night },
      { at: 3600, ...night },
      { at: 3601, ...night, actor: "bob" }
    ])
    const { alerts } = raise([rule({ rule_type: "off_hours" })], [events])
    assert.deepStrictEqual(
      alerts.map(({ event_id }) => event_id),
      ["event-0", "event-2", "event-3"]
    )
  })

  it("says when it was there", () => {
    const { alerts } = raise(
      [rule({ rule_type: "off_hours", parameters: { timezone: "Asia/Tokyo" } })],
      [log([{ action: "user.login", occurred: "2024-05-03T15:05:00Z" }])]
    )
    assert.strictEqual(
      alerts[0]?.reason,
      "ada performed user.login on Saturday at 00:05 Asia/Tokyo, outside business hours (09:00 to 18:00)"
    )
  })

  it("makes every action off hours when no day is a working day", () => {
    const { alerts } = raise([rule({ rule_type: "off_hours", parameters: { days: [] } })], [log([{}])])
    assert.lengthOf(alerts, 1)
  })
})
