/** What to export, as a form holds it. */
import { periodEnds } from "@cairn/ui/place"
import type { Export, ExportFormat } from "./Export.ts"
import { EXPORT_FORMATS } from "./Export.ts"

/** The conditions that narrow an export, by the names that the interface has for them. */
export const CONDITION_NAMES = [
  "search",
  "action",
  "actor_id",
  "resource",
  "tenant_id",
  "session_id"
] as const

/** A condition. */
export type ConditionName = (typeof CONDITION_NAMES)[number]

/** The filters of an export. */
export type ExportFilters = Export["filters"]

/** Which of their times events are chosen and ordered by. */
export type ExportTime = NonNullable<ExportFilters["time"]>

/** The times, in the order in which they are offered; the first is that of an export that says none. */
export const EXPORT_TIMES: ReadonlyArray<ExportTime> = ["recorded", "occurred"]

/** A period that is chosen by name; the last month and quarter are whole ones of the calendar. */
export type PeriodName =
  | "all"
  | "day"
  | "week"
  | "month"
  | "this_week"
  | "last_week"
  | "lastMonth"
  | "lastQuarter"
  | "custom"

/** The periods, in the order in which they are offered. */
export const PERIOD_NAMES: ReadonlyArray<PeriodName> = [
  "all",
  "day",
  "week",
  "month",
  "this_week",
  "last_week",
  "lastMonth",
  "lastQuarter",
  "custom"
]

/** What the form holds. Times are ISO 8601 in UTC; empty for none. */
export interface ExportDraft {
  readonly format: ExportFormat
  readonly period: PeriodName
  readonly from: string
  readonly to: string
  /** Which of their times events are chosen and ordered by. */
  readonly time: ExportTime
  readonly conditions: Readonly<Partial<Record<ConditionName, string>>>
}

/** From the beginning of one month to the end of another, in the reader's zone; `to` is in the period. */
const months = (year: number, first: number, count: number) => ({
  from: new Date(year, first, 1).toISOString(),
  to: new Date(new Date(year, first + count, 1).getTime() - 1).toISOString()
})

/** The draft with the times of a period that ends now, or the times that it has, if they are one's own. */
export const withPeriod = (draft: ExportDraft, period: PeriodName, now: Date): ExportDraft => {
  const year = now.getFullYear()
  const month = now.getMonth()
  switch (period) {
    case "all":
      return { ...draft, period, from: "", to: "" }
    case "custom":
      return { ...draft, period }
    case "lastMonth":
      return { ...draft, period, ...months(year, month - 1, 1) }
    case "lastQuarter":
      return { ...draft, period, ...months(year, month - (month % 3) - 3, 3) }
    default:
      return { ...draft, period, to: "", ...periodEnds(period, now) }
  }
}

/** The filters of a draft. Evidence is of a range of the log, which no condition narrows. */
export const filtersOf = ({ format, from, to, time, conditions }: ExportDraft): ExportFilters =>
  Object.fromEntries(
    [
      ["from", from],
      ["to", to],
      ...(format === "evidence"
        ? []
        : [
            ["time", time === EXPORT_TIMES[0] ? "" : time],
            ...CONDITION_NAMES.map((name) => [name, conditions[name] ?? ""])
          ])
    ]
      .map(([name, value = ""]) => [name, value.trim()])
      .filter(([, value]) => value !== "")
  )

/** All values that an address's query has for a name. */
type Values = (name: string) => ReadonlyArray<string>

/** Whether the list has several values of a condition, of which the form has one. */
const isSeveral = (all: Values, name: ConditionName): boolean => all(name).length > 1

/**
 * The draft that an address's query says: `new` is the format, and the filters are those of the list, but for
 * conditions with several values.
 */
export const draftFrom = (all: Values): ExportDraft => {
  const get = (name: string) => all(name)[0]
  const from = get("from") ?? ""
  const to = get("to") ?? ""
  return {
    format: EXPORT_FORMATS.find((format) => format === get("new")) ?? "csv",
    period: from === "" && to === "" ? "all" : "custom",
    from,
    to,
    time: EXPORT_TIMES.find((time) => time === get("time")) ?? "recorded",
    conditions: Object.fromEntries(
      CONDITION_NAMES.map((name) => [name, isSeveral(all, name) ? "" : (get(name) ?? "")])
    )
  }
}

/** Conditions of the list of events that the form does not have. */
export const OTHER_CONDITION_NAMES = [
  "category",
  "country",
  "resource_id",
  "resource_name",
  "target_type",
  "target_id"
] as const
export type OtherConditionName = (typeof OTHER_CONDITION_NAMES)[number]

/** Whether an address's query comes from a list that shows less than an export by the form would hold. */
export const isWider = (all: Values): boolean =>
  OTHER_CONDITION_NAMES.some((name) => all(name).some((value) => value !== "")) ||
  CONDITION_NAMES.some((name) => isSeveral(all, name))

/** A query's change that closes the form. */
export const CLOSED: Readonly<Record<string, undefined>> = Object.fromEntries(
  ["new", "from", "to", "time", ...OTHER_CONDITION_NAMES, ...CONDITION_NAMES].map((name) => [name, undefined])
)
