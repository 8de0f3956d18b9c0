/**
 * The consumer that raises alerts: `(state, batch of events) → (state, alerts)`.
 *
 * A pure function of the log. The same events raise the same alerts, however they are split into batches, in
 * any process and however often: an alert's id is derived from its rule and its event, and cooldowns use the
 * log's own times. Only `triggered_at` is the time of evaluation, and a store keeps the first one.
 *
 * For each batch: load the rows that {@link stateKeys} returns, {@link evaluate}, then store the alerts, the
 * changed rows and the position in one transaction.
 */
import { Schema } from "effect"
import type { Alert } from "../consumer/Alert.ts"
import * as Micros from "../encoding/Micros.ts"
import { isAccessAction, namesAccess } from "../event/AccessAction.ts"
import { actionGlob } from "../event/ActionGlob.ts"
import { contentHead } from "../event/ContentFields.ts"
import { derivedUuid } from "../hashing/DerivedUuid.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { LogEntry } from "../log/EventLog.ts"
import { cooldownKey } from "./ActorStateKeys.ts"
import type { AlertRule } from "./AlertRuleDefinition.ts"
import {
  type AlertStateKey,
  type AlertStateRow,
  type AlertStateRows,
  mergeState,
  rowCodec,
  type StateTable,
  stateId,
  stateTable
} from "./AlertState.ts"
import { evaluatorOf } from "./Evaluators.ts"
import type { AlertEvent, RuleEvaluator } from "./RuleEvaluator.ts"
import { actorCountries } from "./rules/NewCountry.ts"

/** An entry of the log as rules get it; `undefined` if retention or erasure removed its content. */
export const toAlertEvent = ({ id, createdAt, content: text }: LogEntry): AlertEvent | undefined => {
  const content = text === null ? undefined : contentHead(text)
  return content === undefined ? undefined : { id, createdAt, content }
}

/** The result of a batch. */
interface Evaluated {
  /**
   * In chain order, then by rule id. `triggered_at` is strictly increasing from alert to alert, also across
   * batches.
   */
  readonly alerts: ReadonlyArray<Alert>
  /** The rows to store; all others stay unchanged. */
  readonly changed: ReadonlyArray<AlertStateRow>
}

/** A batch to evaluate. */
interface EvaluationBatch {
  readonly rules: ReadonlyArray<AlertRule>
  /** In chain order. */
  readonly events: ReadonlyArray<AlertEvent>
  /** At least the rows that {@link stateKeys} returns. */
  readonly rows: AlertStateRows
  /** The `triggered_at` of an alert for this event: now, or in a backtest, when the event was recorded. */
  readonly triggeredAt: (event: AlertEvent) => Micros.Micros
  readonly sha256: Sha256Shape
}

const times = rowCodec(Schema.Number)

const TRIGGERED: AlertStateKey = { ruleId: "", key: "triggered" }

/** An enabled rule with its filters and its state. */
interface ActiveRule {
  readonly rule: AlertRule
  readonly sees: (event: AlertEvent) => boolean
  readonly evaluator: RuleEvaluator
  /** When each actor last raised an alert. */
  readonly raised: StateTable<Micros.Micros>
}

/** The patterns of a rule for the actions that it evaluates. */
const patternsOf = (rule: AlertRule): ReadonlyArray<string> => [
  ...(rule.action === null ? [] : [rule.action]),
  ...(rule.rule_type === "high_volume_destructive" ? rule.parameters.actions : [])
]

const activate = (rule: AlertRule, rows: AlertStateRows): ActiveRule => {
  const matches = rule.action === null ? undefined : actionGlob(rule.action)
  const named = patternsOf(rule).filter(namesAccess).map(actionGlob)
  return {
    rule,
    sees: ({ content: { action, tenant_id } }) =>
      (rule.tenant_id === null || rule.tenant_id === tenant_id) &&
      (matches === undefined || matches(action)) &&
      // Who reads a log, as the service itself records it, sets off only what is made for it.
      (!isAccessAction(action) || named.some((names) => names(action))),
    evaluator: evaluatorOf(rule, rows),
    raised: stateTable(times, rule.id, rows)
  }
}

