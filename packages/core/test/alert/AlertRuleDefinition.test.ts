import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decodeAlertRule, decodeAlertRuleChange } from "../../src/alert/AlertRuleDefinition.ts"
import { InvalidInput } from "../../src/event/InvalidInput.ts"

const accepted = (body: unknown) => Result.getOrThrow(decodeAlertRule(body))

const refusal = (result: Result.Result<unknown, { readonly message: string }>): string =>
  Result.isFailure(result) ? result.failure.message : assert.fail("it was accepted")

/** An array in an array, and so on. */
const nested = (depth: number): unknown => {
  let value: unknown = []
  for (let level = 1; level < depth; level++) value = [value]
  return value
}

describe("AlertRule", () => {
  it.each([
    ["new_country", {}],
    ["repeated_action", { threshold: 20, window_seconds: 60 }],
    ["ingestion_spike", { window_seconds: 60, factor: 5, minimum_events: 100 }],
    ["off_hours", { timezone: "UTC", days: [1, 2, 3, 4, 5], start: "09:00", end: "18:00" }]
  ])("a %s rule has the documented defaults", (rule_type, parameters) => {
    assert.deepStrictEqual<unknown>(accepted({ name: "A rule", rule_type }), {
      name: "A rule",
      rule_type,
      parameters,
      enabled: true,
      cooldown_seconds: 3600,
      tenant_id: null,
      action: null
    })
  })

  it("a high_volume_destructive rule counts ten in five minutes by one actor, of actions that destroy", () => {
    const { parameters } = accepted({ name: "A rule", rule_type: "high_volume_destructive" })
    assert.include<object>(parameters, { threshold: 10, window_seconds: 300, scope: "actor" })
  })

  it("takes null for what is left out, and refuses what it does not know, null or not", () => {
    const body = {
      name: "A rule",
      rule_type: "repeated_action",
      enabled: null,
      parameters: { threshold: null }
    }
    assert.deepStrictEqual(accepted(body), accepted({ name: "A rule", rule_type: "repeated_action" }))
    for (const value of [1, null]) {
      for (const [unknown, path] of [
        [{ ...body, priority: value }, "priority"],
        [{ ...body, parameters: { treshold: value } }, "parameters.treshold"]
      ] as const) {
        const refused = Result.getOrThrow(Result.flip(decodeAlertRule(unknown)))
        assert.instanceOf(refused, InvalidInput)
        assert.strictEqual(refused.path, path)
      }
    }
  })

  it("keeps what it is given", () => {
    const body = {
      name: "Nights",
      rule_type: "off_hours",
      enabled: false,
      cooldown_seconds: 0,
      tenant_id: "acme",
      action: "payroll.*",
      parameters: { timezone: "Europe/Berlin", days: [1, 2], start: "22:00", end: "24:00" }
    }
    assert.deepStrictEqual<unknown>(accepted(body), body)
  })

  it.each([
    [{ name: 1 }, "name: must be a string"],
    [{ name: " " }, "name: must not be only white space"],
    [{ name: "x".repeat(257) }, "name: must have 1 to 256 characters"],
    [{ name: "\ud800" }, "name: must be well-formed Unicode, without lone surrogates"],
    [{ name: "a\0" }, "name: must not contain U+0000"],
    [{ enabled: "yes" }, "enabled: must be a boolean"],
    [{ cooldown_seconds: -1 }, "cooldown_seconds: must be an integer between 0 and 604800"],
    [{ cooldown_seconds: "3600" }, "cooldown_seconds: must be an integer between 0 and 604800"],
    [{ tenant_id: "" }, "tenant_id: must have 1 to 256 characters"],
    [{ action: "" }, "action: must have 1 to 256 characters"],
    [{ parameters: [] }, "parameters: must be an object"],
    [{ parameters: { threshold: 1 } }, "parameters.threshold: must be an integer between 2 and 1000"],
    [{ parameters: { threshold: 1001 } }, "parameters.threshold: must be an integer between 2 and 1000"],
    [{ parameters: { threshold: 2.5 } }, "parameters.threshold: must be an integer between 2 and 1000"],
    [
      { parameters: { window_seconds: 86_401 } },
      "parameters.window_seconds: must be an integer between 1 and 86400"
    ],
    [
      { rule_type: "high_volume_destructive", parameters: { actions: [] } },
      "parameters.actions: must have 1 to 50 items"
    ],
    [
      { rule_type: "high_volume_destructive", parameters: { scope: "planet" } },
      "parameters.scope: must be one of actor, workspace"
    ],
    [
      { rule_type: "high_volume_destructive", parameters: { actions: ["*", 1] } },
      "parameters.actions[1]: must be a string"
    ],
    [
      { rule_type: "ingestion_spike", parameters: { window_seconds: 61 } },
      "parameters.window_seconds: must divide an hour (3600) without remainder"
    ],
    [
      { rule_type: "ingestion_spike", parameters: { factor: 1 } },
      "parameters.factor: must lie between 1 and 1000"
    ],
    [
      { rule_type: "off_hours", parameters: { timezone: "Mars/Olympus" } },
      "parameters.timezone: must be a name of the IANA time-zone database, such as Europe/Berlin"
    ],
    [
      { rule_type: "off_hours", parameters: { timezone: "+02:00" } },
      "parameters.timezone: must be a name of the IANA time-zone database, such as Europe/Berlin"
    ],
    [
      { rule_type: "off_hours", parameters: { days: [0] } },
      "parameters.days: must be different days from 1 (Monday) to 7 (Sunday)"
    ],
    [
      { rule_type: "off_hours", parameters: { days: [1, 1] } },
      "parameters.days: must be different days from 1 (Monday) to 7 (Sunday)"
    ],
    [
      { rule_type: "off_hours", parameters: { start: "9:00" } },
      "parameters.start: must be a time between 00:00 and 23:59, as HH:MM"
    ],
    [
      { rule_type: "off_hours", parameters: { start: "24:00" } },
      "parameters.start: must be a time between 00:00 and 23:59, as HH:MM"
    ],
    [
      { rule_type: "off_hours", parameters: { end: "24:01" } },
      "parameters.end: must be a time between 00:00 and 24:00, as HH:MM"
    ]
  ])("%j is refused: %s", (fields, message) => {
    assert.strictEqual(
      refusal(decodeAlertRule({ name: "A rule", rule_type: "repeated_action", ...fields })),
      message
    )
  })

  it.each([
    [null, "must be an object"],
    [[], "must be an object"],
    [{ rule_type: "new_country" }, "name: is required"]
  ])("%j is refused: %s", (body, message) => {
    assert.strictEqual(refusal(decodeAlertRule(body)), message)
  })

  it.each([[[]], [[1]], ["a"], [1], [Number.POSITIVE_INFINITY], [false], [null]])(
    "parameters that are no object are refused of a rule that has none: %j",
    (parameters) => {
      const body = { name: "A rule", rule_type: "new_country", parameters }
      assert.strictEqual(refusal(decodeAlertRule(body)), "parameters: must be an object")
      const current = accepted({ name: "A rule", rule_type: "new_country" })
      assert.strictEqual(
        refusal(decodeAlertRuleChange(current, { parameters })),
        "parameters: must be an object"
      )
    }
  )

  it.each([[{ toString: 1 }], [[{ toString: 1 }]], [nested(20_000)]])(
    "a type that has no text is refused as any other is",
    (rule_type) => {
      const current = accepted({ name: "A rule", rule_type: "new_country" })
      for (const result of [
        decodeAlertRule({ name: "A rule", rule_type }),
        decodeAlertRuleChange(current, { rule_type })
      ]) {
        assert.match(refusal(result), /^rule_type: (must be one of new_country, |cannot be changed)/)
      }
    }
  )

  it("refuses a type that there is not, and a body without one", () => {
    assert.match(
      refusal(decodeAlertRule({ name: "A rule", rule_type: "weather" })),
      /^rule_type: must be one of/
    )
    assert.strictEqual(refusal(decodeAlertRule({ name: "A rule" })), "rule_type: is required")
  })

  it("names all that is wrong with a body, unknown members and wrong values together", () => {
    const wrong = { name: "", enabled: 1, tenantid: "acme", parameters: { threshold: 0, window: 1 } }
    for (const rule_type of ["repeated_action", "weather"]) {
      const { faults, unknown } = Result.getOrThrow(Result.flip(decodeAlertRule({ ...wrong, rule_type })))
      const known = rule_type === "repeated_action"
      assert.sameMembers(
        faults.map(({ path }) => path),
        [
          "tenantid",
          "name",
          "enabled",
          ...(known ? ["parameters.window", "parameters.threshold"] : ["rule_type"])
        ]
      )
      assert.deepStrictEqual(unknown, known ? ["tenantid", "parameters.window"] : ["tenantid"])
    }
  })
})

