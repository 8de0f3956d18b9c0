/** When something ends, as a person says it: until Friday evening, for 30 days, at a date. */
/** How an end is said. `keep` leaves the one that is there. */
export type End = "keep" | "never" | "friday" | "week" | "month" | "quarter" | "year" | "date"

/** Days from now. */
const DAYS = { week: 7, month: 30, quarter: 90, year: 365 } as const

const FRIDAY = 5

/** The hour of the day that "Friday evening" is, in the person's zone. */
const EVENING = 20

/** The time of an input's value; undefined where it is none. */
const timeOf = (value: string): string | undefined => {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** The next Friday evening after `now`, in the browser's zone. */
const fridayEvening = (now: number): Date => {
  const end = new Date(now)
  end.setDate(end.getDate() + ((FRIDAY - end.getDay() + 7) % 7))
  end.setHours(EVENING, 0, 0, 0)
  if (end.getTime() <= now) end.setDate(end.getDate() + 7)
  return end
}

/**
 * The time of an end, ISO 8601 in UTC; null for never, undefined where nothing or no time is said. `date` is
 * the value of an `<input type="datetime-local">`. A number of days ends at the same time of the day.
 */
export const endOf = (end: End, date: string, now: number): string | null | undefined => {
  switch (end) {
    case "keep":
      return undefined
    case "never":
      return null
    case "friday":
      return fridayEvening(now).toISOString()
    case "date":
      return timeOf(date)
    default: {
      const at = new Date(now)
      at.setDate(at.getDate() + DAYS[end])
      return at.toISOString()
    }
  }
}
