/** What a rule would have raised, along the time of the log. */

/** How many events there were when, as the interface returns it. */
export interface Histogram {
  readonly bucket_seconds: number
  readonly buckets: ReadonlyArray<{ readonly start: string; readonly count: number }>
}

/** A stretch of time: its events, and the alerts on them. */
export interface BacktestBar {
  /** Its beginning, in milliseconds since the Unix epoch. */
  readonly start: number
  readonly events: number
  readonly alerts: number
}

/** Most stretches: gaps in between are not filled beyond that. */
const MAX_BARS = 500

/** The stretches from the log's first to its last, those without events included, oldest first. */
export const backtestBars = (
  { bucket_seconds: seconds, buckets }: Histogram,
  alerts: ReadonlyArray<{ readonly triggered_at: string }>
): ReadonlyArray<BacktestBar> => {
  const length = seconds * 1_000
  const placeOf = (moment: string): number => Math.floor(Date.parse(moment) / length)
  const count = (places: ReadonlyArray<readonly [number, number]>): ReadonlyMap<number, number> => {
    const sums = new Map<number, number>()
    for (const [place, many] of places) {
      if (!Number.isNaN(place)) sums.set(place, (sums.get(place) ?? 0) + many)
    }
    return sums
  }
  const events = count(buckets.map((bucket) => [placeOf(bucket.start), bucket.count]))
  const raised = count(alerts.map(({ triggered_at }) => [placeOf(triggered_at), 1]))
  const places = [...events.keys(), ...raised.keys()]
  if (places.length === 0) return []
  // Reduced, since there may be more places than a call may have arguments.
  const first = places.reduce((one, other) => Math.min(one, other))
  const last = places.reduce((one, other) => Math.max(one, other))
  return Array.from({ length: Math.min(MAX_BARS, last - first + 1) }, (_, index) => ({
    start: (first + index) * length,
    events: events.get(first + index) ?? 0,
    alerts: raised.get(first + index) ?? 0
  }))
}

/** How many of the alerts are not older than `since`, in milliseconds since the Unix epoch. */
export const countSince = (alerts: ReadonlyArray<{ readonly triggered_at: string }>, since: number): number =>
  alerts.filter(({ triggered_at }) => Date.parse(triggered_at) >= since).length