describe("a change to an alert rule", () => {
  const current = accepted({
    name: "Mornings",
    rule_type: "off_hours",
    tenant_id: "acme",
    parameters: { timezone: "Asia/Tokyo", start: "06:00" }
  })
  const changed = (body: unknown) => Result.getOrThrow(decodeAlertRuleChange(current, body))

  it("leaves alone what it does not name", () => {
    assert.deepStrictEqual(changed({}), current)
    assert.deepStrictEqual<unknown>(changed({ name: "Early", parameters: { end: "12:00" } }), {
      ...current,
      name: "Early",
      parameters: { ...current.parameters, end: "12:00" }
    })
  })

  it("takes null for what may be missing, and for nothing else", () => {
    assert.deepStrictEqual<unknown>(changed({ tenant_id: null }), { ...current, tenant_id: null })
    const nulls = {
      enabled: null,
      rule_type: null,
      tenantid: null,
      parameters: { start: null, starts: null }
    }
    const { faults } = Result.getOrThrow(Result.flip(decodeAlertRuleChange(current, nulls)))
    assert.sameMembers(
      faults.map(({ path }) => path),
      ["enabled", "rule_type", "tenantid", "parameters.start", "parameters.starts"]
    )
  })

  it.each([
    [{ rule_type: "new_country" }, "rule_type: cannot be changed; make another rule"],
    [{ name: null }, "name: must be a string"],
    [{ parameters: null }, "parameters: must be an object"],
    [{ parameters: { end: "later" } }, "parameters.end: must be a time between 00:00 and 24:00, as HH:MM"],
    [{ parameters: "all" }, "parameters: must be an object"],
    ["off", "must be an object"]
  ])("%j is refused: %s", (body, message) => {
    assert.strictEqual(refusal(decodeAlertRuleChange(current, body)), message)
  })

  it("may name the type it has", () => {
    assert.deepStrictEqual(changed({ rule_type: "off_hours" }), current)
  })
})
