/** Who reads a log sets off only the rules that name access events, and changes nothing for all others. */
import type { AlertRuleType } from "@cairn/core/consumer"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { backtest, emptyBacktest } from "../../src/alert/AlertEvaluation.ts"
import type { AlertRule } from "../../src/alert/AlertRuleDefinition.ts"
import { type AlertStateRows, mergeState } from "../../src/alert/AlertState.ts"
import type { AlertEvent } from "../../src/alert/RuleEvaluator.ts"
import { countriesKeys } from "../../src/alert/rules/NewCountry.ts"
import { isAccessAction } from "../../src/event/AccessAction.ts"
import { ACTIONS, logOf, sensitiveRules, someEvents, split } from "./GeneratedLogs.ts"
import { log, raise, rule, type Said, sha256 } from "./rules/Cases.ts"

const generated = generatedTests(import.meta.url)

/** Three reads of one kind, the last one from another country. */
const READS: ReadonlyArray<Said> = ["FR", "FR", "DE"].map((country) => ({
  action: "cairn.access.events",
  country
}))

/** A rule of each type that these reads set off, if they are seen. */
const BODIES: Record<AlertRuleType, Record<string, unknown>> = {
  new_country: {},
  high_volume_destructive: { parameters: { threshold: 3, actions: ["*"] } },
  ingestion_spike: { parameters: { minimum_events: 1, factor: 1.1, window_seconds: 10 } },
  repeated_action: { parameters: { threshold: 3 } },
  off_hours: { parameters: { days: [] } }
}
const TYPES = Object.entries(BODIES)

/** Patterns that match these actions, or nearly, without naming them. */
const UNNAMING = [null, "*", "c*", "cairn.*", "Cairn.*.events", "cairn.acces*", "*access*", "*cairn.access.*"]
const NAMING = ["cairn.access.*", "cairn.access.events", "CAIRN.Access.*", "cairn.access*"]

const ofBatches = (one: AlertRule, said: ReadonlyArray<Said>) => {
  const events = log(said)
  const whole = raise([one], [events])
  const parts = raise(
    [one],
    events.map((event) => [event])
  )
  assert.deepStrictEqual(parts.alerts, whole.alerts, "one event at a time")
  assert.deepStrictEqual(tested(one, [events]), whole.alerts, "as a backtest says")
  return whole
}

const tested = (one: AlertRule, batches: ReadonlyArray<ReadonlyArray<AlertEvent>>) =>
  batches.reduce((state, batch) => backtest(one, sha256, state, batch), emptyBacktest).alerts

/** The rows without those of the countries of reading. */
const besideReading = (rows: AlertStateRows) => [...rows.values()].filter(({ key }) => !isOfReading(key))

const isOfReading = (key: string): boolean => {
  const actor = key.slice(key.indexOf(":") + 1)
  return key === countriesKeys(actor)[1]?.key
}

describe.each(TYPES)("%s", (rule_type, body) => {
  it.each(UNNAMING)("sees no access event, and keeps nothing of one, where its action is %s", (action) => {
    const { alerts, rows } = ofBatches(rule({ rule_type, ...body, action }), READS)
    assert.deepStrictEqual(alerts, [])
    assert.deepStrictEqual(besideReading(rows), [])
  })

  it.each(NAMING)("raises an alert where its action is %s", (action) => {
    const { alerts } = ofBatches(rule({ rule_type, ...body, action }), READS)
    assert.isNotEmpty(alerts)
  })

  it("raises none for another kind of access than the one that it names", () => {
    const { alerts } = ofBatches(rule({ rule_type, ...body, action: "cairn.access.exports" }), READS)
    assert.deepStrictEqual(alerts, [])
  })
})

describe("high_volume_destructive", () => {
  const counting = (actions: ReadonlyArray<string> | undefined, action: string | null) =>
    ofBatches(
      rule({
        rule_type: "high_volume_destructive",
        parameters: { threshold: 3, ...(actions === undefined ? {} : { actions }) },
        action
      }),
      READS
    )

  it.each(NAMING)("raises an alert where one of its patterns is %s", (pattern) => {
    for (const action of [null, "*", "cairn.*"])
      assert.lengthOf(counting(["*delete*", pattern], action).alerts, 1, `${action}`)
    assert.lengthOf(counting([pattern], "document.*").alerts, 0)
  })

  it.each([
    ["none of its own", undefined],
    ["all", ["*"]],
    ["all of the service's", ["cairn.*", "*events"]],
    ["all, and another kind by name", ["*", "cairn.access.exports"]]
  ] as const)("raises none where its patterns name %s", (_, actions) => {
    for (const action of [null, "*", "cairn.*"]) {
      const { alerts, rows } = counting(actions, action)
      assert.deepStrictEqual(alerts, [])
      assert.deepStrictEqual(besideReading(rows), [])
    }
  })

  it("raises none for reading where its patterns are those that it has unless given", () => {
    assert.deepStrictEqual(counting(undefined, "cairn.access.*").alerts, [])
  })
})

