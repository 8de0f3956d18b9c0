/**
 * Time in integer microseconds since the Unix epoch, and its ISO 8601 text.
 *
 * JavaScript's `Date` stops at milliseconds, so only whole seconds pass through one, and the fraction is
 * carried separately.
 */
import { Clock, Effect } from "effect"

/** Microseconds since 1970-01-01T00:00:00Z. Exact up to the year 2255 (2^53 µs). */
export type Micros = number

/** One second. */
export const SECOND: Micros = 1_000_000
/** One minute. */
export const MINUTE: Micros = 60 * SECOND
/** One day. */
export const DAY: Micros = 86_400 * SECOND

/** The wall clock's time. */
export const now: Effect.Effect<Micros> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1000n))

/** Milliseconds since the epoch as microseconds. */
export const fromMillis = (millis: number): Micros => Math.round(millis * 1000)

/** The last second that a `Date` can hold; the first is its negative. */
const LAST_DATE = 8_640_000_000_000

/**
 * A function that formats times and remembers the last second: many events in a row share one, and formatting
 * a date costs ten times as much as its fraction.
 */
const formatter = (): ((micros: Micros) => string) => {
  let lastSecond = Number.NaN
  let lastText = ""
  return (micros) => {
    const second = Math.floor(micros / SECOND)
    if (!(Math.abs(second) < LAST_DATE)) return String(micros)
    if (second !== lastSecond) {
      lastSecond = second
      lastText = new Date(second * 1000).toISOString().slice(0, -4)
    }
    return `${lastText}${String(micros - second * SECOND).padStart(6, "0")}Z`
  }
}

/**
 * `2024-05-01T12:00:00.000001Z`: always UTC, six fractional digits and a `Z`. A number beyond any calendar,
 * which is stored only if somebody changed the store, is written as its digits.
 */
export const format = formatter()

/** `2024-05-01T12:00:00Z`: without fractional digits, as anchors are shown. */
export const formatSeconds = (micros: Micros): string => `${format(micros).slice(0, 19)}Z`

/**
 * ISO 8601 calendar date, or date-time with `Z`, an offset, or nothing (UTC). This is RFC 3339 section 5.6
 * plus three forms of ISO 8601: a decimal comma, an offset without a colon, and no seconds.
 */
const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2})?)?)?$/

/** A time in UTC, split into what a `Date` can hold and the rest. */
interface Instant {
  /** Whole seconds since the epoch. */
  readonly seconds: number
  /** 0 to 999,999. */
  readonly micros: number
}

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

const FIRST_SECOND = -62_167_219_200 // 0000-01-01T00:00:00Z
const LAST_SECOND = 253_402_300_799 // 9999-12-31T23:59:59Z

/** The last double of the year 9999. */
const LAST_MICROS: Micros = LAST_SECOND * SECOND + 999_968

/** The nearest double of an instant, which is in its year. */
const toMicros = ({ seconds, micros }: Instant): Micros => Math.min(seconds * SECOND + micros, LAST_MICROS)

const instant = (text: string): Instant | undefined => {
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  const part = (index: number): number => Number(match[index] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  const [offsetHours, offsetMinutes] = [part(10), part(11)]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const offset = (match[9] === "-" ? -1 : 1) * (offsetHours * 3600 + offsetMinutes * 60)
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return undefined
  return { seconds, micros: Number((match[7] ?? "").slice(0, 6).padEnd(6, "0")) }
}

/**
 * Reads an ISO 8601 date or date-time; `undefined` for any other text.
 *
 * A date alone means its midnight UTC, a missing offset means UTC, and digits beyond the sixth are dropped.
 * Beyond the year 2255 the number is the nearest double, which is only good for comparing.
 */
export const parse = (text: string): Micros | undefined => {
  const parsed = instant(text)
  return parsed === undefined ? undefined : toMicros(parsed)
}

/** The length of a time in the only spelling that is stored. */
const STORED_LENGTH = 27

/**
 * Reads a time in the spelling that is stored, at a fifth of the cost of {@link parse}; `undefined` for any
 * other text.
 */
export const parseStored = (text: string): Micros | undefined => {
  if (text.length !== STORED_LENGTH || text[19] !== "." || text[26] !== "Z") return undefined
  const seconds = Date.parse(`${text.slice(0, 19)}Z`) / 1000
  const micros = Number(text.slice(20, 26))
  const parsed = toMicros({ seconds, micros })
  return Number.isNaN(parsed) ? undefined : parsed
}

/**
 * The same time as text, in the only spelling that is stored and returned. Exact for every year from 0 to
 * 9999.
 */
export const normalize = (text: string): string | undefined => {
  const parsed = instant(text)
  if (parsed === undefined) return undefined
  const whole = new Date(parsed.seconds * 1000).toISOString().slice(0, -4)
  return `${whole}${String(parsed.micros).padStart(6, "0")}Z`
}
