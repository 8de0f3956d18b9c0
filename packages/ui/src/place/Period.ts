/** Periods that have a name: an address keeps the name, and its times are reckoned when it is opened. */
import { type Filter, timeless } from "./Filter.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Where days begin at midnight: in the reader's zone, or in UTC. */
export type Zone = "local" | "utc"

/** Periods that end now, in milliseconds. */
const LENGTHS = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY, quarter: 90 * DAY } as const

/**
 * The periods, in the order in which they are offered. Those with `this` and `last`, `today` and `yesterday`
 * are of the calendar; the others are hours and days that end now, `week` seven days, `quarter` ninety.
 */
export const PERIOD_NAMES = [
  "hour",
  "day",
  "today",
  "yesterday",
  "week",
  "this_week",
  "last_week",
  "month",
  "this_month",
  "last_month",
  "quarter"
] as const
export type PeriodName = (typeof PERIOD_NAMES)[number]

/** The period of a name that an address holds; undefined where it is none. */
export const periodNamed = (name: string | null | undefined): PeriodName | undefined =>
  PERIOD_NAMES.find((known) => known === name)

/** The last microsecond before a time: an end is part of its period. */
export const before = (date: Date): string => new Date(date.getTime() - 1).toISOString().replace("Z", "999Z")

/** The first and the last year that the interface takes times of, as milliseconds of their ends. */
const [EARLIEST, LATEST] = [Date.UTC(-1, 12), Date.UTC(10_000, 0)]

/** The ends of the time from one moment on and before another, in milliseconds, as a filter has them. */
export const endsBetween = (from: number, to: number): { readonly from: string; readonly to: string } => {
  const within = (millis: number) => new Date(Math.max(EARLIEST, Math.min(LATEST, millis)))
  return { from: within(from).toISOString(), to: before(within(to)) }
}

/** The midnights at which days, weeks and months of the calendar begin, counted from the present ones. */
const calendar = (now: Date, zone: Zone) => {
  const isUtc = zone === "utc"
  const year = isUtc ? now.getUTCFullYear() : now.getFullYear()
  const month = isUtc ? now.getUTCMonth() : now.getMonth()
  const day = isUtc ? now.getUTCDate() : now.getDate()
  const weekday = isUtc ? now.getUTCDay() : now.getDay()
  const midnight = (...date: [number, number, number]) =>
    isUtc ? new Date(Date.UTC(...date)) : new Date(...date)
  return {
    day: (days: number) => midnight(year, month, day + days),
    /** A week begins on Monday. */
    week: (weeks: number) => midnight(year, month, day - ((weekday + 6) % 7) + 7 * weeks),
    month: (months: number) => midnight(year, month + months, 1)
  }
}

/** The ends of a period, ISO 8601 in UTC; one that goes on has no end. */
export const periodEnds = (
  name: PeriodName,
  now: Date,
  zone: Zone = "local"
): { readonly from: string; readonly to?: string } => {
  const { day, week, month } = calendar(now, zone)
  const since = (date: Date) => ({ from: date.toISOString() })
  const between = (from: Date, to: Date) => ({ from: from.toISOString(), to: before(to) })
  switch (name) {
    case "today":
      return since(day(0))
    case "yesterday":
      return between(day(-1), day(0))
    case "this_week":
      return since(week(0))
    case "last_week":
      return between(week(-1), week(0))
    case "this_month":
      return since(month(0))
    case "last_month":
      return between(month(-1), month(0))
    default:
      return since(new Date(now.getTime() - LENGTHS[name]))
  }
}

/** The filter within a period. */
export const withPeriod = (filter: Filter, name: PeriodName, now: Date, zone: Zone = "local"): Filter => ({
  ...timeless(filter),
  ...periodEnds(name, now, zone)
})
