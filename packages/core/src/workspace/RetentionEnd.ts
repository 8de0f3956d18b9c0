/**
 * Which holds have ended for certain. When a hold has ended by the clock, contents older than the shorter
 * window are hidden at once, which can be undone. Removal cannot be undone, and a process trusts the clock
 * that it starts with. So contents are removed only when the last day of a hold has passed by a clock that
 * was trusted at its beginning and at its end.
 */
import { DAY, type Micros } from "../encoding/Micros.ts"
import type { RetentionBasis, RetentionHold, RetentionSettings } from "./RetentionSettings.ts"

/** Whether removal may apply what a hold delayed. */
export const isLivedThrough = ({ until, end_seen_at }: RetentionHold, now: Micros): boolean =>
  now >= until && end_seen_at !== undefined && now >= end_seen_at + DAY

const forRemoval = (hold: RetentionHold | null, now: Micros): RetentionHold | null =>
  hold === null || isLivedThrough(hold, now) ? hold : { ...hold, until: Number.POSITIVE_INFINITY }

/** The same settings, in which every hold that has not ended for certain still counts. */
export const removalBasis = (basis: RetentionBasis, now: Micros): RetentionBasis => ({
  ...basis,
  retention: {
    ...basis.retention,
    own_hold: forRemoval(basis.retention.own_hold, now),
    plan_hold: forRemoval(basis.retention.plan_hold, now)
  }
})

/**
 * If a clock says that it is earlier than an end that was recorded, or that the last day has not begun, the
 * recording clock was wrong.
 */
const watched = (hold: RetentionHold | null, now: Micros): RetentionHold | null => {
  if (hold === null) return null
  const { end_seen_at, ...rest } = hold
  if (now < hold.until - DAY) return end_seen_at === undefined ? hold : rest
  return end_seen_at === undefined || end_seen_at > now ? { ...rest, end_seen_at: now } : hold
}

/** The same settings after a trusted clock says `now`; the identical value if there is nothing to record. */
export const watchedRetention = (settings: RetentionSettings, now: Micros): RetentionSettings => {
  const own_hold = watched(settings.own_hold, now)
  const plan_hold = watched(settings.plan_hold, now)
  return own_hold === settings.own_hold && plan_hold === settings.plan_hold
    ? settings
    : { ...settings, own_hold, plan_hold }
}
