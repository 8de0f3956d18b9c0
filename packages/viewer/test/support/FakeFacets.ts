/** The most frequent values of a field among events, as the service counts them. */
import type { Event } from "@cairn/core/event"

/** A value that an event has in a field. */
interface Named {
  readonly value: string
  readonly label: string | null
  readonly type: string | null
}

const MOST = 20

const plain = (value: string | null): ReadonlyArray<Named> =>
  value === null ? [] : [{ value, label: null, type: null }]

const VALUES: Readonly<Record<string, (event: Event) => ReadonlyArray<Named>>> = {
  actor: ({ actor }) => [{ value: actor.id, label: actor.name, type: null }],
  action: ({ action }) => plain(action),
  resource: ({ resource }) => plain(resource.type),
  resource_id: ({ resource: { id, name, type } }) => (id === null ? [] : [{ value: id, label: name, type }]),
  resource_name: ({ resource }) => plain(resource.name),
  target: ({ targets }) =>
    targets.flatMap(({ id, name, type }) => (id ? [{ value: id, label: name ?? null, type }] : [])),
  session_id: (event) => plain(event.session_id),
  country: (event) => plain(event.ip_country),
  category: (event) => plain(event.action_category),
  tenant_id: (event) => plain(event.tenant_id)
}

/** The answer about events, the newest first. */
export const facetsOf = (events: ReadonlyArray<Event>, parameters: URLSearchParams): unknown => {
  const field = parameters.get("field") ?? ""
  const prefix = (parameters.get("prefix") ?? "").toLowerCase()
  const begins = (text: string) => text.toLowerCase().startsWith(prefix)
  const counted = new Map<string, Named & { readonly count: number }>()
  for (const named of events.flatMap((event) => VALUES[field]?.(event) ?? [])) {
    const { value, label } = named
    if (![value, label ?? "", ...(label ?? "").split(/\s+/)].some(begins)) continue
    const known = counted.get(value)
    // The newest name is the one that it has.
    counted.set(value, known === undefined ? { ...named, count: 1 } : { ...known, count: known.count + 1 })
  }
  const values = [...counted.values()].sort((one, other) => other.count - one.count).slice(0, MOST)
  return { data: { field, values, events: events.length, complete: true } }
}
