/**
 * How full the inbox is, without a counter that every accept would have to lock: a measured sum, plus what
 * this process has added since.
 *
 * Far from the capacity an estimate is enough. Near it each commit takes a lock and counts, so that the limit
 * is exact for all processes.
 */
/** How long a measurement is used, in milliseconds. */
const FRESH = 250
/**
 * An older measurement than this does not count, in milliseconds: in one database, and over machines, of
 * which one that answers nothing must first be missed.
 */
export const STALE = { here: 2_000, spread: 10_000 }

/** The estimate of one process. Times are in milliseconds of a monotonic clock. */
export interface InboxDepth {
  /** Whether `events` more must be counted exactly. */
  readonly isNear: (events: number, now: number) => boolean
  /** Whether it is time to measure again. */
  readonly isDue: (now: number) => boolean
  /** Records a commit. */
  readonly add: (events: number) => void
  /** Begins a measurement; the returned function ends it. */
  readonly measure: () => (depth: number, now: number) => void
}

/** An estimate that is used up to three quarters of `capacity`, less `margin` for commits in progress. */
export const makeInboxDepth = (capacity: number, margin: number, stale = STALE.here): InboxDepth => {
  let added = 0
  let known: { readonly depth: number; readonly added: number; readonly at: number } | undefined
  return {
    isNear: (events, now) => {
      if (known === undefined || now - known.at > stale) return true
      return known.depth + (added - known.added) + events + margin > (capacity * 3) / 4
    },
    isDue: (now) => known === undefined || now - known.at > FRESH,
    add: (events) => {
      added += events
    },
    measure: () => {
      const before = added
      return (depth, now) => {
        known = { depth, added: before, at: now }
      }
    }
  }
}
