import { assert, describe, it } from "@effect/vitest"
import { holds, log, raise, rule } from "./Cases.ts"

describe("new_country, without a cooldown", () => {
  holds({ rule_type: "new_country", cooldown_seconds: 0 }, [
    ["an actor's first country is the baseline", [{ country: "FR" }], []],
    ["the second alerts", [{ country: "FR" }, { country: "DE" }], [1]],
    ["back to the first does not", [{ country: "FR" }, { country: "DE" }, { country: "FR" }], [1]],
    [
      "back to the second does not either",
      [{ country: "FR" }, { country: "DE" }, { country: "FR" }, { country: "DE" }],
      [1]
    ],
    ["a third alerts again", [{ country: "FR" }, { country: "DE" }, { country: "US" }], [1, 2]],
    [
      "an event without a country is ignored",
      [{ country: null }, { country: "FR" }, { country: null }, { country: "DE" }],
      [3]
    ],
    [
      "another actor has a baseline of its own",
      [{ country: "FR" }, { actor: "bob", country: "DE" }, { actor: "bob", country: "FR" }],
      [2]
    ],
    [
      "when it occurred does not matter, only when it was recorded",
      [
        { country: "FR", occurred: "2024-05-01T12:00:00Z" },
        { country: "DE", occurred: "2020-01-01T00:00:00Z" }
      ],
      [1]
    ],
    [
      "years may lie between",
      [
        { at: 0, country: "FR" },
        { at: 1e8, country: "DE" },
        { at: 2e8, country: "FR" }
      ],
      [1]
    ]
  ])

  it("names the country, the actor and what was seen before", () => {
    const { alerts } = raise(
      [rule({ rule_type: "new_country", name: "Elsewhere" })],
      [log([{ country: "FR" }, { country: "DE" }])]
    )
    assert.include(alerts[0], {
      rule_id: "rul_1",
      rule_name: "Elsewhere",
      rule_type: "new_country",
      event_id: "event-1",
      reason: "ada acted from DE for the first time; seen before: FR",
      triggered_at: "2024-05-01T12:00:01.000000Z"
    })
  })
})

describe("new_country with the cooldown of an hour that it has unless told otherwise", () => {
  holds({ rule_type: "new_country" }, [
    [
      "two new countries within the hour are one incident",
      [
        { at: 0, country: "FR" },
        { at: 1, country: "DE" },
        { at: 3600.999999, country: "US" }
      ],
      [1]
    ],
    [
      "an hour after the alert is outside",
      [
        { at: 0, country: "FR" },
        { at: 1, country: "DE" },
        { at: 3601, country: "US" }
      ],
      [1, 2]
    ],
    [
      "a country seen during the cooldown is seen",
      [
        { at: 0, country: "FR" },
        { at: 1, country: "DE" },
        { at: 2, country: "US" },
        { at: 9000, country: "US" }
      ],
      [1]
    ],
    [
      "one actor's cooldown does not silence another",
      [
        { country: "FR" },
        { country: "DE" },
        { actor: "bob", country: "FR" },
        { actor: "bob", country: "DE" }
      ],
      [1, 3]
    ]
  ])
})

describe("new_country and the time before the rule", () => {
  it("knows an actor's countries from before the rule was made, and while it was off or looked elsewhere", () => {
    const events = log([
      { country: "FR" },
      { country: "DE" },
      { country: "DE", tenant: "acme" },
      { country: "US", tenant: "acme" }
    ])
    const body = { rule_type: "new_country", cooldown_seconds: 0, tenant_id: "acme" }
    const before = raise([], [events.slice(0, 2)])
    assert.deepStrictEqual(before.alerts, [])
    const only = raise([rule(body)], [events])
    assert.deepStrictEqual(
      only.alerts.map(({ event_id }) => event_id),
      ["event-3"]
    )
  })
})
