/** The values of a field, counted event by event: what every storage must answer. */
import type { EventContent } from "@cairn/core/event"
import {
  FACET_VALUES,
  type FacetField,
  type FacetQuery,
  type FacetsFound,
  type FacetValue,
  facetPrefix
} from "@cairn/core/log"

/** A value that an event has. */
interface Had {
  readonly value: string | null | undefined
  readonly label?: string | null | undefined
  readonly type?: string | null
  /** What tells it apart, beside the value. */
  readonly key?: string
}

const VALUES: Readonly<Record<FacetField, (content: EventContent) => ReadonlyArray<Had>>> = {
  action: ({ action }) => [{ value: action }],
  actor: ({ actor }) => [{ value: actor.id, label: actor.name }],
  resource: ({ resource }) => [{ value: resource.type }],
  resource_id: ({ resource }) => [{ value: resource.id, label: resource.name, type: resource.type }],
  resource_name: ({ resource }) => [{ value: resource.name }],
  target: ({ targets }) => targets.map(({ id, type, name }) => ({ value: id, label: name, type, key: type })),
  session_id: (content) => [{ value: content.session_id }],
  country: (content) => [{ value: content.ip_country }],
  category: (content) => [{ value: content.action_category }],
  tenant_id: (content) => [{ value: content.tenant_id }]
}

const compareBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

const least = (one: string | null, other: string | null): string | null => {
  if (one === null || other === null) return one ?? other
  return compareBytes(one, other) <= 0 ? one : other
}

/** The values that an event has, each once: of several names that a target has in it, with the least. */
const valuesOf = (content: EventContent, field: FacetField) => {
  const values = new Map<string, FacetValue & { readonly key: string }>()
  for (const { value, label = null, type = null, key = "" } of VALUES[field](content)) {
    if (value === null || value === undefined) continue
    const name = JSON.stringify([value, key])
    values.set(name, { value, label: least(label, values.get(name)?.label ?? null), type, count: 1, key })
  }
  return values
}

/** The answer for the contents that a filter selects, the newest first. */
export const countFacets = (
  contents: ReadonlyArray<EventContent>,
  { field, prefix, most }: FacetQuery
): FacetsFound => {
  const counted = new Map<string, FacetValue & { readonly key: string }>()
  for (const content of contents.slice(0, most)) {
    for (const [name, value] of valuesOf(content, field)) {
      const newer = counted.get(name)
      counted.set(name, {
        ...value,
        label: newer?.label ?? value.label,
        type: newer?.type ?? value.type,
        count: (newer?.count ?? 0) + 1
      })
    }
  }
  const isWanted = facetPrefix(prefix)
  const values = [...counted.values()]
    .filter(({ value, label }) => isWanted(value, label))
    .toSorted(
      (one, other) =>
        other.count - one.count || compareBytes(one.value, other.value) || compareBytes(one.key, other.key)
    )
    .slice(0, FACET_VALUES)
    .map(({ key: _, ...facet }) => facet)
  return { values, events: Math.min(most, contents.length), complete: contents.length <= most }
}
