import { assert, describe, it } from "@effect/vitest"
import { holds, log, raise, rule, times } from "./Cases.ts"

const HOUR = 3600

describe("ingestion_spike: 5 times the hour's mean, and at least 100 in 60 seconds, unless told otherwise", () => {
  holds({ rule_type: "ingestion_spike" }, [
    ["ninety-nine in a minute are too few to be a spike", times(99, HOUR, 0.1), []],
    ["a hundred after an hour of nothing are one", times(100, HOUR, 0.1), [99]],
    // 600 in the hour are 10 a minute: 50 are five times as many, 100 the minimum.
    [
      "a hundred after an hour of ten a minute are one",
      [...times(600, 0, 6), ...times(100, HOUR + 50, 0.1)],
      [699]
    ],
    [
      "all actors' events count together",
      times(100, HOUR, 0.1).map((one, i) => ({ ...one, actor: `actor-${i}` })),
      [99]
    ],
    [
      "one incident, whoever sent the events",
      times(300, HOUR, 0.1).map((one, i) => ({ ...one, actor: `actor-${i}` })),
      [99]
    ]
  ])
})

describe("ingestion_spike with the largest factor", () => {
  holds({ rule_type: "ingestion_spike", parameters: { factor: 1000, minimum_events: 4 } }, [
    ["an hour without events expects none, so the fewest that count are a spike", times(4, HOUR, 1), [3]],
    ["a single event in the hour before is too much for four", [{ at: 0 }, ...times(4, HOUR - 60, 1)], []]
  ])
})

describe("ingestion_spike at its edges: more than 2 times the mean, and at least 4, in 60 seconds", () => {
  const body = { rule_type: "ingestion_spike", parameters: { factor: 2, minimum_events: 4 } }
  // 120 in the hour are 2 a minute; twice that is 4.
  const hour = times(120, 0, 30)
  // The window of an event in the last ten seconds of a minute is that minute, and the hour is the one before
  // it.
  const late = HOUR + 50
  holds(body, [
    ["exactly twice the mean is no spike", [...hour, ...times(4, late, 1)], []],
    ["one more is", [...hour, ...times(5, late, 1)], [124]],
    [
      "the first microsecond of the window and the last are in it",
      [...hour, { at: HOUR }, ...times(3, late, 1), { at: late + 9.999999 }],
      [124]
    ],
    [
      "the microsecond after it begins the next, and the first step becomes part of the hour",
      [...hour, { at: HOUR + 9.999999 }, ...times(3, late, 1), { at: late + 10 }],
      []
    ],
    [
      "events across the turn of a minute are one spike",
      [...hour, ...times(4, HOUR + 55, 1), { at: HOUR + 61 }],
      [124]
    ],
    [
      "what lies before the hour before the window is forgotten",
      [...hour, ...times(4, 2 * HOUR + 50, 1)],
      [123]
    ],
    [
      "the times that the client claims do not matter",
      [...hour, ...times(5, late, 1).map((one) => ({ ...one, occurred: "2020-01-01" }))],
      [124]
    ]
  ])

  it("says how many came and how many were to be expected", () => {
    const { alerts } = raise([rule(body)], [log([...hour, ...times(5, late, 1)])])
    assert.strictEqual(
      alerts[0]?.reason,
      "5 events within 60 seconds, against a mean of 2 over the hour before"
    )
  })

  it("keeps counts, never more than those of an hour and a window", () => {
    const { rows } = raise([rule(body)], [log(times(5000, 0, 2.5))])
    const { counts } = JSON.parse(rows.get("rul_1 counts")?.value ?? "{}")
    assert.lengthOf(counts, 366)
  })

  it("counts anew when the window was changed, in whichever direction", () => {
    for (const [before, after] of [
      [10, 3600],
      [3600, 10]
    ] as const) {
      const of = (window_seconds: number) =>
        rule({ rule_type: "ingestion_spike", parameters: { window_seconds, minimum_events: 3 } })
      const events = log(times(6, 0, 0.1))
      const { rows } = raise([of(before)], [events.slice(0, 2)])
      const later = raise([of(after)], [events.slice(2)], undefined, rows)
      assert.deepStrictEqual(
        later.alerts.map(({ event_id }) => event_id),
        ["event-4"]
      )
    }
  })
})
