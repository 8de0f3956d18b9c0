/** Where a reader of the log is, as the address holds it. */
import { type Filter, filterFrom, filterParameters } from "./Filter.ts"

/** How times are shown in the list. */
type TimeStyle = "relative" | "absolute"

/** What the reader changes while reading. */
export interface Place {
  readonly filter: Filter
  readonly timeStyle: TimeStyle
  /** Id of the event that is open. */
  readonly event: string | undefined
}

/** Where the reader is, by the address's query. */
export const placeFrom = (parameters: URLSearchParams): Place => ({
  filter: filterFrom(parameters),
  timeStyle: parameters.get("time") === "absolute" ? "absolute" : "relative",
  event: parameters.get("event") ?? undefined
})

/** The parameters of the address's query for a place. */
export const placeParameters = ({
  filter,
  timeStyle,
  event
}: Place): ReadonlyArray<readonly [string, string]> => [
  ...filterParameters(filter),
  ...(timeStyle === "absolute" ? [["time", timeStyle] as const] : []),
  ...(event === undefined ? [] : [["event", event] as const])
]
