/**
 * The consumer that raises alerts. Each event is evaluated once, in the order of the chain, and its alerts
 * are stored together with the messages about them and the position.
 *
 * Imported history raises no alerts; it is only the initial state of the rules.
 */
import { Context, Effect, Layer } from "effect"
import { type Consumer, type RunningConsumer, runConsumer } from "../consumer/ConsumerRunner.ts"
import type { ConsumerRow } from "../consumer/Consumers.ts"
import { RecentEvents } from "../consumer/RecentEvents.ts"
import * as Micros from "../encoding/Micros.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { evaluate, stateKeys } from "./AlertEvaluation.ts"
import { AlertNotices } from "./AlertNotices.ts"
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

/** The use case *raise alerts*. */
export class AlertConsumer extends Context.Service<AlertConsumer, RunningConsumer>()(
  "@cairn/core/AlertConsumer"
) {
  /** A commit has at most `mostEvents` events. */
  static readonly layer = ({ mostEvents }: { readonly mostEvents?: number } = {}) =>
    Layer.effect(
      AlertConsumer,
      Effect.gen(function* () {
        const rules = yield* AlertRules
        const alerts = yield* Alerts
        const recent = yield* RecentEvents
        const sha256 = yield* Sha256
        const notices = yield* AlertNotices

        const process: Consumer["process"] = Effect.fnUntraced(function* ({
          workspaceId,
          entries,
          after,
          atEnd,
          rows
        }) {
          const legacy = (entries[0]?.sequence ?? 0) < 1
          const active = legacy ? [] : (yield* rules.list(workspaceId)).map(toAlertRule)
          // Always read from the store, not from what others have read: events that were erased before this
          // position was opened raise nothing.
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
          const deliveriesOf = yield* notices.of(workspaceId)
          return {
            rows: changed,
            raised: result.alerts.map((alert) => ({ alert, deliveries: deliveriesOf(alert) })),
            deliveries: []
          }
        })

        return AlertConsumer.of(yield* runConsumer({ name: ALERT_CONSUMER, process }, mostEvents))
      })
    )
}
