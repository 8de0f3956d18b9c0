/** A verification on demand, which takes as many requests as the log is long. */
import type { components } from "@cairn/client/session"

/** What one request answers. */
export type Part = components["schemas"]["ChainVerification"]

/** Events of one request: long enough to be quick, short enough to show how far it is. */
export const PART = 20_000

/** Most breaks that are kept to be listed. */
export const MAX_BREAKS = 50

/** How far a verification is, and what it has found. */
export interface VerifyRun {
  readonly checked: number
  /** Events in all, as the first request counts them and as they come in meanwhile. */
  readonly total: number
  /** The first breaks. */
  readonly breaks: ReadonlyArray<Part["breaks"][number]>
  readonly broken: number
  /** Where the next request begins; undefined once everything was checked. */
  readonly next: string | undefined
}

/** The verification after another part. A part counts what is from its beginning on. */
export const addPart = (run: VerifyRun | undefined, part: Part): VerifyRun => {
  const before = run ?? { checked: 0, total: 0, breaks: [], broken: 0, next: undefined }
  return {
    checked: before.checked + part.events_checked,
    total: before.checked + part.total,
    breaks: [...before.breaks, ...part.breaks].slice(0, MAX_BREAKS),
    broken: before.broken + part.breaks.length,
    next: part.complete ? undefined : (part.next ?? undefined)
  }
}

/** A period that is verified: all, one up to now, or one of the reader's own. */
export const PERIODS = ["all", "day", "week", "month", "custom"] as const
export type Period = (typeof PERIODS)[number]

const DAYS: Readonly<Partial<Record<Period, number>>> = { day: 1, week: 7, month: 30 }

/** The time at which a period begins, in ISO 8601; undefined for no bound. */
export const beginningOf = (period: Period, now: number): string | undefined => {
  const days = DAYS[period]
  return days === undefined ? undefined : new Date(now - days * 86_400_000).toISOString()
}
