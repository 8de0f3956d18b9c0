/** Where a reader of the log is, as the address holds it. */
import { type Filter, filterFrom, filterParameters, timeless } from "./Filter.ts"
import { type PeriodName, periodNamed, withPeriod, type Zone } from "./Period.ts"

/** How times are shown in the list. */
type TimeStyle = "relative" | "absolute"

/** Which time of an event counts: when it happened, or when it was recorded. */
export type Clock = "occurred" | "recorded"

/** Which events are read, and by which of their times they are chosen and ordered. */
export interface Selection {
  readonly filter: Filter
  readonly clock: Clock
}

/** What the reader changes while reading. */
export interface Place extends Selection {
  /** What the times of the filter are called; undefined for times of one's own, or none. */
  readonly period: PeriodName | undefined
  readonly timeStyle: TimeStyle
  readonly zone: Zone
  /** Whether single keys are shortcuts. */
  readonly keys: boolean
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
  const zone = parameters.get("zone") === "utc" ? "utc" : "local"
  return {
    filter: period === undefined ? filter : withPeriod(filter, period, now, zone),
    period,
    clock: parameters.get("clock") === "recorded" ? "recorded" : "occurred",
    timeStyle: parameters.get("time") === "absolute" ? "absolute" : "relative",
    zone,
    keys: parameters.get("keys") !== "off",
    event: parameters.get("event") ?? undefined
  }
}

/** The parameters of the address's query for a place. */
export const placeParameters = ({
  filter,
  period,
  clock,
  timeStyle,
  zone,
  keys,
  event
}: Place): ReadonlyArray<readonly [string, string]> => [
  ...filterParameters(period === undefined ? filter : timeless(filter)),
  ...(period === undefined ? [] : [["period", period] as const]),
  ...(clock === "recorded" ? [["clock", clock] as const] : []),
  ...(timeStyle === "absolute" ? [["time", timeStyle] as const] : []),
  ...(zone === "utc" ? [["zone", zone] as const] : []),
  ...(keys ? [] : [["keys", "off"] as const]),
  ...(event === undefined ? [] : [["event", event] as const])
]

/** What is selected, as the parameters of a request. */
export const selectionParameters = ({
  filter,
  clock
}: Selection): ReadonlyArray<readonly [string, string]> => [...filterParameters(filter), ["time", clock]]
