/** What to export, as a form holds it. */
import { periodEnds } from "@cairn/ui/place"
import type { Export, ExportFormat } from "./Export.ts"
import { EXPORT_FORMATS } from "./Export.ts"

/** The conditions that the form has a box for, by the names that the interface has for them. */
export const CONDITION_NAMES = [
  "search",
  "action",
  "actor_id",
  "resource",
  "tenant_id",
  "session_id"
] as const

/** A condition that the form has a box for. */
export type ConditionName = (typeof CONDITION_NAMES)[number]

/** Conditions of the list of events that the form has no box for. */
export const OTHER_CONDITION_NAMES = [
  "category",
  "country",
  "resource_id",
  "resource_name",
  "target_type",
  "target_id"
] as const
export type OtherConditionName = (typeof OTHER_CONDITION_NAMES)[number]

/** Every condition. */
const ALL_NAMES = [...CONDITION_NAMES, ...OTHER_CONDITION_NAMES]

/** A value of a condition. */
export interface ConditionValue {
  readonly name: ConditionName | OtherConditionName
  readonly value: string
}

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
  /** What the list of events was narrowed by beside that: further values, and conditions without a box. */
  readonly more: ReadonlyArray<ConditionValue>
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

/** One value as it is, and several as a list. */
const oneOrSeveral = (values: ReadonlyArray<string>) => (values.length === 1 ? values[0] : values)

/** The filters of a draft. Evidence is of a range of the log, which no condition narrows. */
export const filtersOf = ({ format, from, to, time, conditions, more }: ExportDraft): ExportFilters => {
  const valuesOf = (name: ConditionValue["name"]): ReadonlyArray<string> => {
    const typed = Object.entries(conditions).flatMap(([of, value]) => (of === name ? [value.trim()] : []))
    const listed = more.flatMap((one) => (one.name === name ? [one.value] : []))
    return Array.from(new Set([...typed, ...listed].filter((value) => value !== "")))
  }
  const isEvidence = format === "evidence"
  return Object.fromEntries(
    [
      ["from", [from]] as const,
      ["to", [to]] as const,
      ["time", [isEvidence || time === EXPORT_TIMES[0] ? "" : time]] as const,
      ...ALL_NAMES.map((name) => [name, isEvidence ? [] : valuesOf(name)] as const)
    ]
      .map(([name, values]) => [name, values.filter((value) => value !== "")] as const)
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, oneOrSeveral(values)])
  )
}

/** All values that an address's query has for a name. */
type Values = (name: string) => ReadonlyArray<string>

/** The draft that an address's query says: `new` is the format, and the filters are those of the list. */
export const draftFrom = (all: Values): ExportDraft => {
  const get = (name: string) => all(name)[0]
  const from = get("from") ?? ""
  const to = get("to") ?? ""
  const boxes: ReadonlyArray<ConditionValue["name"]> = CONDITION_NAMES
  return {
    format: EXPORT_FORMATS.find((format) => format === get("new")) ?? "csv",
    period: from === "" && to === "" ? "all" : "custom",
    from,
    to,
    time: EXPORT_TIMES.find((time) => time === get("time")) ?? "recorded",
    conditions: Object.fromEntries(CONDITION_NAMES.map((name) => [name, get(name) ?? ""])),
    more: ALL_NAMES.flatMap((name) =>
      Array.from(new Set(all(name)))
        .slice(boxes.includes(name) ? 1 : 0)
        .filter((value) => value !== "")
        .map((value) => ({ name, value }))
    )
  }
}

/** A query's change that closes the form. */
export const CLOSED: Readonly<Record<string, undefined>> = Object.fromEntries(
  ["new", "from", "to", "time", ...ALL_NAMES].map((name) => [name, undefined])
)
