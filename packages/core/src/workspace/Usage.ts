/** How much of its plan a workspace has used this month. */
import { Schema } from "effect"
import { monthEnd, monthOf } from "../encoding/CalendarMonth.ts"
import * as Field from "../encoding/FieldSchemas.ts"
import * as Micros from "../encoding/Micros.ts"

/** One figure of a plan. */
const UsageFigure = Schema.Struct({
  used: Field.count("How many there were"),
  limit: Field.nullable(Field.count(), "How many there may be; null is unlimited")
}).annotate({ identifier: "UsageFigure", description: "One figure of a plan" })

/** The figures of a calendar month (UTC). */
export const Usage = Schema.Struct({
  period_start: Field.timestamp("The beginning of the month"),
  period_end: Field.timestamp("The beginning of the next month, when the counts start again"),
  /** Accepted events that are not duplicates. */
  events: UsageFigure,
  exports: UsageFigure
}).annotate({
  identifier: "Usage",
  description: "Accepted events, without duplicates, and exports of a calendar month (UTC)"
})
export type Usage = typeof Usage.Type

/** Seconds from `now` until the quotas of the month start again, rounded up: the value of `Retry-After`. */
export const secondsToNextMonth = (now: Micros.Micros): number =>
  Math.ceil((monthEnd(monthOf(now)) - now) / Micros.SECOND)
