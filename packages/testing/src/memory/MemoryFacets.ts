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
  target: ({ targets }) => targets.map(({ id, type, name }) => ({ value: id, label: name, type, key: type })),
  session_id: (content) => [{ value: content.session_id }],
  tenant_id: (content) => [{ value: content.tenant_id }]
}

const compareBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

/** The answer for the contents that a filter selects, the newest first. */
export const countFacets = (
  contents: ReadonlyArray<EventContent>,
  { field, prefix, most }: FacetQuery
): FacetsFound => {
  const counted = new Map<string, FacetValue & { readonly key: string }>()
  for (const content of contents.slice(0, most)) {
    const seen = new Set<string>()
    for (const { value, label = null, type = null, key = "" } of VALUES[field](content)) {
      if (value === null || value === undefined) continue
      const name = JSON.stringify([value, key])
      const known = counted.get(name) ?? { value, label: null, type: null, count: 0, key }
      counted.set(name, {
        ...known,
        label: known.label ?? label,
        type: known.type ?? type,
        count: known.count + (seen.has(name) ? 0 : 1)
      })
      seen.add(name)
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
