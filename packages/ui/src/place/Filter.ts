/** Which events the list and the histogram show, as the address and the interface spell it. */

/** Conditions a reader can set; each is a query parameter of `GET /api/v1/events` of that name. */
export const FILTER_NAMES = [
  "search",
  "action",
  "actor_id",
  "resource",
  "resource_id",
  "session_id",
  "tenant_id",
  "target_type",
  "target_id",
  "from",
  "to"
] as const
export type FilterName = (typeof FILTER_NAMES)[number]

/** The conditions that are set; all hold together. `from` and `to` are ISO 8601 in UTC. */
export type Filter = { readonly [name in FilterName]?: string }

/** The filter with one more condition, or without it if `value` is empty. */
export const withCondition = (filter: Filter, name: FilterName, value: string): Filter => {
  const { [name]: _, ...others } = filter
  return value === "" ? others : { ...others, [name]: value }
}

/** The filter without its times. */
export const timeless = ({ from: _, to: __, ...others }: Filter): Filter => others

/** The filter as query parameters, in a fixed order. */
export const filterParameters = (filter: Filter): ReadonlyArray<readonly [FilterName, string]> =>
  FILTER_NAMES.flatMap((name) => {
    const value = filter[name]
    return value === undefined ? [] : [[name, value] as const]
  })

/** The filter that query parameters hold. */
export const filterFrom = (parameters: URLSearchParams): Filter =>
  FILTER_NAMES.reduce<Filter>(
    (filter, name) => withCondition(filter, name, (parameters.get(name) ?? "").trim()),
    {}
  )
