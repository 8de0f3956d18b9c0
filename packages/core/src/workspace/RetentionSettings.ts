/** What a workspace stores of how long its contents are kept; `RetentionWindow.ts` says what it means. */
import { Schema } from "effect"
import type { PlanName, PlanOverrides } from "./Plan.ts"

/** A figure that still counts although a lesser one was set. Times are microseconds since the epoch. */
export const RetentionHold = Schema.Struct({
  /** Distinguishes this announcement from every other. */
  id: Schema.String,
  /** Null is unlimited. */
  days: Schema.NullOr(Schema.Number),
  since: Schema.Number,
  until: Schema.Number,
  /** Whether the owners were mailed of it, and reminded. */
  announced: Schema.Boolean,
  reminded: Schema.Boolean,
  /**
   * When a clock that was believed first said that no more than a day was left; absent means not yet. See
   * `RetentionEnd.ts`.
   */
  end_seen_at: Schema.optionalKey(Schema.Number)
})
export type RetentionHold = typeof RetentionHold.Type

/** Somebody who was written to and is not any more. */
export const DepartedRecipient = Schema.Struct({ email: Schema.String, left_at: Schema.Number })
export type DepartedRecipient = typeof DepartedRecipient.Type

/** What a workspace stores of it. */
export const RetentionSettings = Schema.Struct({
  /** The workspace's own figure; null leaves it to the plan. */
  days: Schema.NullOr(Schema.Number),
  own_hold: Schema.NullOr(RetentionHold),
  plan_hold: Schema.NullOr(RetentionHold),
  /**
   * Owners and admins who are none any more: a shortening soon afterwards is announced to them too. Absent
   * means none.
   */
  departed: Schema.optionalKey(Schema.Array(DepartedRecipient))
})
export type RetentionSettings = typeof RetentionSettings.Type

/** As the plan has it, with nothing pending. */
export const AS_PLANNED: RetentionSettings = { days: null, own_hold: null, plan_hold: null }

/** What decides. */
export interface RetentionBasis {
  readonly plan: PlanName
  readonly overrides: PlanOverrides
  readonly retention: RetentionSettings
}
