/** The bars of the histogram, and what stands beside them. */
import { millisOf } from "../../locale/Moment.ts"
import type { Histogram } from "../LogSource.ts"

/** Bars beyond which gaps are no longer filled: more than a screen has pixels. */
const MAX_BARS = 4_000
/** Lines of the grid above the lowest one, at most. */
const MAX_LINES = 3

/** One bar. */
export interface Bar {
  /** Start of its time, in seconds since the Unix epoch. */
  readonly start: number
  readonly count: number
}

/** The bars, with empty ones where the service left them out. */
export const barsOf = ({ bucket_seconds: step, buckets }: Histogram): ReadonlyArray<Bar> => {
  const bars: Array<Bar> = []
  for (const { start, count } of buckets) {
    const time = millisOf(start) / 1000
    if (Number.isNaN(time) || !(step > 0)) continue
    for (let gap = (bars.at(-1)?.start ?? time) + step; gap < time && bars.length < MAX_BARS; gap += step) {
      bars.push({ start: gap, count: 0 })
    }
    bars.push({ start: time, count })
  }
  return bars
}

/** The heights of the grid's lines, ascending and round: the last is the plot's, and no bar is higher. */
export const linesOf = (bars: ReadonlyArray<Bar>): ReadonlyArray<number> => {
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const power = 10 ** Math.floor(Math.log10(most / MAX_LINES))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((length) => most / length <= MAX_LINES)
  const round = Math.max(1, step ?? most)
  return Array.from({ length: Math.ceil(most / round) + 1 }, (_, line) => line * round)
}

/** Bars from one to another, both among them, whichever was chosen first. */
export type Range = readonly [number, number]

/** The range that a key leads to from another; undefined for a key that leads nowhere. */
export const rangeAfter = (
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  [from, to]: Range,
  bars: number
): Range | undefined => {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: to - 1,
    ArrowRight: to + 1,
    Home: 0,
    End: bars - 1
  }
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined
  if (step === undefined) return undefined
  const next = Math.max(0, Math.min(bars - 1, step))
  return [shiftKey ? from : next, next]
}
