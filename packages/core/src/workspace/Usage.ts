/** How much of its plan a workspace has used this month. */
import { Schema } from "effect"
import { monthEnd, monthOf } from "../encoding/CalendarMonth.ts"
import * as Micros from "../encoding/Micros.ts"

/** One figure of a plan. */
const UsageFigure = Schema.Struct({
  used: Schema.Int,
  /** Null is unlimited. */
  limit: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "UsageFigure" })

/** The figures of a calendar month (UTC). */
export const Usage = Schema.Struct({
  period_start: Schema.String.annotate({ format: "date-time" }),
  /** The beginning of the next month, when the counts start again. */
  period_end: Schema.String.annotate({ format: "date-time" }),
  /** Accepted events that are not duplicates. */
  events: UsageFigure,
  exports: UsageFigure
}).annotate({ identifier: "Usage" })
export type Usage = typeof Usage.Type

/** Seconds from `now` until the quotas of the month start again, rounded up: the value of `Retry-After`. */
export const secondsToNextMonth = (now: Micros.Micros): number =>
  Math.ceil((monthEnd(monthOf(now)) - now) / Micros.SECOND)
