/**
 * How full the inbox is, without a counter that every accept would have to lock: a measured sum, and what
 * this process has added since.
 *
 * Far from the capacity an estimate is enough. Near it each commit takes a lock and counts, so that the line
 * is exact, in whatever process.
 */
/** A measurement stands for this long, in milliseconds. */
const FRESH = 250
/** One that is older than this is none, in milliseconds. */
const STALE = 2_000

/** The estimate of one process. Times are in milliseconds of a monotonic clock. */
export interface InboxDepth {
  /** Whether `events` more must be counted exactly. */
  readonly isNear: (events: number, now: number) => boolean
  /** Whether it is time to measure again. */
  readonly isDue: (now: number) => boolean
  /** Notes a commit. */
  readonly add: (events: number) => void
  /** Begins a measurement; the function it gives ends it. */
  readonly measure: () => (depth: number, now: number) => void
}

/** An estimate that trusts itself up to three quarters of `capacity`, less `margin` for commits under way. */
export const makeInboxDepth = (capacity: number, margin: number): InboxDepth => {
  let added = 0
  let known: { readonly depth: number; readonly added: number; readonly at: number } | undefined
  return {
    isNear: (events, now) => {
      if (known === undefined || now - known.at > STALE) return true
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
