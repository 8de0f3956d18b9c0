/**
 * The consumer that raises alerts: each event is evaluated once, in the order of the chain, and its alerts are stored together with the
 * messages about them and with the position.
 *
 * History that was imported raises nothing: it is what the rules start from.
 */
import { Context, Effect, Layer } from "effect"
import type { Alert } from "../consumer/Alert.ts"
import { type Consumer, type RunningConsumer, runConsumer } from "../consumer/ConsumerRunner.ts"
import type { ConsumerRow, RaisedAlert } from "../consumer/Consumers.ts"
import { RecentEvents } from "../consumer/RecentEvents.ts"
import * as Micros from "../encoding/Micros.ts"
import { Sha256, type Sha256Shape } from "../hashing/Sha256.ts"
import { type Audience, loadAudience, mailDeliveries, webhookDeliveries } from "../outbound/Announcement.ts"
import type { Webhooks } from "../outbound/Webhooks.ts"
import type { Members } from "../workspace/Members.ts"
import type { Workspaces } from "../workspace/Workspace.ts"
import { evaluate, stateKeys } from "./AlertEvaluation.ts"
import { AlertRules, toAlertRule } from "./AlertRules.ts"
import { type AlertStateRow, type AlertStateRows, stateId } from "./AlertState.ts"
import { Alerts } from "./Alerts.ts"

/** The consumer's name. */
export const ALERT_CONSUMER = "alerts"

const toConsumerRow = ({ ruleId, key, value, expiresAt }: AlertStateRow): ConsumerRow => ({
  key: stateId({ ruleId, key }),
  value,
  expiresAt
})

/** Rule ids have no space, so the first one ends the id. */
const toStateRow = ({ key: id, value, expiresAt }: ConsumerRow): AlertStateRow => {
  const space = id.indexOf(" ")
  return { ruleId: id.slice(0, space), key: id.slice(space + 1), value, expiresAt }
}

const byId = (rows: ReadonlyArray<ConsumerRow>): AlertStateRows =>
  new Map(rows.map((row) => [row.key, toStateRow(row)]))

/** An alert with a message to each webhook that listens, and a mail to each owner and admin. */
const raised = (sha256: Sha256Shape, audience: Audience, alert: Alert): RaisedAlert => {
  const at = Micros.parse(alert.triggered_at) ?? 0
  const notice = { kind: "alert", workspace: audience.workspaceName, alert } as const
  return {
    alert,
    deliveries: [
      ...webhookDeliveries(sha256, audience, { type: "alert.triggered", data: alert }, alert.id, at),
      ...mailDeliveries(sha256, audience, notice, alert.id, at)
    ]
  }
}

/** The use case *raise alerts*. */
export class AlertConsumer extends Context.Service<AlertConsumer, RunningConsumer>()(
  "@cairn/core/AlertConsumer"
) {
  /** `mail` says whether the service sends any; a commit is of at most `mostEvents`. */
  static readonly layer = ({ mail, mostEvents }: { readonly mail: boolean; readonly mostEvents?: number }) =>
    Layer.effect(
      AlertConsumer,
      Effect.gen(function* () {
        const rules = yield* AlertRules
        const alerts = yield* Alerts
        const recent = yield* RecentEvents
        const sha256 = yield* Sha256
        const context = yield* Effect.context<Webhooks | Members | Workspaces>()

        const process: Consumer["process"] = Effect.fnUntraced(function* ({
          workspaceId,
          entries,
          after,
          atEnd,
          rows
        }) {
          const legacy = (entries[0]?.sequence ?? 0) < 1
          const active = legacy ? [] : (yield* rules.list(workspaceId)).map(toAlertRule)
          // Read anew, and not taken from what others have read: what was erased before this position was opened raises nothing.
          const { events } = yield* recent.note(workspaceId, { after, entries, atEnd })
          const stored = yield* rows(stateKeys(active, events).map(stateId))
          const now = yield* Micros.now
          const earliest = (yield* alerts.newest(workspaceId)) + 1
          const result = evaluate({
            rules: active,
            events,
            rows: byId(stored),
            triggeredAt: () => Math.max(now, earliest),
            sha256
          })
          const changed = result.changed.map(toConsumerRow)
          if (result.alerts.length === 0) return { rows: changed, raised: [], deliveries: [] }
          const audience = yield* Effect.provide(loadAudience(workspaceId, mail), context)
          return {
            rows: changed,
            raised: result.alerts.map((alert) => raised(sha256, audience, alert)),
            deliveries: []
          }
        })

        return AlertConsumer.of(yield* runConsumer({ name: ALERT_CONSUMER, process }, mostEvents))
      })
    )
}
