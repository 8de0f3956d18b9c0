/** `Alerts` in memory. */
import { type AlertFilter, Alerts } from "@cairn/core/alert"
import { Effect, Layer } from "effect"

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
    return Alerts.of({
      page: (workspaceId, { filter, before, limit }) =>
        Effect.sync(() =>
          matching(workspaceId, filter)
            .filter((alert) => before === null || triggered(alert) < before)
            .slice(0, limit)
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
