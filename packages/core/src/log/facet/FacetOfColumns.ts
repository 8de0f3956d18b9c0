/** The values of a field that some events have, counted event by event: of events that are in no frame. */
import type { FilterColumns } from "../../event/FilterColumns.ts"
import { compareBytes, hashOfBytes, PART_END } from "../frame/ValueTable.ts"
import { compareOwn, type FacetPart, NO_TEXT } from "./FacetPart.ts"
import type { FacetField } from "./Facets.ts"

/** A value that an event has: the part that distinguishes it from others, and what is listed with it. */
interface Had {
  readonly value: string | null
  /** What tells it apart beside that, which is its type. */
  readonly kind?: string
  readonly type?: string | null
  readonly label?: string | null
}

const VALUES: Readonly<Record<FacetField, (columns: FilterColumns) => ReadonlyArray<Had>>> = {
  action: ({ action }) => [{ value: action }],
  actor: ({ actorId, actorName }) => [{ value: actorId, label: actorName }],
  resource: ({ resourceType }) => [{ value: resourceType }],
  resource_id: ({ resourceId, resourceType, resourceName }) => [
    { value: resourceId, type: resourceType, label: resourceName }
  ],
  resource_name: ({ resourceName }) => [{ value: resourceName }],
  target: ({ targets }) => targets.map(({ id, type, name }) => ({ value: id, kind: type, label: name })),
  session_id: ({ sessionId }) => [{ value: sessionId }],
  country: ({ ipCountry }) => [{ value: ipCountry }],
  category: ({ actionCategory }) => [{ value: actionCategory }],
  tenant_id: ({ tenantId }) => [{ value: tenantId }]
}

/** A value, and how many events have it. */
interface Counted {
  readonly value: string
  readonly kind: string | undefined
  count: number
  type: string | null
  label: string | null
  /** The event that was counted last, and the one that its label is of. */
  event: number
  labelled: number
}

const encoder = new TextEncoder()

const isBefore = (one: string, other: string): boolean =>
  compareBytes(encoder.encode(one), encoder.encode(other)) < 0

/** Counts a value of an event: once, and of several names that it has there the least. */
const countValue = (counted: Counted, event: number, { type = null, label = null }: Had): void => {
  if (counted.event !== event) counted.count++
  counted.event = event
  counted.type ??= type
  if (label === null) return
  const isLess = counted.labelled === event && counted.label !== null && isBefore(label, counted.label)
  if (counted.label !== null && !isLess) return
  counted.label = label
  counted.labelled = event
}

/** Counts the values of events, the newest first. */
const countedOf = (field: FacetField, events: Iterable<FilterColumns>): Iterable<Counted> => {
  const counted = new Map<string, Counted>()
  const valuesOf = VALUES[field]
  let event = 0
  for (const columns of events) {
    event++
    for (const had of valuesOf(columns)) {
      const { value, kind } = had
      if (value === null) continue
      const key = kind === undefined ? value : `${kind.length} ${kind}${value}`
      const known = counted.get(key) ?? {
        value,
        kind,
        count: 0,
        type: kind ?? null,
        label: null,
        event: 0,
        labelled: 0
      }
      if (known.event === 0) counted.set(key, known)
      countValue(known, event, had)
    }
  }
  return counted.values()
}

const ownOf = ({ value, kind }: Counted): Uint8Array => {
  const bytes = encoder.encode(value)
  if (kind === undefined) return bytes
  const kindBytes = encoder.encode(kind)
  const own = new Uint8Array(bytes.length + 1 + kindBytes.length)
  own.set(bytes)
  own[bytes.length] = PART_END
  own.set(kindBytes, bytes.length + 1)
  return own
}

/** The bits of a hash by which postings are in their order. */
const keyOf = (own: Uint8Array): number => {
  const hash = hashOfBytes(own)
  return ((hash & 0xf) << 16) | (hash >>> 16)
}

/** Texts, one after another, and where each begins and ends. */
class Texts {
  readonly #parts: Array<Uint8Array> = []
  #length = 0

  add(into: Uint32Array, index: number, bytes: Uint8Array | undefined): void {
    into[2 * index] = bytes === undefined ? NO_TEXT : this.#length
    if (bytes === undefined) return
    this.#parts.push(bytes)
    this.#length += bytes.length
    into[2 * index + 1] = this.#length
  }

  get bytes(): Uint8Array {
    const bytes = new Uint8Array(this.#length)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.length
    }
    return bytes
  }
}

const encoded = (text: string | null): Uint8Array | undefined =>
  text === null ? undefined : encoder.encode(text)

/** The values of a field that events have, the newest of which are given first. */
export const facetPartOf = (field: FacetField, events: Iterable<FilterColumns>): FacetPart => {
  const values = Array.from(countedOf(field, events), (counted) => {
    const own = ownOf(counted)
    return { counted, own, key: keyOf(own) }
  }).sort(
    (one, other) =>
      one.key - other.key || compareOwn(one.own, 0, one.own.length, other.own, 0, other.own.length)
  )
  const size = values.length
  const part = {
    size,
    keys: new Uint32Array(size),
    counts: new Uint32Array(size),
    owns: new Uint32Array(2 * size),
    types: new Uint32Array(2 * size),
    labels: new Uint32Array(2 * size)
  }
  const texts = new Texts()
  for (const [index, { counted, own, key }] of values.entries()) {
    part.keys[index] = key
    part.counts[index] = counted.count
    texts.add(part.owns, index, own)
    texts.add(part.types, index, encoded(counted.type))
    texts.add(part.labels, index, encoded(counted.label))
  }
  return { ...part, bytes: texts.bytes }
}
