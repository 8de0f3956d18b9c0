/** Port: the alert rules of each workspace. */
import { Context, Result, Schema } from "effect"
import type { WorkspaceCollection } from "../workspace/WorkspaceCollection.ts"
import { type AlertRule, AlertRuleDefinition } from "./AlertRuleDefinition.ts"

/** A rule as stored. */
export const StoredAlertRule = Schema.Struct({
  /** `rul_` and a UUID. */
  id: Schema.String,
  workspace_id: Schema.String,
  definition: AlertRuleDefinition,
  /** Microseconds since the epoch, like the next. */
  created_at: Schema.Number,
  updated_at: Schema.Number
})
export type StoredAlertRule = typeof StoredAlertRule.Type

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The body of a stored rule as this version writes it: an earlier version stored parameters given as `null`.
 */
export const mendStoredRule = (body: unknown): unknown =>
  isRecord(body) && isRecord(body.definition) && body.definition.parameters === null
    ? { ...body, definition: { ...body.definition, parameters: {} } }
    : body

/** The rule in the form that the evaluation needs. */
export const toAlertRule = ({ id, definition }: StoredAlertRule): AlertRule => ({ id, ...definition })

/** The workspace has the most rules that its plan allows, enabled or not. */
export class AlertRuleLimitReached extends Schema.TaggedError<AlertRuleLimitReached>()(
  "AlertRuleLimitReached",
  {
    limit: Schema.Number
  }
) {
  /** The most rules that it may have. */
  override get message(): string {
    return `the plan allows ${this.limit} alert rules`
  }
}

/** Allows one more rule while there are fewer than `limit`; null is unlimited. For `create`. */
export const withinRuleLimit =
  (limit: number | null) =>
  (existing: ReadonlyArray<StoredAlertRule>): Result.Result<void, AlertRuleLimitReached> =>
    limit === null || existing.length < limit
      ? Result.void
      : Result.fail(new AlertRuleLimitReached({ limit }))

/** The rules. */
export class AlertRules extends Context.Service<AlertRules, WorkspaceCollection<StoredAlertRule>>()(
  "@cairn/core/AlertRules"
) {}
