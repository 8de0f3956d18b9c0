/** Creating, changing and removing alert rules, and acknowledging what they raised. */

import { Context, Effect, Layer, Option, Result } from "effect"
import { type AlertRule, decodeAlertRule, decodeAlertRuleChange } from "../alert/AlertRuleDefinition.ts"
import { AlertRules, type StoredAlertRule, withinRuleLimit } from "../alert/AlertRules.ts"
import { Alerts } from "../alert/Alerts.ts"
import { unlessInvalid } from "../event/InvalidInput.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { makeCreationTime } from "./CreationTime.ts"
import { difference } from "./Difference.ts"
import { liftedBy } from "./LiftedRestrictions.ts"
import { ManagementEvents, type Manager, onceKey } from "./ManagementEvent.ts"
import { NotFound } from "./NotFound.ts"
import { changeRecorded, createRecorded, inTurn, makeTurns } from "./RecordedCreation.ts"

/** The workspace of a rule, and how many rules it may have. */
export interface RuleOwner {
  readonly workspaceId: string
  /** Null is unlimited. */
  readonly limit: number | null
}

/** Restrictions on the events that a rule evaluates. */
const RESTRICTIONS = ["tenant_id", "action"]

const lifted = liftedBy(RESTRICTIONS, "rule")

const resource = ({ id, definition: { name } }: StoredAlertRule) => ({ type: "alert_rule", id, name })

/** What the use cases need. */
const loadServices = Effect.gen(function* () {
  const rules = yield* AlertRules
  const alerts = yield* Alerts
  const events = yield* ManagementEvents
  const random = yield* Randomness
  const now = makeCreationTime()
  const turns = makeTurns()
  return { rules, alerts, events, random, now, turns }
})
type Services = Effect.Success<typeof loadServices>

const find = (services: Services) =>
  Effect.fnUntraced(function* (workspaceId: string, id: string) {
    const found = yield* services.rules.get(workspaceId, id)
    return Option.isSome(found) ? found.value : yield* new NotFound({ what: "alert rule", id })
  })

/** The rule that a body defines, with defaults for what it leaves out. */
const defined = (body: unknown) => Effect.fromResult(unlessInvalid(decodeAlertRule(body), lifted(body, null)))

/** The id of rules that are tried before they are made; no stored rule has it. */
const DRAFT_ID = "rul_00000000-0000-0000-0000-000000000000"

/** The rule that `create` would make of the body, for a backtest: nothing is stored or recorded. */
const draft = (body: unknown) =>
  Effect.map(defined(body), (definition): AlertRule => ({ id: DRAFT_ID, ...definition }))

const create = (services: Services) =>
  Effect.fn("AlertRuleManagement.create")(function* (
    by: Manager,
    { workspaceId, limit }: RuleOwner,
    body: unknown
  ) {
    const definition = yield* defined(body)
    const admit = withinRuleLimit(limit)
    const at = yield* services.now
    const rule: StoredAlertRule = {
      id: `rul_${uuid(services.random)}`,
      workspace_id: workspaceId,
      definition,
      created_at: at,
      updated_at: at
    }
    // Recorded first, like every change: a change that is not in the log would be worse than a recorded
    // change that then failed.
    const change = {
      workspaceId,
      action: "cairn.alert_rule.created",
      resource: resource(rule),
      metadata: { ...definition }
    }
    yield* createRecorded(services, by, change, { things: services.rules, item: rule, admit })
    return rule
  })

const change = (services: Services) =>
  Effect.fn("AlertRuleManagement.change")(function* (
    by: Manager,
    workspaceId: string,
    id: string,
    body: unknown
  ) {
    const before = yield* find(services)(workspaceId, id)
    const definition = yield* Effect.fromResult(
      unlessInvalid(decodeAlertRuleChange(before.definition, body), lifted(body, before.definition))
    )
    const changed = difference(before.definition, definition)
    if (Object.keys(changed).length === 0) return before
    const record = {
      workspaceId,
      action: "cairn.alert_rule.updated",
      resource: resource(before),
      metadata: { changed }
    }
    const updated_at = yield* services.now
    // Decoded again with the present rule, so that two changes of different fields both take effect.
    const modify = services.rules.modify(workspaceId, id, (current) =>
      Result.map(decodeAlertRuleChange(current.definition, body), (merged) => ({
        ...current,
        definition: merged,
        updated_at
      }))
    )
    return yield* changeRecorded(services, by, record, "alert rule", modify)
  }, inTurn(services))

const remove = (services: Services) =>
  Effect.fn("AlertRuleManagement.remove")(function* (by: Manager, workspaceId: string, id: string) {
    const rule = yield* find(services)(workspaceId, id)
    yield* services.events.record(by, {
      workspaceId,
      action: "cairn.alert_rule.deleted",
      resource: resource(rule),
      metadata: { ...rule.definition },
      idempotencyKey: onceKey("cairn.alert_rule.deleted", id, by)
    })
    yield* services.rules.remove(workspaceId, id)
    return rule
  }, inTurn(services))

const acknowledge = (services: Services) =>
  Effect.fn("AlertRuleManagement.acknowledge")(function* (by: Manager, workspaceId: string, id: string) {
    const found = yield* services.alerts.get(workspaceId, id)
    if (Option.isNone(found)) return yield* new NotFound({ what: "alert", id })
    if (found.value.acknowledged_at !== null) return found.value
    const { rule_id, rule_name, event_id } = found.value
    yield* services.events.record(by, {
      workspaceId,
      action: "cairn.alert.acknowledged",
      resource: { type: "alert", id, name: rule_name },
      metadata: { rule_id, event_id },
      idempotencyKey: onceKey("cairn.alert.acknowledged", id, by)
    })
    const after = yield* services.alerts.acknowledge(workspaceId, id, { at: yield* services.now, by: by.id })
    return Option.isSome(after) ? after.value : yield* new NotFound({ what: "alert", id })
  })

const make = Effect.map(loadServices, (services) => ({
  find: find(services),
  draft,
  create: create(services),
  change: change(services),
  remove: remove(services),
  acknowledge: acknowledge(services)
}))

/** The use cases. Each checks its input, records the change in the workspace's log, and makes it. */
export class AlertRuleManagement extends Context.Service<AlertRuleManagement, Effect.Success<typeof make>>()(
  "@cairn/core/AlertRuleManagement"
) {
  static readonly layer = Layer.effect(AlertRuleManagement, make)
}