describe("new_country", () => {
  const read = (country: string): Said => ({ action: "cairn.access.events", country })
  const act = (country: string): Said => ({ country })
  const raised = (action: string | null, said: ReadonlyArray<Said>) =>
    ofBatches(rule({ rule_type: "new_country", cooldown_seconds: 0, action }), said).alerts

  it("alerts of who acts from a country that it has only read from", () => {
    const alerts = raised(null, [act("FR"), read("DE"), read("DE"), act("DE")])
    assert.deepStrictEqual(
      alerts.map(({ event_id, reason }) => [event_id, reason]),
      [["event-3", "ada acted from DE for the first time; seen before: FR"]]
    )
  })

  it("takes the first country that an actor acts from as its starting point, wherever it has read", () => {
    assert.deepStrictEqual(raised(null, [read("FR"), read("US"), act("DE")]), [])
  })

  it("alerts of who reads from a new country, wherever it has acted, if it names access events", () => {
    const alerts = raised("cairn.access.*", [read("FR"), act("DE"), read("DE"), read("FR"), act("US")])
    assert.deepStrictEqual(
      alerts.map(({ event_id, reason }) => [event_id, reason]),
      [["event-2", "ada read from DE for the first time; seen before: FR"]]
    )
  })

  it("knows where an actor has read from before there was a rule", () => {
    const events = log([read("FR"), read("DE"), read("DE"), read("US")])
    const { rows } = raise([], [events.slice(0, 2)])
    const named = rule({ rule_type: "new_country", cooldown_seconds: 0, action: "cairn.access.*" })
    const { alerts } = raise([named], [events.slice(2)], undefined, rows)
    assert.deepStrictEqual(
      alerts.map(({ event_id }) => event_id),
      ["event-3"]
    )
  })
})

const mixedEvents = someEvents([...ACTIONS, "cairn.access.events", "cairn.access.deletes"])

const places = FastCheck.array(FastCheck.nat(), { maxLength: 20 })

/** The same rules with other ids, for actions that match a pattern. */
const withAction = (rules: ReadonlyArray<AlertRule>, action: string | null) =>
  rules.map((one) => ({ ...one, id: `${one.id}_action`, action }))

/** A rule that evaluates whatever its own action lets through, of every tenant. */
const unrestricted = (one: AlertRule): AlertRule => ({
  ...(one.rule_type === "high_volume_destructive"
    ? { ...one, parameters: { ...one.parameters, actions: ["*"] } }
    : one),
  tenant_id: null
})

describe("access events among all others", () => {
  it("change no alert and no state of rules that do not name them", () => {
    const setOff = new Set<string>()
    generated.property(
      FastCheck.property(
        mixedEvents,
        places,
        FastCheck.constantFrom(0, 60, 3600),
        FastCheck.constantFrom(...UNNAMING),
        (events, cuts, cooldown, action) => {
          const own = sensitiveRules(cooldown)
          const rules = [...own, ...withAction(own.map(unrestricted), action)]
          const mixed = logOf(events)
          const among = raise(rules, split(mixed, cuts))
          const without = raise(rules, [mixed.filter(({ content }) => !isAccessAction(content.action))])
          assert.deepStrictEqual(among.alerts, without.alerts)
          const end = mixed.at(-1)?.createdAt ?? 0
          const left = (rows: AlertStateRows) => besideReading(mergeState(rows, [], end))
          assert.sameDeepMembers(left(among.rows), left(without.rows))
          for (const { rule_id } of without.alerts) setOff.add(rule_id)
        }
      ),
      { numRuns: 100 }
    )
    assert.lengthOf([...setOff], 12, "every rule was set off")
  })

  it("raise the same alerts of rules that name them, however the log is split, and in a backtest", () => {
    const setOff = new Set<string>()
    generated.property(
      FastCheck.property(mixedEvents, places, FastCheck.constantFrom(...NAMING), (events, cuts, action) => {
        const mixed = logOf(events)
        const rules = withAction(sensitiveRules(60).map(unrestricted), action)
        const whole = raise(rules, [mixed])
        assert.deepStrictEqual(raise(rules, split(mixed, cuts)).alerts, whole.alerts)
        for (const one of rules)
          assert.deepStrictEqual(tested(one, split(mixed, cuts)), raise([one], [mixed]).alerts)
        for (const { rule_id } of whole.alerts) setOff.add(rule_id)
      }),
      { numRuns: 60 }
    )
    assert.lengthOf([...setOff], 6, "every rule was set off")
  })
})
