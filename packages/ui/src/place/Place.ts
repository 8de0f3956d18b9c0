/** Where a reader of the log is, as the address holds it. */
import { type Filter, filterFrom, filterParameters, timeless } from "./Filter.ts"
import { type PeriodName, periodNamed, withPeriod } from "./Period.ts"

/** How times are shown in the list. */
type TimeStyle = "relative" | "absolute"

/** What the reader changes while reading. */
export interface Place {
  readonly filter: Filter
  /** What the times of the filter are called; undefined for times of one's own, or none. */
  readonly period: PeriodName | undefined
  readonly timeStyle: TimeStyle
  /** Id of the event that is open. */
  readonly event: string | undefined
}

/** The period that an address names, unless it has times of its own. */
const periodIn = (parameters: URLSearchParams): PeriodName | undefined =>
  parameters.has("from") || parameters.has("to") ? undefined : periodNamed(parameters.get("period"))

/** Where the reader is, by the address's query; a period with a name is reckoned from `now`. */
export const placeFrom = (parameters: URLSearchParams, now: Date): Place => {
  const period = periodIn(parameters)
  const filter = filterFrom(parameters)
  return {
    filter: period === undefined ? filter : withPeriod(filter, period, now),
    period,
    timeStyle: parameters.get("time") === "absolute" ? "absolute" : "relative",
    event: parameters.get("event") ?? undefined
  }
}

/** The parameters of the address's query for a place. */
export const placeParameters = ({
  filter,
  period,
  timeStyle,
  event
}: Place): ReadonlyArray<readonly [string, string]> => [
  ...filterParameters(period === undefined ? filter : timeless(filter)),
  ...(period === undefined ? [] : [["period", period] as const]),
  ...(timeStyle === "absolute" ? [["time", timeStyle] as const] : []),
  ...(event === undefined ? [] : [["event", event] as const])
]
