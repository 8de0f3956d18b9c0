/** What a plan allows. The operator can override every figure for a workspace. `null` is unlimited. */
import { Schema } from "effect"

/** The smallest value of a limit: with 0 a workspace would be locked out, or its whole log hidden. */
export const LEAST_LIMIT = 1

const limit = (description: string) =>
  Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(LEAST_LIMIT))).annotate({ description })

/** Each figure of a plan. */
const figures = {
  requests_per_minute: limit("Requests a minute; null is unlimited"),
  alert_rules: limit("Alert rules at a time; null is unlimited"),
  events_per_month: limit("Events a calendar month (UTC); null is unlimited"),
  exports_per_month: limit("Exports a calendar month (UTC); null is unlimited"),
  retention_days: limit("Days that contents are kept; null is unlimited")
}

/** The names of the plans. */
export const PlanName = Schema.Literals(["free", "starter", "pro", "enterprise"])
export type PlanName = typeof PlanName.Type

/** The figures of a plan. */
export const PlanLimits = Schema.Struct(figures).annotate({
  identifier: "PlanLimits",
  description: "What the plan and the overrides together allow"
})
export type PlanLimits = typeof PlanLimits.Type

/** Figures of one workspace that differ from its plan's. */
export const PlanOverrides = Schema.Struct({
  requests_per_minute: Schema.optionalKey(figures.requests_per_minute),
  alert_rules: Schema.optionalKey(figures.alert_rules),
  events_per_month: Schema.optionalKey(figures.events_per_month),
  exports_per_month: Schema.optionalKey(figures.exports_per_month),
  retention_days: Schema.optionalKey(figures.retention_days)
}).annotate({
  identifier: "PlanOverrides",
  description: "Figures of the workspace that differ from its plan's; the operator's to change"
})
export type PlanOverrides = typeof PlanOverrides.Type

const unlimited: PlanLimits = {
  requests_per_minute: null,
  alert_rules: null,
  events_per_month: null,
  exports_per_month: null,
  retention_days: null
}

/** The plans. */
export const PLANS: Record<PlanName, PlanLimits> = {
  free: {
    requests_per_minute: 60,
    alert_rules: 2,
    events_per_month: 10_000,
    exports_per_month: 10,
    retention_days: 30
  },
  starter: {
    requests_per_minute: 300,
    alert_rules: 10,
    events_per_month: 100_000,
    exports_per_month: 100,
    retention_days: 90
  },
  pro: {
    requests_per_minute: 1_000,
    alert_rules: 50,
    events_per_month: 1_000_000,
    exports_per_month: 1_000,
    retention_days: 365
  },
  enterprise: unlimited
}

/** Overrides as the database of an earlier version may have them: with zeros. */
export const StoredPlanOverrides = Schema.Record(Schema.String, Schema.NullOr(Schema.Number))

/** The names of the figures. */
export const LIMIT_NAMES = [
  "requests_per_minute",
  "alert_rules",
  "events_per_month",
  "exports_per_month",
  "retention_days"
] as const satisfies ReadonlyArray<keyof PlanLimits>

/**
 * Overrides with every figure at least {@link LEAST_LIMIT}, and without unknown names. Stores apply this when
 * they write and read.
 */
export const soundOverrides = (
  overrides: Readonly<Record<string, number | null | undefined>>
): PlanOverrides =>
  Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const figure = overrides[name]
      if (figure === undefined) return []
      return [[name, figure === null ? null : Math.max(LEAST_LIMIT, Math.trunc(figure))]]
    })
  )

/** The limits of a workspace on `plan` with `overrides`. */
export const limitsOf = (plan: PlanName, overrides: PlanOverrides): PlanLimits => ({
  ...PLANS[plan],
  ...soundOverrides(overrides)
})
