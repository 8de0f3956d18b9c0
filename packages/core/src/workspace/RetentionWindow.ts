/**
 * How long a workspace's contents are kept, and when a shorter time takes effect.
 *
 * Two figures limit it: the plan's, which the operator sets, and the workspace's own; the smaller counts. A
 * figure that grows counts at once. A figure that shrinks is *held*: the old one counts for some more days,
 * in which the change is announced and can be cancelled. Each figure has its own hold, so neither side can
 * delay or hasten what the other has decided. No job needs to run when a hold ends: what counts is computed
 * from the time. So a restart, another process or a clock that steps back only changes the time that is used.
 */
import { Result, Schema } from "effect"
import { DAY, type Micros } from "../encoding/Micros.ts"
import { limitsOf } from "./Plan.ts"
import { isLivedThrough } from "./RetentionEnd.ts"
import type {
  DepartedRecipient,
  RetentionBasis,
  RetentionHold,
  RetentionSettings
} from "./RetentionSettings.ts"

/** The longest time that a workspace may choose, in days. For longer, it leaves the choice to its plan. */
export const MAX_RETENTION_DAYS = 36_500

/** How long the old figure continues to count, by default. */
export const RETENTION_DELAY: Micros = 7 * DAY

/** A figure for comparison: unlimited is the largest. */
const figure = (days: number | null): number => days ?? Number.POSITIVE_INFINITY

const shown = (days: number): number | null => (Number.isFinite(days) ? days : null)

/** The plan's figure, which is the most that the workspace may choose; null is unlimited. */
export const planRetention = ({
  plan,
  overrides
}: Pick<RetentionBasis, "plan" | "overrides">): number | null => limitsOf(plan, overrides).retention_days

const counting = (days: number | null, hold: RetentionHold | null, now: Micros): number =>
  hold !== null && now < hold.until ? Math.max(figure(days), figure(hold.days)) : figure(days)

const countingAt = (basis: RetentionBasis, now: Micros): number =>
  Math.min(
    counting(planRetention(basis), basis.retention.plan_hold, now),
    counting(basis.retention.days, basis.retention.own_hold, now)
  )

/** How many days count at `now`; null if nothing ever leaves the window. */
export const effectiveRetention = (basis: RetentionBasis, now: Micros): number | null =>
  shown(countingAt(basis, now))

/** Where the retention window begins at `now`; null if nothing ever leaves it. */
export const retentionStart = (basis: RetentionBasis, now: Micros): Micros | null => {
  const days = effectiveRetention(basis, now)
  // There are no events beyond what a number holds exactly.
  return days === null ? null : Math.max(now - days * DAY, Number.MIN_SAFE_INTEGER)
}

/** A shortening that was announced and does not count yet. */
export interface PendingRetention {
  /** Days that count until then, and from then on; null is unlimited. */
  readonly from: number | null
  readonly to: number
  readonly at: Micros
  /** The holds that end at that time. */
  readonly holds: ReadonlyArray<RetentionHold>
}

/** What is pending at `now`, the earliest first: one or two. */
export const pendingRetention = (basis: RetentionBasis, now: Micros): ReadonlyArray<PendingRetention> => {
  const { own_hold, plan_hold } = basis.retention
  const holds = [own_hold, plan_hold].filter((hold) => hold !== null && now < hold.until)
  const moments = [...new Set(holds.map((hold) => hold?.until ?? now))].sort((one, other) => one - other)
  return moments.flatMap((at) => {
    const from = countingAt(basis, at - 1)
    const to = countingAt(basis, at)
    return to < from
      ? [
          {
            from: shown(from),
            to,
            at,
            holds: holds.filter((hold) => hold !== null).filter(({ until }) => until === at)
          }
        ]
      : []
  })
}

/** When a change is made, and how long a shortening is held. */
interface RetentionChange {
  readonly now: Micros
  readonly delay: Micros
  /** The id of the announcement, if there is one. */
  readonly id: string
}

/**
 * The hold of a figure that is set again. A figure smaller than what counts is held from now on. One that is
 * larger than the announced one, but still smaller than what counts, takes effect when the announced one
 * would have.
 */
