/**
 * Times as a reader sees them: in the reader's zone and language, relative and absolute. Sources are ISO 8601
 * with microseconds.
 */

/** Milliseconds since the Unix epoch; NaN for an invalid time. */
export const millisOf = (text: string): number => Date.parse(text)

const UNITS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24]
] as const

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Formats times for one language and the reader's zone. */
export class MomentFormat {
  readonly #relative: Intl.RelativeTimeFormat
  /** As ISO 8601 has it. */
  readonly #date: Intl.DateTimeFormat
  readonly #brief: Intl.DateTimeFormat
  readonly #list: Intl.DateTimeFormat
  readonly #full: Intl.DateTimeFormat
  readonly #zone: Intl.DateTimeFormat
  readonly #ticks: Readonly<Record<"second" | "time" | "both" | "date", Intl.DateTimeFormat>>

  /** `timeZone` is the reader's by default. */
  constructor(locale: string, timeZone?: string) {
    const zone = { timeZone }
    this.#relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" })
    this.#date = new Intl.DateTimeFormat("sv", zone)
    this.#brief = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "medium", timeStyle: "short" })
    this.#list = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "medium", timeStyle: "long" })
    this.#full = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "full", timeStyle: "long" })
    this.#zone = new Intl.DateTimeFormat(locale, { ...zone, timeZoneName: "short" })
    this.#ticks = {
      second: new Intl.DateTimeFormat(locale, { ...zone, timeStyle: "medium" }),
      time: new Intl.DateTimeFormat(locale, { ...zone, timeStyle: "short" }),
      both: new Intl.DateTimeFormat(locale, {
        ...zone,
        day: "numeric",
        month: "short",
        hour: "numeric",
        minute: "2-digit"
      }),
      date: new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "medium" })
    }
  }

  /**
   * Such as "3 minutes ago"; empty for an invalid time. From a day on it counts days of the calendar, in the
   * zone.
   */
  relative(millis: number, now: number): string {
    let amount = (millis - now) / 1000
    if (Number.isNaN(amount)) return ""
    for (const [unit, length] of UNITS) {
      if (Math.abs(amount) < length) return this.#relative.format(Math.trunc(amount), unit)
      amount /= length
    }
    const days = this.#dayOf(millis) - this.#dayOf(now)
    const months = Math.round(days / 30)
    return Math.abs(days) < 30
      ? this.#relative.format(days, "day")
      : Math.abs(months) < 12
        ? this.#relative.format(months, "month")
        : this.#relative.format(Math.round(months / 12), "year")
  }

  /** The number of the calendar day in the zone. */
  #dayOf(millis: number): number {
    return Date.parse(this.#date.format(millis)) / DAY
  }

  /** Such as "3 minutes ago" within a day of now, and before and after that date and time to the minute. */
  brief(millis: number, now: number): string {
    if (Number.isNaN(millis) || Math.abs(millis - now) < DAY) return this.relative(millis, now)
    return this.#brief.format(millis)
  }

  /** Date and time to the second, and the zone, short. */
  absolute(millis: number): string {
    return Number.isNaN(millis) ? "" : this.#list.format(millis)
  }

  /** Date and time with the zone, long. */
  full(millis: number): string {
    return Number.isNaN(millis) ? "" : this.#full.format(millis)
  }

  /** From one time to another, with the zone. */
  span(from: number, to: number): string {
    return Number.isNaN(from) || Number.isNaN(to) ? "" : this.#list.formatRange(from, to)
  }

  /** The name of the zone at a time, such as "Europe/Berlin, CET". */
  zone(millis: number): string {
    const { timeZone } = this.#zone.resolvedOptions()
    const short = this.#zone.formatToParts(millis).find(({ type }) => type === "timeZoneName")?.value
    return short === undefined || short === timeZone ? timeZone : `${timeZone}, ${short}`
  }

  /** From one time to another, to the minute and without the zone. */
  hours(from: number, to: number): string {
    return Number.isNaN(from) || Number.isNaN(to) ? "" : this.#brief.formatRange(from, to)
  }

  /** The days from one time to another, such as "16–22 Nov 2026". */
  days(from: number, to: number): string {
    return Number.isNaN(from) || Number.isNaN(to) ? "" : this.#ticks.date.formatRange(from, to)
  }

  /** For an axis that spans `range` milliseconds. */
  tick(millis: number, range: number): string {
    const kind = range <= HOUR ? "second" : range <= DAY ? "time" : range <= 14 * DAY ? "both" : "date"
    return this.#ticks[kind].format(millis)
  }
}

/**
 * A time as `<input type="datetime-local">` holds it, in the browser's zone, to the second; empty for none.
 */
export const toLocalInput = (text: string | undefined): string => {
  const date = new Date(text ?? "")
  if (Number.isNaN(date.getTime())) return ""
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 19)
}

/** The value of such an input, as ISO 8601 in UTC; empty for an invalid time. */
export const fromLocalInput = (value: string): string => {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? "" : date.toISOString()
}
