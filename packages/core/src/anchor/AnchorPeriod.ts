/**
 * The periods that anchors cover: half-open intervals of `created_at` whose ends are whole seconds.
 *
 * A schedule cuts time at fixed points; closing on demand adds another cut. A period without events has no
 * anchor, so the next period begins at the last cut before its first event.
 *
 * ```
 * cuts      |           |           |     ×     |           |        × on demand
 * events      a b   c                 d  e   f
 * periods   [ a b c     )           [ d e )[ f  )
 * ```
 */
import { Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"

/**
 * The shortest period of a workspace's own schedule, in seconds: the one who sets it does not pay for its
 * transactions.
 */
export const MIN_ANCHOR_PERIOD = 60

/** The longest period of a schedule, in seconds. */
export const MAX_ANCHOR_PERIOD: number = 366 * 86_400

/** When a workspace's periods end. */
export const AnchorSchedule = Schema.Struct({
  every_seconds: Schema.Int.check(
    Schema.isBetween(
      { minimum: 1, maximum: MAX_ANCHOR_PERIOD },
      { expected: `1 to ${MAX_ANCHOR_PERIOD} seconds` }
    )
  ).annotate({ description: "Seconds from one end to the next" }),
  offset_seconds: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "Seconds from a multiple of that length, counted from the Unix epoch, to an end"
  })
}).annotate({ identifier: "AnchorSchedule", description: "When a workspace's periods end" })
export type AnchorSchedule = typeof AnchorSchedule.Type

/** Every day at 00:00 UTC. */
export const DAILY: AnchorSchedule = { every_seconds: 86_400, offset_seconds: 0 }

/** An interval of `created_at` that includes `start` and excludes `end`. */
export const AnchorPeriod = Schema.Struct({
  start: Schema.Number,
  end: Schema.Number
})
export type AnchorPeriod = typeof AnchorPeriod.Type

/** The events of a log that no anchor covers yet. */
export interface OpenPeriod {
  /** `created_at` of the first of them. */
  readonly firstCreatedAt: Micros.Micros
  /** End of the previous period; null if there is none. */
  readonly previousEnd: Micros.Micros | null
}

/** The last cut of a schedule at or before `micros`. */
const cutBefore = (
  { every_seconds, offset_seconds }: AnchorSchedule,
  micros: Micros.Micros
): Micros.Micros => {
  const [every, offset] = [every_seconds * Micros.SECOND, offset_seconds * Micros.SECOND]
  return Math.floor((micros - offset) / every) * every + offset
}

const startOf = (schedule: AnchorSchedule, { firstCreatedAt, previousEnd }: OpenPeriod): Micros.Micros =>
  Math.max(cutBefore(schedule, firstCreatedAt), previousEnd ?? Number.NEGATIVE_INFINITY)

/** The scheduled period of the first open event. */
export const scheduledPeriod = (schedule: AnchorSchedule, open: OpenPeriod): AnchorPeriod => ({
  start: startOf(schedule, open),
  end: cutBefore(schedule, open.firstCreatedAt) + schedule.every_seconds * Micros.SECOND
})

/**
 * The same period if it has ended, else undefined. After the service was stopped for a while, several become
 * due one after the other.
 */
export const duePeriod = (
  schedule: AnchorSchedule,
  open: OpenPeriod,
  now: Micros.Micros
): AnchorPeriod | undefined => {
  const period = scheduledPeriod(schedule, open)
  return period.end <= now ? period : undefined
}

/**
 * How far ahead of now the newest event may be dated for a period to be closed on demand. Each closing dates
 * the following events up to a second later, so repeated closings move the log's time further and further
 * ahead. The clocks of machines differ by less than this.
 */
export const MAX_AHEAD_ON_DEMAND: Micros.Micros = 10 * Micros.SECOND

/**
 * The period that is closed on demand: it ends at the next whole second and includes every event so far, up
 * to the one recorded at `lastCreatedAt`.
 */
export const periodOnDemand = (
  schedule: AnchorSchedule,
  open: OpenPeriod,
  lastCreatedAt: Micros.Micros,
  now: Micros.Micros
): AnchorPeriod => ({
  start: startOf(schedule, open),
  end: (Math.floor(Math.max(now, lastCreatedAt) / Micros.SECOND) + 1) * Micros.SECOND
})
