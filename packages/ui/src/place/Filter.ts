/** Which events the list and the histogram show, as the address and the interface spell it. */

/** Conditions that one of several values meets; each is a query parameter of that name, once for a value. */
export const CONDITION_NAMES = [
  "action",
  "actor_id",
  "resource",
  "resource_id",
  "resource_name",
  "session_id",
  "tenant_id",
  "target_type",
  "target_id",
  "category",
  "country"
] as const
export type ConditionName = (typeof CONDITION_NAMES)[number]

/** What has several values: the conditions, and the search, all of whose texts must be found. */
export type ValuesName = "search" | ConditionName

/** All that a reader can set; each is a query parameter of `GET /api/v1/events` of that name. */
const FILTER_NAMES = ["search", ...CONDITION_NAMES, "from", "to"] as const
export type FilterName = (typeof FILTER_NAMES)[number]

/** Values of one condition that the interface takes at most. */
export const MOST_VALUES = 20

/** What is set; all holds together. `from` and `to` are ISO 8601 in UTC. No list of values is empty. */
export type Filter = { readonly [name in ValuesName]?: ReadonlyArray<string> } & {
  readonly from?: string
  readonly to?: string
}

const isTime = (name: FilterName): name is "from" | "to" => name === "from" || name === "to"

const without = (filter: Filter, name: FilterName): Filter => {
  const { [name]: _, ...others } = filter
  return others
}

/** The filter with these values of a condition in place of those that it has; each once, none for none. */
export const withValues = (filter: Filter, name: ValuesName, values: ReadonlyArray<string>): Filter => {
  const given = Array.from(new Set(values)).slice(0, MOST_VALUES)
  const others = without(filter, name)
  return given.length === 0 ? others : { ...others, ...{ [name]: given } }
}

/** The filter with more values of a condition, or without these. */
export const withMore = (filter: Filter, name: ValuesName, values: ReadonlyArray<string>): Filter =>
  withValues(filter, name, [...(filter[name] ?? []), ...values])

export const withLess = (filter: Filter, name: ValuesName, value: string): Filter =>
  withValues(
    filter,
    name,
    (filter[name] ?? []).filter((other) => other !== value)
  )

/** The filter with this as the only value of a condition, or without the condition if it is empty. */
export const withCondition = (filter: Filter, name: FilterName, value: string): Filter => {
  if (!isTime(name)) return withValues(filter, name, value === "" ? [] : [value])
  return value === "" ? without(filter, name) : { ...filter, [name]: value }
}

/** The filter without its times. */
export const timeless = ({ from: _, to: __, ...others }: Filter): Filter => others

/** The name among those of a filter; undefined where it is none of them. */
export const filterNamed = (name: string | undefined): FilterName | undefined =>
  FILTER_NAMES.find((known) => known === name)

/** The values of a condition, of which a time has one at most. */
export const valuesOf = (filter: Filter, name: FilterName): ReadonlyArray<string> => {
  const value = filter[name]
  return value === undefined ? [] : typeof value === "string" ? [value] : value
}

/** The filter as query parameters, in a fixed order; one for each value. */
export const filterParameters = (filter: Filter): ReadonlyArray<readonly [FilterName, string]> =>
  FILTER_NAMES.flatMap((name) => valuesOf(filter, name).map((value) => [name, value] as const))

/** Whether a parameter's value is none. An id or a name may be of spaces alone. */
const isNone = (name: FilterName, value: string): boolean =>
  (name === "search" || isTime(name) ? value.trim() : value) === ""

/** The filter that query parameters hold, each value to the character. */
export const filterFrom = (parameters: URLSearchParams): Filter =>
  FILTER_NAMES.reduce<Filter>((filter, name) => {
    const values = parameters.getAll(name).filter((value) => !isNone(name, value))
    return isTime(name) ? withCondition(filter, name, values[0] ?? "") : withValues(filter, name, values)
  }, {})
