import { type AlertRuleDefinition, decodeAlertRule } from "@cairn/core/alert"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  draftOf,
  inputOf,
  newDraft,
  patchOf,
  RULE_TYPES,
  type Rule,
  type RuleDraft,
  secondsOf,
  spanOf
} from "../../../src/page/pages/rules/RuleDraft.ts"
import { canTry, faultsOf } from "../../../src/page/pages/rules/RuleFaults.ts"

const decoded = (body: unknown): AlertRuleDefinition =>
  Result.getOrThrowWith(decodeAlertRule(body), (fault) => new Error(fault.message))

const ruleOf = (body: unknown): Rule =>
  ({ id: "rul_1", ...decoded(body), created_at: "", updated_at: "" }) as Rule

describe("a new rule", () => {
  it.each(RULE_TYPES)("has the defaults of the service: %s", (type) => {
    const draft = newDraft(type, "Rule", "UTC")
    assert.deepStrictEqual(decoded(inputOf(draft)), decoded({ name: "Rule", rule_type: type }))
    assert.deepStrictEqual(faultsOf(draft), {})
  })

  it("has only what was filled in of what it may be restricted to", () => {
    const draft = { ...newDraft("new_country", " Abroad ", "UTC"), action: " document.* ", tenant: "acme" }
    assert.deepInclude(inputOf(draft), { name: "Abroad", action: "document.*", tenant_id: "acme" })
  })
})

const draft = newDraft("high_volume_destructive", "Rule", "UTC")

/** Changes of a sound draft, each with the fields that are wrong then. */
const CASES: ReadonlyArray<readonly [string, RuleDraft, ReadonlyArray<string>]> = [
  ["no name", { ...draft, name: "  " }, ["name"]],
  ["a long name", { ...draft, name: "n".repeat(257) }, ["name"]],
  ["a long pattern", { ...draft, action: "a".repeat(257) }, ["action"]],
  ["a pause of more than a week", { ...draft, cooldown: { amount: "8", unit: "day" } }, ["cooldown_seconds"]],
  ["no pause", { ...draft, cooldown: { amount: "0", unit: "hour" } }, []],
  ["a pause that is empty", { ...draft, cooldown: { amount: "", unit: "hour" } }, ["cooldown_seconds"]],
  ["part of a second", { ...draft, cooldown: { amount: "0.5", unit: "second" } }, ["cooldown_seconds"]],
  ["half an hour", { ...draft, cooldown: { amount: "0.5", unit: "hour" } }, []],
  [
    "no patterns, none at all, too long a window",
    { ...draft, destructive: { actions: "\n ", threshold: "0", window: spanOf(86_401), scope: "actor" } },
    ["parameters.actions", "parameters.threshold", "parameters.window_seconds"]
  ],
  [
    "one repetition",
    { ...draft, type: "repeated_action", repeated: { threshold: "1", window: spanOf(60) } },
    ["parameters.threshold"]
  ],
  [
    "a factor of one, and no number",
    { ...draft, type: "ingestion_spike", spike: { window: 60, factor: "1", minimum: "many" } },
    ["parameters.factor", "parameters.minimum_events"]
  ],
  [
    "a time zone and times that are none",
    {
      ...draft,
      type: "off_hours",
      hours: { timezone: "+02:00", days: [], start: "9:00", end: "25:00" }
    },
    ["parameters.timezone", "parameters.start", "parameters.end"]
  ]
]

describe("what is wrong with a rule", () => {
  it.each(CASES)("is named by the field, as the service would: %s", (_, changed, paths) => {
    assert.sameMembers(Object.keys(faultsOf(changed)), [...paths])
    assert.strictEqual(Result.isSuccess(decodeAlertRule(inputOf(changed))), paths.length === 0)
  })

  it("is not the name where it is only tried", () => {
    assert.isTrue(canTry(faultsOf({ ...draft, name: "" })))
    assert.isFalse(canTry(faultsOf({ ...draft, action: "a".repeat(257) })))
  })

  it("is a restriction that would be lifted", () => {
    const before = { ...draft, action: "a.*", tenant: "acme" }
    const faults = faultsOf({ ...draft, action: "", tenant: " " }, before)
    assert.deepStrictEqual(faults, { action: { kind: "keptAction" }, tenant_id: { kind: "kept" } })
    assert.isTrue(canTry(faults))
    assert.deepStrictEqual(faultsOf({ ...draft, action: "*", tenant: "other" }, before), {})
  })
})

describe("a change of a rule", () => {
  const bodies = [
    { name: "Abroad", rule_type: "new_country" },
    { name: "Deletion", rule_type: "high_volume_destructive", parameters: { window_seconds: 90 } },
    { name: "Flood", rule_type: "ingestion_spike", parameters: { window_seconds: 72, factor: 2.5 } },
    { name: "Fast", rule_type: "repeated_action", action: "a.*", cooldown_seconds: 7 },
    { name: "Night", rule_type: "off_hours", parameters: { end: "24:00", days: [7, 1] }, tenant_id: "acme" }
  ]

  it.each(bodies)("is none where nothing was changed: $name", (body) => {
    const rule = ruleOf(body)
    assert.deepStrictEqual(faultsOf(draftOf(rule)), {})
    assert.isUndefined(patchOf(rule, draftOf(rule)))
  })

  it("has what was changed and nothing else, and never a type", () => {
    const rule = ruleOf(bodies[4])
    const before = draftOf(rule)
    assert.strictEqual(before.hours.end, "00:00")
    assert.deepStrictEqual(
      patchOf(rule, { ...before, enabled: false, hours: { ...before.hours, start: "08:00" } }),
      { enabled: false, parameters: { start: "08:00" } }
    )
    assert.isUndefined(patchOf(rule, { ...before, type: "new_country" }))
    // The order in which days were chosen says nothing.
    assert.isUndefined(patchOf(rule, { ...before, hours: { ...before.hours, days: [1, 7] } }))
  })
})

describe("a length of time", () => {
  it("is the same in the unit that holds it whole", () => {
    for (const seconds of [0, 1, 59, 60, 61, 3_599, 3_600, 5_400, 86_399, 86_400, 604_800]) {
      assert.strictEqual(secondsOf(spanOf(seconds)), seconds)
    }
    assert.deepStrictEqual(spanOf(86_400), { amount: "1", unit: "day" })
    assert.deepStrictEqual(spanOf(5_400), { amount: "90", unit: "minute" })
  })
})
