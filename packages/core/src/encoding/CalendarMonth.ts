/** Calendar months in UTC: quotas are counted by month. */
import type { Micros } from "./Micros.ts"

/** A month, such as `2024-05`. Its text sorts in order of time. */
export type CalendarMonth = string

/** The month that a time is in. */
export const monthOf = (at: Micros): CalendarMonth =>
  new Date(Math.floor(at / 1000)).toISOString().slice(0, 7)

const firstOf = (year: number, month: number): Micros => Date.UTC(year, month, 1) * 1000

const parts = (month: CalendarMonth): readonly [year: number, month: number] => [
  Number(month.slice(0, 4)),
  Number(month.slice(5, 7)) - 1
]

/** The first microsecond of a month. */
export const monthStart = (month: CalendarMonth): Micros => {
  const [year, index] = parts(month)
  return firstOf(year, index)
}

/** The first microsecond after a month. */
export const monthEnd = (month: CalendarMonth): Micros => {
  const [year, index] = parts(month)
  return firstOf(year, index + 1)
}