const activeRules = (rules: ReadonlyArray<AlertRule>, rows: AlertStateRows): ReadonlyArray<ActiveRule> =>
  rules
    .filter(({ enabled }) => enabled)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((rule) => activate(rule, rows))

/** The keys of the rows that evaluating `events` may read, each once. */
export const stateKeys = (
  rules: ReadonlyArray<AlertRule>,
  events: ReadonlyArray<AlertEvent>
): ReadonlyArray<AlertStateKey> => {
  const none: AlertStateRows = new Map()
  const active = activeRules(rules, none)
  const countries = actorCountries(none)
  const keys = new Map([[stateId(TRIGGERED), TRIGGERED]])
  const add = (ruleId: string, key: string): void => {
    keys.set(stateId({ ruleId, key }), { ruleId, key })
  }
  for (const event of events) {
    const key = countries.key(event)
    if (key !== undefined) add("", key)
    for (const { rule, sees, evaluator } of active) {
      const concern = sees(event) ? evaluator.concern(event) : undefined
      if (concern === undefined) continue
      if (concern.row !== null) add(rule.id, concern.row)
      add(rule.id, cooldownKey(concern))
    }
  }
  return [...keys.values()]
}

/** `alt_` and a UUID that is derived from the rule and the event. */
const alertId = (sha256: Sha256Shape, ruleId: string, eventId: string): string =>
  `alt_${derivedUuid(sha256, `cairn.alert.v1\n${ruleId}\n${eventId}`)}`

/** Evaluates a batch. The countries of actors are recorded even if a workspace has no rules. */
export const evaluate = ({ rules, events, rows, triggeredAt, sha256 }: EvaluationBatch): Evaluated => {
  const active = activeRules(rules, rows)
  const countries = actorCountries(rows)
  const triggered = stateTable(times, TRIGGERED.ruleId, rows)
  const alerts: Array<Alert> = []
  for (const event of events) {
    const circumstances = { countries: countries.observe(event) }
    for (const { rule, sees, evaluator, raised } of active) {
      const concern = sees(event) ? evaluator.concern(event) : undefined
      if (concern === undefined) continue
      const reason = evaluator.step(event, concern, circumstances)
      if (reason === undefined) continue
      const cooldown = cooldownKey(concern)
      const last = raised.get(cooldown, event.createdAt)
      const quiet = rule.cooldown_seconds * Micros.SECOND
      if (last !== undefined && event.createdAt < last + quiet) continue
      raised.set(cooldown, event.createdAt, event.createdAt + quiet)
      const at = Math.max((triggered.get(TRIGGERED.key, event.createdAt) ?? 0) + 1, triggeredAt(event))
      triggered.set(TRIGGERED.key, at, null)
      alerts.push({
        id: alertId(sha256, rule.id, event.id),
        rule_id: rule.id,
        rule_name: rule.name,
        rule_type: rule.rule_type,
        event_id: event.id,
        reason,
        triggered_at: Micros.format(at)
      })
    }
  }
  const changed = [countries, triggered, ...active.flatMap(({ evaluator, raised }) => [evaluator, raised])]
  return { alerts, changed: changed.flatMap((table) => table.changed()) }
}

/** The state of a backtest. */
export interface Backtest {
  readonly rows: AlertStateRows
  readonly alerts: ReadonlyArray<Alert>
}

/** A backtest before the first event. */
export const emptyBacktest: Backtest = { rows: new Map(), alerts: [] }

/**
 * Which alerts a rule would have raised over history. Pass it the log from the first event on, batch by
 * batch. A disabled rule is tested as if it were enabled, and `triggered_at` is when the event was recorded.
 */
export const backtest = (
  rule: AlertRule,
  sha256: Sha256Shape,
  { rows, alerts }: Backtest,
  events: ReadonlyArray<AlertEvent>
): Backtest => {
  const last = events.at(-1)
  if (last === undefined) return { rows, alerts }
  const result = evaluate({
    rules: [{ ...rule, enabled: true }],
    events,
    rows,
    triggeredAt: ({ createdAt }) => createdAt,
    sha256
  })
  return {
    rows: mergeState(rows, result.changed, last.createdAt),
    alerts: [...alerts, ...result.alerts]
  }
}