const heldAnew = (
  before: { readonly days: number | null; readonly hold: RetentionHold | null },
  days: number | null,
  { now, delay, id }: RetentionChange
): RetentionHold | null => {
  if (delay === 0) return null
  const counts = counting(before.days, before.hold, now)
  if (figure(days) >= counts) {
    // The contents that the hold protects are still there, and another change must not remove them.
    const protects = before.hold !== null && now >= before.hold.until && !isLivedThrough(before.hold, now)
    return protects && figure(days) < figure(before.hold.days) ? before.hold : null
  }
  const pending = before.hold !== null && now < before.hold.until ? before.hold : null
  if (pending !== null && days === before.days) return pending
  if (pending !== null && figure(days) > figure(before.days)) {
    return { ...pending, id, announced: false, reminded: false }
  }
  return { id, days: shown(counts), since: now, until: now + delay, announced: false, reminded: false }
}

/** What a workspace stores after its plan, its overrides or its own figure is changed. It has no effects. */
export const changedRetention = (
  before: RetentionBasis,
  after: Pick<RetentionBasis, "plan" | "overrides"> & { readonly days: number | null },
  change: RetentionChange
): RetentionSettings => {
  const { days, own_hold, plan_hold, ...kept } = before.retention
  return {
    ...kept,
    days: after.days,
    own_hold: heldAnew({ days, hold: own_hold }, after.days, change),
    plan_hold: heldAnew({ days: planRetention(before), hold: plan_hold }, planRetention(after), change)
  }
}

/**
 * Most owners and admins that may leave within the time for which they are recorded, so that none is
 * forgotten because others left later.
 */
const MAX_DEPARTED = 100

/** Too many owners and admins have left a workspace. */
export class TooManyDeparted extends Schema.TaggedError<TooManyDeparted>()("TooManyDeparted", {}) {
  /** Why that is rejected. */
  override get message(): string {
    return `more than ${MAX_DEPARTED} owners and admins have left lately, who would still have to be notified of a shorter retention`
  }
}

/**
 * The same settings with somebody who leaves. That is recorded for as long as a shortening is held, before it
 * and during it.
 */
export const withDeparted = (
  settings: RetentionSettings,
  one: DepartedRecipient,
  delay: Micros
): Result.Result<RetentionSettings, TooManyDeparted> => {
  const departed = (settings.departed ?? []).filter(
    ({ email, left_at }) => email !== one.email && left_at > one.left_at - 2 * delay
  )
  return departed.length >= MAX_DEPARTED
    ? Result.fail(new TooManyDeparted())
    : Result.succeed({ ...settings, departed: [...departed, one] })
}

/**
 * Who left no longer before a shortening than it is held, or since: they are notified of it like those who
 * stayed.
 */
export const departedSince = (
  { departed = [] }: RetentionSettings,
  holds: ReadonlyArray<RetentionHold>
): ReadonlyArray<string> =>
  departed
    .filter(({ left_at }) => holds.some(({ since, until }) => left_at > since - (until - since)))
    .map(({ email }) => email)

/** How a change is recorded in the log; see `docs/Retention.md`. */
export interface RetentionRecord {
  readonly action: "cairn.retention.scheduled" | "cairn.retention.called_off" | "cairn.retention.changed"
  readonly pending?: PendingRetention
  readonly from: number | null
  readonly to: number | null
}

const sameMoment = (one: PendingRetention, other: PendingRetention): boolean =>
  one.at === other.at && one.to === other.to

/** The records of what a change at `now` means for how long contents are kept; none if nothing changes. */
export const retentionRecords = (
  before: RetentionBasis,
  after: RetentionBasis,
  now: Micros
): ReadonlyArray<RetentionRecord> => {
  const was = pendingRetention(before, now)
  const is = pendingRetention(after, now)
  const from = effectiveRetention(before, now)
  const to = effectiveRetention(after, now)
  return [
    ...(from === to ? [] : [{ action: "cairn.retention.changed", from, to } as const]),
    ...was
      .filter((one) => !is.some((other) => sameMoment(one, other)))
      .map(
        (pending) =>
          ({ action: "cairn.retention.called_off", pending, from: pending.from, to: pending.to }) as const
      ),
    ...is
      .filter((one) => !was.some((other) => sameMoment(one, other)))
      .map(
        (pending) =>
          ({ action: "cairn.retention.scheduled", pending, from: pending.from, to: pending.to }) as const
      )
  ]
}
