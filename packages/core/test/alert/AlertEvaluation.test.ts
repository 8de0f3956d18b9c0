import type { AlertRuleType } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { actorKeys } from "../../src/alert/ActorStateKeys.ts"
import { backtest, emptyBacktest, evaluate, toAlertEvent } from "../../src/alert/AlertEvaluation.ts"
import { type AlertStateRow, mergeState } from "../../src/alert/AlertState.ts"
import type { AlertEvent } from "../../src/alert/RuleEvaluator.ts"
import { countriesKeys } from "../../src/alert/rules/NewCountry.ts"
import { aLog, sensitiveRules, split } from "./GeneratedLogs.ts"
import { log, NOON, raise, rule, type Said, sha256, times } from "./rules/Cases.ts"

const generated = generatedTests(import.meta.url)

describe("AlertEvaluation", () => {
  it("raises the same alerts however the log is split into batches", () => {
    const raised = new Set<string>()
    generated.property(
      FastCheck.property(
        aLog,
        FastCheck.array(FastCheck.nat(), { maxLength: 20 }),
        FastCheck.constantFrom(0, 60, 3600),
        (events, places, cooldown) => {
          const whole = raise(sensitiveRules(cooldown), [events])
          const parts = raise(sensitiveRules(cooldown), split(events, places))
          assert.deepStrictEqual(parts.alerts, whole.alerts)
          assert.deepStrictEqual(
            new Map([...parts.rows].sort()),
            new Map([...mergeState(whole.rows, [], events.at(-1)?.createdAt ?? 0)].sort())
          )
          for (const { rule_id } of whole.alerts) raised.add(rule_id)
        }
      ),
      { numRuns: 60 }
    )
    assert.lengthOf([...raised], 6, "every rule was set off")
  })

  it("does not depend on when a store removes rows that have expired", () => {
    generated.property(
      FastCheck.property(aLog, (events) => {
        const kept = new Map<string, ReturnType<typeof evaluate>["changed"][number]>()
        const alerts = events.flatMap((event) => {
          const { alerts, changed } = evaluate({
            rules: sensitiveRules(60),
            events: [event],
            rows: kept,
            triggeredAt: ({ createdAt }) => createdAt,
            sha256
          })
          for (const row of changed) kept.set(`${row.ruleId} ${row.key}`, row)
          return alerts
        })
        assert.deepStrictEqual(alerts, raise(sensitiveRules(60), [events]).alerts)
      }),
      { numRuns: 50 }
    )
  })

  it("gives every alert a moment of its own, later than all before it, even when the clock stands still", () => {
    const twice = [rule({ rule_type: "off_hours", cooldown_seconds: 0, parameters: { days: [] } }, "rul_2")]
    const both = [
      ...twice,
      rule({ rule_type: "repeated_action", cooldown_seconds: 0, parameters: { threshold: 2 } })
    ]
    const events = log(times(3, 0, 0.000001))
    const { alerts } = raise(
      both,
      events.map((event) => [event]),
      NOON
    )
    assert.deepStrictEqual(
      alerts.map(({ rule_id, event_id, triggered_at }) => [rule_id, event_id, triggered_at]),
      [
        ["rul_2", "event-0", "2024-05-01T12:00:00.000000Z"],
        ["rul_1", "event-1", "2024-05-01T12:00:00.000001Z"],
        ["rul_2", "event-1", "2024-05-01T12:00:00.000002Z"],
        ["rul_1", "event-2", "2024-05-01T12:00:00.000003Z"],
        ["rul_2", "event-2", "2024-05-01T12:00:00.000004Z"]
      ]
    )
  })

  it("does not go back when the clock does", () => {
    const rules = [rule({ rule_type: "off_hours", cooldown_seconds: 0, parameters: { days: [] } })]
    const [one, other] = log([{}, {}])
    if (one === undefined || other === undefined) return assert.fail("two events were said")
    const first = evaluate({ rules, events: [one], rows: new Map(), triggeredAt: () => NOON, sha256 })
    const rows = mergeState(new Map(), first.changed, one.createdAt)
    const second = evaluate({ rules, events: [other], rows, triggeredAt: () => NOON - Micros.DAY, sha256 })
    assert.strictEqual(second.alerts[0]?.triggered_at, "2024-05-01T12:00:00.000001Z")
  })

  it("makes an alert's id from its rule and its event, as a UUID", () => {
    const body = { rule_type: "off_hours", cooldown_seconds: 0, parameters: { days: [] } }
    const ids = [rule(body, "rul_1"), rule(body, "rul_2")].flatMap((one) =>
      raise([one], [log([{}, {}])]).alerts.map(({ id }) => id)
    )
    assert.lengthOf([...new Set(ids)], 4)
    for (const id of ids) {
      assert.match(id, /^alt_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    assert.deepStrictEqual(
      raise([rule(body)], [log([{}, {}])]).alerts.map(({ id }) => id),
      ids.slice(0, 2)
    )
  })

  it.each([
    ["a rule that is off", { enabled: false }, []],
    ["another tenant's rule", { tenant_id: "other" }, []],
    ["its tenant's rule", { tenant_id: "acme" }, ["event-1"]],
    ["a rule for another action", { action: "invoice.*" }, []],
    ["a rule for a pattern of actions", { action: "user.*" }, ["event-1"]],
    ["a rule for that action in other letters", { action: "USER.Viewed" }, ["event-1"]]
  ])("%s sees only what it is for", (_, fields, expected) => {
    const events = log([{ action: "document.viewed" }, { action: "user.viewed", tenant: "acme" }])
    const body = { rule_type: "off_hours", cooldown_seconds: 0, parameters: { days: [] } }
    const fieldsOf = { action: "user.*", ...fields }
    assert.deepStrictEqual(
      raise([rule({ ...body, ...fieldsOf })], [events]).alerts.map(({ event_id }) => event_id),
      expected
    )
  })

  it("tests a rule over history as if it were on, and raises what it would have raised", () => {
    generated.property(
      FastCheck.property(aLog, FastCheck.array(FastCheck.nat(), { maxLength: 5 }), (events, places) => {
        for (const one of sensitiveRules(60)) {
          const { alerts } = split(events, places).reduce(
            (state, batch) => backtest({ ...one, enabled: false }, sha256, state, batch),
            emptyBacktest
          )
          assert.deepStrictEqual(alerts, raise([one], [events]).alerts)
        }
      }),
      { numRuns: 20 }
    )
  })

  it("does not see an event whose content was removed", () => {
    const entry = {
      sequence: 1,
      id: "e",
      createdAt: NOON,
      content: null,
      eventHash: "",
      previousEventHash: null,
      salt: null,
      contentHash: ""
    }
    assert.isUndefined(toAlertEvent(entry))
  })

  it("keeps a reason short and well-formed whatever the actor is called", () => {
    const [event] = log([{}])
    if (event === undefined) return assert.fail("an event was said")
    const actor = { id: "ada", name: "😀".repeat(1000), type: null }
    const long: AlertEvent = { ...event, content: { ...event.content, actor } }
    const { alerts } = raise([rule({ rule_type: "off_hours", parameters: { days: [] } })], [[long]])
    const reason = alerts[0]?.reason ?? ""
    assert.isTrue(reason.isWellFormed())
    assert.isBelow([...reason].length, 300)
  })
})

/** A rule of each type that alerts at the third event of one actor from a second country, at the latest. */
const EASILY_SET_OFF: Record<AlertRuleType, Record<string, unknown>> = {
  new_country: {},
  high_volume_destructive: { parameters: { threshold: 2 } },
  ingestion_spike: { parameters: { minimum_events: 1, factor: 1.1, window_seconds: 10 } },
  off_hours: { parameters: { days: [] } },
  repeated_action: { parameters: { threshold: 2 } }
}

describe("what rules remember of an actor", () => {
  const ADA = "ada@example.com"

  /** Whether erasing the actor's events removes the row. */
  const isErased = ({ ruleId, key }: AlertStateRow): boolean => {
    const { whole, beginning } = actorKeys(ADA)
    return (
      countriesKeys(ADA).some((countries) => ruleId === countries.ruleId && key === countries.key) ||
      whole.includes(key) ||
      key.startsWith(beginning)
    )
  }

  it.each(Object.entries(EASILY_SET_OFF))("erasure finds in each row of %s", (rule_type, body) => {
    const said = ["a.deleted", "cairn.access.events"].flatMap((action) =>
      ["FR", "FR", "DE", "FR"].map((country): Said => ({ country, actor: ADA, action }))
    )
    const { alerts, changed } = evaluate({
      rules: [rule({ rule_type, ...body })],
      events: log(said),
      rows: new Map(),
      triggeredAt: ({ createdAt }) => createdAt,
      sha256
    })
    assert.isNotEmpty(alerts)
    const naming = changed.filter(({ key, value }) => `${key} ${value}`.includes(ADA))
    assert.isNotEmpty(naming)
    for (const row of naming) assert.isTrue(isErased(row), row.key)
  })
})
