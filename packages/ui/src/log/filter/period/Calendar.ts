/**
 * Days of the calendar, as numbers since 1970-01-01, and how a language counts and names them. A day is of no
 * zone; it begins and ends where a zone is given.
 */
import { before, type Zone } from "../../../place/Period.ts"

const DAY = 86_400_000

/** A date as `YYYY-MM-DD`. */
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** A time as `HH:MM` or `HH:MM:SS`. */
const TIME = /^(\d{2}):(\d{2})(?::(\d{2}))?$/

/** The date of a day, as an input has it. */
export const dateOf = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

/** The day of such a date; undefined for a text that is none. */
export const dayOf = (date: string): number | undefined => {
  const day = DATE.test(date) ? Date.parse(date) / DAY : Number.NaN
  return Number.isNaN(day) ? undefined : day
}

/** The first day of a month, which may be any number of months before or after a year's first. */
export const firstOf = (year: number, month: number): number => Date.UTC(year, month, 1) / DAY

/** The year and the month of a day. */
export const monthOf = (day: number): readonly [year: number, month: number] => {
  const date = new Date(day * DAY)
  return [date.getUTCFullYear(), date.getUTCMonth()]
}

/** The same day of another month, or its last where it has fewer. */
export const monthsAfter = (day: number, months: number): number => {
  const [year, month] = monthOf(day)
  const inMonth = day - firstOf(year, month)
  return Math.min(firstOf(year, month + months) + inMonth, firstOf(year, month + months + 1) - 1)
}

/** The day of the week: 0 is Sunday. */
const weekdayOf = (day: number): number => new Date(day * DAY).getUTCDay()

/** The weekday that a week begins with in a locale, 0 for Sunday; Monday where the browser does not know. */
export const firstWeekday = (locale: string): number => {
  const of: Intl.Locale & {
    readonly getWeekInfo?: () => { readonly firstDay: number }
    readonly weekInfo?: { readonly firstDay: number }
  } = new Intl.Locale(locale)
  return (of.getWeekInfo?.() ?? of.weekInfo ?? { firstDay: 1 }).firstDay % 7
}

/** The first day of a day's week. */
export const weekOf = (day: number, first: number): number => day - ((weekdayOf(day) - first + 7) % 7)

/** The weeks that have days of a month, each by its days, those of the months beside it among them. */
export const weeksOf = (day: number, first: number): ReadonlyArray<ReadonlyArray<number>> => {
  const [year, month] = monthOf(day)
  const begin = weekOf(firstOf(year, month), first)
  const end = firstOf(year, month + 1)
  return Array.from({ length: Math.ceil((end - begin) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => begin + 7 * week + weekday)
  )
}

/** A formatter of days. */
export const dayFormat = (locale: string, options: Intl.DateTimeFormatOptions): ((day: number) => string) => {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" })
  return (day) => format.format(day * DAY)
}

/** A day and, where one is given, a time of it; both are texts of inputs, empty for none. */
export interface Edge {
  readonly date: string
  readonly time: string
}

/** No end. */
export const OPEN: Edge = { date: "", time: "" }

/** The moment of a day and a time in a zone. */
const momentOf = (
  day: number,
  [hours = 0, minutes = 0, seconds = 0]: ReadonlyArray<number>,
  zone: Zone
): Date => {
  const date = new Date(day * DAY)
  const parts = [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    hours,
    minutes,
    seconds
  ] as const
  return zone === "utc" ? new Date(Date.UTC(...parts)) : new Date(...parts)
}

const timeIn = (text: string): ReadonlyArray<number> =>
  (TIME.exec(text)?.slice(1) ?? []).map((part = "0") => Number(part))

/** The beginning, ISO 8601 in UTC: midnight unless a time is given. Undefined without a date. */
export const beginningOf = ({ date, time }: Edge, zone: Zone): string | undefined => {
  const day = dayOf(date)
  return day === undefined ? undefined : momentOf(day, timeIn(time), zone).toISOString()
}

/** The end, which is part of the period: the day's last microsecond unless a time is given. */
export const endOf = ({ date, time }: Edge, zone: Zone): string | undefined => {
  const day = dayOf(date)
  if (day === undefined) return undefined
  return TIME.test(time)
    ? momentOf(day, timeIn(time), zone).toISOString()
    : before(momentOf(day + 1, [], zone))
}

const two = (value: number): string => String(value).padStart(2, "0")

/** A moment as a day and a time in a zone; without the time if that is `idle`. */
export const edgeOf = (moment: string | undefined, zone: Zone, idle: string): Edge => {
  const date = new Date(moment ?? "")
  if (Number.isNaN(date.getTime())) return OPEN
  const [year, month, day, ...clock] =
    zone === "utc"
      ? ([
          date.getUTCFullYear(),
          date.getUTCMonth(),
          date.getUTCDate(),
          date.getUTCHours(),
          date.getUTCMinutes(),
          date.getUTCSeconds()
        ] as const)
      : ([
          date.getFullYear(),
          date.getMonth(),
          date.getDate(),
          date.getHours(),
          date.getMinutes(),
          date.getSeconds()
        ] as const)
  const time = clock.map(two).join(":")
  return { date: dateOf(Date.UTC(year, month, day) / DAY), time: time === idle ? "" : time }
}

/** Today. */
export const todayIn = (now: number, zone: Zone): number =>
  dayOf(edgeOf(new Date(now).toISOString(), zone, "").date) ?? 0
