/** Which alerts are shown, as the address holds it. */
import { type PeriodName, periodEnds, periodNamed } from "@cairn/ui/place"
import { RULE_TYPES, type RuleType } from "../rules/RuleDraft.ts"

/** A period; of `custom` the address has the ends. */
export type Period = PeriodName | "all" | "custom"

/** Which alerts are shown. */
export interface AlertPlace {
  readonly type: RuleType | undefined
  readonly period: Period
  /** The ends of a custom period, ISO 8601; empty for none. */
  readonly from: string
  readonly to: string
}

/** All alerts. */
export const EVERYTHING: AlertPlace = { type: undefined, period: "all", from: "", to: "" }

/** A time that an address holds; empty where it is none. */
const momentIn = (text: string | undefined): string =>
  text === undefined || Number.isNaN(Date.parse(text)) ? "" : text

/** What the query of an address says. */
export const alertPlaceFrom = (query: Readonly<Record<string, string>>): AlertPlace => {
  const [from, to] = [momentIn(query.from), momentIn(query.to)]
  const isCustom = query.period === "custom" || from !== "" || to !== ""
  return {
    type: RULE_TYPES.find((type) => type === query.type),
    period: isCustom ? "custom" : (periodNamed(query.period) ?? "all"),
    from,
    to
  }
}

/** The query of the address, with its question mark; empty for all alerts. */
export const alertQuery = ({ type, period, from, to }: AlertPlace): string => {
  const query = new URLSearchParams({
    ...(type === undefined ? {} : { type }),
    ...(period === "all" ? {} : { period }),
    ...(period === "custom" && from !== "" ? { from } : {}),
    ...(period === "custom" && to !== "" ? { to } : {})
  }).toString()
  return query === "" ? "" : `?${query}`
}

/** What the list is asked for. `now` is in milliseconds since the Unix epoch. */
export const alertFilter = (
  { type, period, from, to }: AlertPlace,
  now: number
): { readonly rule_type?: RuleType; readonly from?: string; readonly to?: string } => {
  const named = periodNamed(period)
  return {
    ...(type === undefined ? {} : { rule_type: type }),
    ...(named === undefined ? {} : periodEnds(named, new Date(now))),
    ...(period === "custom" && from !== "" ? { from } : {}),
    ...(period === "custom" && to !== "" ? { to } : {})
  }
}
