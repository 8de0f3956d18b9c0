/** Periods that have a name: an address keeps the name, and its times are reckoned when it is opened. */
import { type Filter, timeless } from "./Filter.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Periods that end now, in milliseconds. */
const LENGTHS = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY } as const

/** The periods, in the order in which they are offered. `week` is seven days, `this_week` of the calendar. */
export const PERIOD_NAMES = ["hour", "day", "week", "this_week", "last_week", "month"] as const
export type PeriodName = (typeof PERIOD_NAMES)[number]

/** The period of a name that an address holds; undefined where it is none. */
export const periodNamed = (name: string | null | undefined): PeriodName | undefined =>
  PERIOD_NAMES.find((known) => known === name)

/** The beginning of the week that a number of weeks after this one is: Monday, in the reader's zone. */
const monday = (now: Date, weeks: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - ((now.getDay() + 6) % 7) + 7 * weeks)

/** The last microsecond before a time: an end is part of its period. */
const before = (date: Date): string => new Date(date.getTime() - 1).toISOString().replace("Z", "999Z")

/** The ends of a period, ISO 8601 in UTC; one that goes on has no end. */
export const periodEnds = (name: PeriodName, now: Date): { readonly from: string; readonly to?: string } => {
  switch (name) {
    case "this_week":
      return { from: monday(now, 0).toISOString() }
    case "last_week":
      return { from: monday(now, -1).toISOString(), to: before(monday(now, 0)) }
    default:
      return { from: new Date(now.getTime() - LENGTHS[name]).toISOString() }
  }
}

/** The filter within a period. */
export const withPeriod = (filter: Filter, name: PeriodName, now: Date): Filter => ({
  ...timeless(filter),
  ...periodEnds(name, now)
})
