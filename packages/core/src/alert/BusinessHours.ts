/**
 * Hours of work on days of the week, in a time zone of the IANA database.
 *
 * Local time comes from the runtime's own time-zone database through `Intl`, which handles daylight saving
 * and changes by governments: an hour that does not exist never occurs, and an hour that occurs twice is
 * distinguished by its offset.
 */
import { MINUTE, type Micros, SECOND } from "../encoding/Micros.ts"

/** Working hours. */
export interface BusinessHours {
  /** A name of the IANA time-zone database, such as `Europe/Berlin`. */
  readonly timezone: string
  /** 1 = Monday … 7 = Sunday. */
  readonly days: ReadonlyArray<number>
  /** `HH:MM`, the first minute of work. */
  readonly start: string
  /**
   * `HH:MM`, the first minute after work; `24:00` is the end of the day. If it is at or before `start`, it is
   * on the next day, and the hours belong to the day on which they begin.
   */
  readonly end: string
}

/** A local time. */
interface LocalTime {
  /** 1 = Monday … 7 = Sunday. */
  readonly day: number
  /** 0 to 1,439. */
  readonly minute: number
}

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

const formatter = (timezone: string): Intl.DateTimeFormat | undefined => {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23"
    })
  } catch {
    return undefined
  }
}

/**
 * Whether the runtime knows a time zone with this name. Bare offsets such as `+02:00` do not count: they have
 * no daylight saving.
 */
export const isTimeZone = (text: string): boolean => /^[A-Za-z]/.test(text) && formatter(text) !== undefined

/**
 * Converts to local time in `timezone`, which must satisfy {@link isTimeZone}. Creating the converter costs
 * as much as using it fifty times.
 */
export const localClock = (timezone: string): ((at: Micros) => LocalTime) => {
  const format = formatter(timezone)
  if (format === undefined) throw new RangeError(`no time zone is named ${timezone}`)
  let cachedMinute = Number.NaN
  let cached: LocalTime = { day: 1, minute: 0 }
  return (at) => {
    // Every offset in use since 1972 is a whole number of minutes, and consecutive events are often in the
    // same minute.
    const minute = Math.floor(at / MINUTE)
    if (minute === cachedMinute) return cached
    const parts = new Map(
      format.formatToParts((minute * MINUTE) / (SECOND / 1000)).map(({ type, value }) => [type, value])
    )
    cachedMinute = minute
    cached = {
      day: DAYS.indexOf(parts.get("weekday") ?? "") + 1,
      minute: Number(parts.get("hour")) * 60 + Number(parts.get("minute"))
    }
    return cached
  }
}

/** `HH:MM` as minutes after midnight; `undefined` if it is invalid. `24:00` is 1,440. */
export const minuteOfDay = (text: string): number | undefined => {
  const match = /^(\d{2}):(\d{2})$/.exec(text)
  if (match === null) return undefined
  const [hour, minute] = [Number(match[1]), Number(match[2])]
  return (hour < 24 && minute < 60) || (hour === 24 && minute === 0) ? hour * 60 + minute : undefined
}

/** Whether a local time is within the hours. The start is included, the end is not. */
export const isWithin = (hours: BusinessHours, { day, minute }: LocalTime): boolean => {
  const start = minuteOfDay(hours.start) ?? 0
  const end = minuteOfDay(hours.end) ?? 0
  if (start < end) return hours.days.includes(day) && minute >= start && minute < end
  const yesterday = day === 1 ? 7 : day - 1
  return (hours.days.includes(day) && minute >= start) || (hours.days.includes(yesterday) && minute < end)
}
