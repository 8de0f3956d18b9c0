/** Alerts over any SQL client. They are written by `ConsumerRows`. */
import { type AlertFilter, Alerts } from "@cairn/core/alert"
import { AlertRuleType, type ListedAlert } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import type { StorageUnavailable } from "@cairn/core/log"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { isStorable } from "./StorableText.ts"
import { unavailable } from "./StorageFailure.ts"
import { isOf, WorkspaceKeys } from "./WorkspaceKeys.ts"

const AlertRow = Schema.Struct({
  id: Schema.String,
  rule_id: Schema.String,
  rule_name: Schema.String,
  rule_type: AlertRuleType,
  event_id: Schema.String,
  reason: Schema.String,
  triggered_at: Schema.Number,
  acknowledged_at: Schema.NullOr(Schema.Number),
  acknowledged_by: Schema.NullOr(Schema.String)
})

const COLUMNS =
  "id, rule_id, rule_name, rule_type, event_id, reason, triggered_at, acknowledged_at, acknowledged_by"

const toAlert = ({ triggered_at, acknowledged_at, ...row }: typeof AlertRow.Type): ListedAlert => ({
  ...row,
  triggered_at: Micros.format(triggered_at),
  acknowledged_at: acknowledged_at === null ? null : Micros.format(acknowledged_at)
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(AlertRow))
const decodeCount = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ count: Schema.Number })))
const decodeNewest = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ newest: Schema.Number })))

/** The alerts, in the table `alert`. Served by `alert_triggered_at`, or with a type by `alert_type`. */
export const layer = Layer.effect(
  Alerts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    const tables = { sql, keys: yield* WorkspaceKeys }
    const within = (workspaceId: string) => isOf(tables, workspaceId)

    const matching = Effect.fnUntraced(function* (
      workspaceId: string,
      { from, to, ruleType }: AlertFilter
    ): Effect.fn.Return<Array<Statement.Fragment>, StorageUnavailable> {
      const conditions = [yield* within(workspaceId)]
      if (from !== undefined) conditions.push(sql`triggered_at >= ${from}`)
      if (to !== undefined) conditions.push(sql`triggered_at <= ${to}`)
      if (ruleType !== undefined) conditions.push(sql`rule_type = ${ruleType}`)
      return conditions
    })

    const find = Effect.fnUntraced(function* (workspaceId: string, id: string) {
      if (!isStorable(id)) return Option.none()
      const rows = yield* sql`SELECT ${columns} FROM alert WHERE ${yield* within(workspaceId)} AND id = ${id}`
      const [row] = yield* decodeRows(rows)
      return Option.map(Option.fromNullishOr(row), toAlert)
    })

    return Alerts.of({
      page: Effect.fnUntraced(function* (workspaceId, { filter, before, limit }) {
        const conditions = yield* matching(workspaceId, filter)
        if (before !== null) conditions.push(sql`triggered_at < ${before}`)
        const rows = yield* sql`
          SELECT ${columns} FROM alert
          WHERE ${sql.and(conditions)} ORDER BY triggered_at DESC LIMIT ${limit}`
        const alerts = yield* decodeRows(rows)
        return alerts.map(toAlert)
      }, unavailable("list alerts")),

      get: (workspaceId, id) => find(workspaceId, id).pipe(unavailable("read an alert")),

      acknowledge: Effect.fnUntraced(function* (workspaceId, id, { at, by }) {
        if (!isStorable(id)) return Option.none()
        yield* sql`
          UPDATE alert SET acknowledged_at = ${at}, acknowledged_by = ${by}
          WHERE ${yield* within(workspaceId)} AND id = ${id} AND acknowledged_at IS NULL`
        return yield* find(workspaceId, id)
      }, unavailable("acknowledge an alert")),

      count: Effect.fnUntraced(function* (workspaceId, filter) {
        const rows = yield* sql`
          SELECT count(*) AS count FROM alert WHERE ${sql.and(yield* matching(workspaceId, filter))}`
        const [row] = yield* decodeCount(rows)
        return row?.count ?? 0
      }, unavailable("count alerts")),

      newest: Effect.fnUntraced(function* (workspaceId) {
        const rows = yield* sql`
          SELECT coalesce(max(triggered_at), 0) AS newest FROM alert WHERE ${yield* within(workspaceId)}`
        const [row] = yield* decodeNewest(rows)
        return row?.newest ?? 0
      }, unavailable("find the newest alert"))
    })
  })
)
