/** `Alerts` in memory. */
import { type AlertFilter, Alerts } from "@cairn/core/alert"
import type { Alert, ListedAlert } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Effect, Layer, Option } from "effect"

import { ConsumptionTables, triggered } from "./MemoryConsumptionTables.ts"

/** The port. */
export const layerAlerts = Layer.effect(
  Alerts,
  Effect.map(ConsumptionTables, ({ alerts }) => {
    const matching = (workspaceId: string, { from, to, ruleType }: AlertFilter) =>
      (alerts.get(workspaceId) ?? [])
        .filter(
          (alert) =>
            (from === undefined || triggered(alert) >= from) &&
            (to === undefined || triggered(alert) <= to) &&
            (ruleType === undefined || alert.rule_type === ruleType)
        )
        .sort((one, other) => triggered(other) - triggered(one))
    const acknowledged = new Map<string, { readonly at: number; readonly by: string }>()
    const listed =
      (workspaceId: string) =>
      (alert: Alert): ListedAlert => {
        const found = acknowledged.get(`${workspaceId} ${alert.id}`)
        return {
          ...alert,
          acknowledged_at: found === undefined ? null : Micros.format(found.at),
          acknowledged_by: found?.by ?? null
        }
      }
    const find = (workspaceId: string, id: string) =>
      Option.map(
        Option.fromNullishOr(matching(workspaceId, {}).find((alert) => alert.id === id)),
        listed(workspaceId)
      )
    return Alerts.of({
      get: (workspaceId, id) => Effect.sync(() => find(workspaceId, id)),
      acknowledge: (workspaceId, id, acknowledgement) =>
        Effect.sync(() => {
          const key = `${workspaceId} ${id}`
          if (!acknowledged.has(key)) acknowledged.set(key, acknowledgement)
          return find(workspaceId, id)
        }),
      page: (workspaceId, { filter, before, limit }) =>
        Effect.sync(() =>
          matching(workspaceId, filter)
            .filter((alert) => before === null || triggered(alert) < before)
            .slice(0, limit)
            .map(listed(workspaceId))
        ),
      count: (workspaceId, filter) => Effect.sync(() => matching(workspaceId, filter).length),
      newest: (workspaceId) =>
        Effect.sync(() => {
          const [newest] = matching(workspaceId, {})
          return newest === undefined ? 0 : triggered(newest)
        })
    })
  })
)
