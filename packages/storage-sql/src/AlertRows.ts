/** Alerts over any SQL client. They are written by `ConsumerRows`. */
import { type AlertFilter, Alerts } from "@cairn/core/alert"
import { AlertRuleType } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { unavailable } from "./StorageFailure.ts"

const AlertRow = Schema.Struct({
  id: Schema.String,
  rule_id: Schema.String,
  rule_name: Schema.String,
  rule_type: AlertRuleType,
  event_id: Schema.String,
  reason: Schema.String,
  triggered_at: Schema.Number
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(AlertRow))
const decodeCount = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ count: Schema.Number })))
const decodeNewest = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ newest: Schema.Number })))

/** The alerts, in the table `alert`. Served by `alert_triggered_at`, or with a type by `alert_type`. */
export const layer = Layer.effect(
  Alerts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const matching = (
      workspaceId: string,
      { from, to, ruleType }: AlertFilter
    ): Array<Statement.Fragment> => {
      const conditions = [sql`workspace_id = ${workspaceId}`]
      if (from !== undefined) conditions.push(sql`triggered_at >= ${from}`)
      if (to !== undefined) conditions.push(sql`triggered_at <= ${to}`)
      if (ruleType !== undefined) conditions.push(sql`rule_type = ${ruleType}`)
      return conditions
    }

    return Alerts.of({
      page: Effect.fnUntraced(function* (workspaceId, { filter, before, limit }) {
        const conditions = matching(workspaceId, filter)
        if (before !== null) conditions.push(sql`triggered_at < ${before}`)
        const rows = yield* sql`
          SELECT id, rule_id, rule_name, rule_type, event_id, reason, triggered_at FROM alert
          WHERE ${sql.and(conditions)} ORDER BY triggered_at DESC LIMIT ${limit}`
        const alerts = yield* decodeRows(rows)
        return alerts.map((alert) => ({ ...alert, triggered_at: Micros.format(alert.triggered_at) }))
      }, unavailable("list alerts")),

      count: Effect.fnUntraced(function* (workspaceId, filter) {
        const rows = yield* sql`
          SELECT count(*) AS count FROM alert WHERE ${sql.and(matching(workspaceId, filter))}`
        const [row] = yield* decodeCount(rows)
        return row?.count ?? 0
      }, unavailable("count alerts")),

      newest: Effect.fnUntraced(function* (workspaceId) {
        const rows = yield* sql`
          SELECT coalesce(max(triggered_at), 0) AS newest FROM alert WHERE workspace_id = ${workspaceId}`
        const [row] = yield* decodeNewest(rows)
        return row?.newest ?? 0
      }, unavailable("find the newest alert"))
    })
  })
)
