/** What a workspace stores about how long its contents are kept. `RetentionWindow.ts` says what it means. */
import { Schema } from "effect"
import type { PlanName, PlanOverrides } from "./Plan.ts"

/** A figure that still counts although a smaller one was set. Times are microseconds since the epoch. */
export const RetentionHold = Schema.Struct({
  /** Identifies this announcement. */
  id: Schema.String,
  /** Null is unlimited. */
  days: Schema.NullOr(Schema.Number),
  since: Schema.Number,
  until: Schema.Number,
  /** Whether the owners got the mail about it, and the reminder. */
  announced: Schema.Boolean,
  reminded: Schema.Boolean,
  /**
   * When a trusted clock first said that no more than a day was left; absent means not yet. See
   * `RetentionEnd.ts`.
   */
  end_seen_at: Schema.optionalKey(Schema.Number)
})
export type RetentionHold = typeof RetentionHold.Type

/** Somebody who was a recipient of mail and is no longer. */
export const DepartedRecipient = Schema.Struct({ email: Schema.String, left_at: Schema.Number })
export type DepartedRecipient = typeof DepartedRecipient.Type

/** What a workspace stores about its retention. */
export const RetentionSettings = Schema.Struct({
  /** The workspace's own figure; null for the plan's. */
  days: Schema.NullOr(Schema.Number),
  own_hold: Schema.NullOr(RetentionHold),
  plan_hold: Schema.NullOr(RetentionHold),
  /**
   * Former owners and admins: a shortening soon after they left is announced to them too. Absent means none.
   */
  departed: Schema.optionalKey(Schema.Array(DepartedRecipient))
})
export type RetentionSettings = typeof RetentionSettings.Type

/** The plan's retention, with nothing pending. */
export const AS_PLANNED: RetentionSettings = { days: null, own_hold: null, plan_hold: null }

/** What determines the retention. */
export interface RetentionBasis {
  readonly plan: PlanName
  readonly overrides: PlanOverrides
  readonly retention: RetentionSettings
}
