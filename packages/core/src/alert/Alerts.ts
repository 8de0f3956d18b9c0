/**
 * Port: the alerts that were raised. The consumer that evaluates the rules stores them through
 * `Consumers.commit`.
 */
import { Context, type Effect, type Option, Schema } from "effect"
import type { ListedAlert } from "../consumer/Alert.ts"
import { AlertRuleType } from "../consumer/AlertRuleType.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** Which alerts; an absent condition is met by all. */
export const AlertFilter = Schema.Struct({
  /** Triggered at or after this time. */
  from: Schema.optionalKey(Schema.Number),
  /** Triggered at or before this time. */
  to: Schema.optionalKey(Schema.Number),
  ruleType: Schema.optionalKey(AlertRuleType)
})
export type AlertFilter = typeof AlertFilter.Type

/**
 * Contract: newest first by `triggered_at`, which no two alerts of a workspace share, so that it identifies
 * one place in the list. An alert is durable once the commit that raised it returned. It is acknowledged at
 * most once, and never changes otherwise.
 */
interface AlertsShape {
  readonly page: (
    workspaceId: string,
    request: {
      readonly filter: AlertFilter
      /** Only alerts triggered before this time. */
      readonly before: Micros | null
      readonly limit: number
    }
  ) => Effect.Effect<ReadonlyArray<ListedAlert>, StorageUnavailable>
  readonly get: (
    workspaceId: string,
    id: string
  ) => Effect.Effect<Option.Option<ListedAlert>, StorageUnavailable>
  /** Stores who acknowledged an alert, unless somebody has; returns it as it is then. */
  readonly acknowledge: (
    workspaceId: string,
    id: string,
    acknowledgement: { readonly at: Micros; readonly by: string }
  ) => Effect.Effect<Option.Option<ListedAlert>, StorageUnavailable>
  /** How many alerts satisfy the filter. */
  readonly count: (workspaceId: string, filter: AlertFilter) => Effect.Effect<number, StorageUnavailable>
  /** When the newest was triggered; 0 if there is none. */
  readonly newest: (workspaceId: string) => Effect.Effect<Micros, StorageUnavailable>
}

/** The alerts. */
export class Alerts extends Context.Service<Alerts, AlertsShape>()("@cairn/core/Alerts") {}
