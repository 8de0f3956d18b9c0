/**
 * Which holds have been lived through. A hold that has run out by the clock hides what is older than the
 * shorter window at once, and that can be taken back. Removal cannot, and a process believes the clock that
 * it starts with: so contents go only once the last day of a hold has passed by a clock that was believed at
 * its beginning and at its end.
 */
import { DAY, type Micros } from "../encoding/Micros.ts"
import type { RetentionBasis, RetentionHold, RetentionSettings } from "./RetentionSettings.ts"

/** Whether removal may go by what a hold held up. */
export const isLivedThrough = ({ until, end_seen_at }: RetentionHold, now: Micros): boolean =>
  now >= until && end_seen_at !== undefined && now >= end_seen_at + DAY

const forRemoval = (hold: RetentionHold | null, now: Micros): RetentionHold | null =>
  hold === null || isLivedThrough(hold, now) ? hold : { ...hold, until: Number.POSITIVE_INFINITY }

/** The same basis, in which every hold that was not lived through still counts. */
export const removalBasis = (basis: RetentionBasis, now: Micros): RetentionBasis => ({
  ...basis,
  retention: {
    ...basis.retention,
    own_hold: forRemoval(basis.retention.own_hold, now),
    plan_hold: forRemoval(basis.retention.plan_hold, now)
  }
})

/**
 * A clock that says that it is earlier than an end was seen, or that the last day has not begun, gives the
 * lie to the one that saw it.
 */
const watched = (hold: RetentionHold | null, now: Micros): RetentionHold | null => {
  if (hold === null) return null
  const { end_seen_at, ...rest } = hold
  if (now < hold.until - DAY) return end_seen_at === undefined ? hold : rest
  return end_seen_at === undefined || end_seen_at > now ? { ...rest, end_seen_at: now } : hold
}

/**
 * The same settings once a clock that is believed says `now`; the very same where there is nothing to note.
 */
export const watchedRetention = (settings: RetentionSettings, now: Micros): RetentionSettings => {
  const own_hold = watched(settings.own_hold, now)
  const plan_hold = watched(settings.plan_hold, now)
  return own_hold === settings.own_hold && plan_hold === settings.plan_hold
    ? settings
    : { ...settings, own_hold, plan_hold }
}
