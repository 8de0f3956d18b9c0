/** Counts how many events have each value of a field, from the postings of groups, the newest group first. */
import { listedValues, type PostingKind, placesOf, union } from "../frame/Postings.ts"
import { bytewise, compareBytes, NO_PART, PART_END } from "../frame/ValueTable.ts"
import { facetPrefix } from "./FacetPrefix.ts"
import { FACET_VALUES, type FacetField, type FacetValue } from "./Facets.ts"

/** Where the values of a field are listed, and what their parts say. */
interface FacetShape {
  readonly kind: PostingKind
  /** How many of the first parts tell values apart. */
  readonly own: number
  /** Which part is the type, and which the name. */
  readonly type?: number
  readonly label?: number
  /** Whether an event may have several of the values that differ in the other parts only. */
  readonly isMany?: boolean
}

const SHAPES: Readonly<Record<FacetField, FacetShape>> = {
  action: { kind: "action", own: 1 },
  actor: { kind: "actorId", own: 1, label: 1 },
  resource: { kind: "resourceType", own: 1 },
  resource_id: { kind: "resourceId", own: 1, type: 1, label: 2 },
  resource_name: { kind: "resourceName", own: 1 },
  target: { kind: "target", own: 2, type: 1, label: 2, isMany: true },
  session_id: { kind: "sessionId", own: 1 },
  country: { kind: "ipCountry", own: 1 },
  category: { kind: "actionCategory", own: 1 },
  tenant_id: { kind: "tenantId", own: 1 }
}

/** The kind of postings that has the values of a field. */
export const facetKind = (field: FacetField): PostingKind => SHAPES[field].kind

/** Places of a group. */
const PLACES = 65_536

/** Keeps a byte order mark at the beginning of a value, which is a part of it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Where the first parts of a value end. */
const endOfParts = (value: Uint8Array, parts: number): number => {
  let end = value.indexOf(PART_END)
  for (let more = parts - 1; more > 0 && end >= 0; more--) end = value.indexOf(PART_END, end + 1)
  return end < 0 ? value.length : end
}

/** A part of a value; undefined where it has none. */
const partOf = (value: Uint8Array, part: number): Uint8Array | undefined => {
  const begin = part === 0 ? 0 : endOfParts(value, part) + 1
  if (begin > value.length) return undefined
  const end = value.indexOf(PART_END, begin)
  const bytes = value.subarray(begin, end < 0 ? value.length : end)
  return bytes[0] === NO_PART ? undefined : bytes
}

/** A part, and how new the event is that has it. */
interface Dated {
  readonly bytes: Uint8Array
  readonly age: number
}

/** A value that a blob lists, and which of the events that are counted have it. */
export interface FoundValue {
  readonly value: Uint8Array
  readonly count: number
  /** Ascending; none where only their number matters. */
  readonly places: Uint16Array
}

/** A value with its events. */
interface Counted {
  /** The parts that tell it apart. */
  readonly own: Uint8Array
  count: number
  type: Dated | undefined
  label: Dated | undefined
  /** The group in which it was seen last, and its events there, if an event may have several such values. */
  group: number
  places: Uint16Array
}

const NONE = new Uint16Array()

const newer = (known: Dated | undefined, bytes: Uint8Array | undefined, age: number): Dated | undefined =>
  bytes === undefined || (known !== undefined && known.age >= age) ? known : { bytes, age }

/** Orders values by their first parts, and then by the others: the end of a part is before all bytes. */
const compareParts = (one: Uint8Array, other: Uint8Array): number => {
  const [end, otherEnd] = [endOfParts(one, 1), endOfParts(other, 1)]
  return (
    compareBytes(one.subarray(0, end), other.subarray(0, otherEnd)) ||
    compareBytes(one.subarray(end), other.subarray(otherEnd))
  )
}

/** Counts the values of one field. */
export class FacetTally {
  readonly #shape: FacetShape
  readonly #needsPlaces: boolean
  readonly #counted = new Map<string, Counted>()

  constructor(field: FacetField) {
    this.#shape = SHAPES[field]
    const { type, label, isMany } = this.#shape
    this.#needsPlaces = type !== undefined || label !== undefined || isMany === true
  }

  /**
   * What a blob of a group lists: of the events at the places that are marked, or of all. Costs a pass over
   * the blob. Throws `DamagedFrame` for bytes that are none.
   */
  read(blob: Uint8Array, marked: Uint8Array | undefined): ReadonlyArray<FoundValue> {
    const found: Array<FoundValue> = []
    for (const listed of listedValues(blob)) {
      if (marked === undefined && !this.#needsPlaces) {
        found.push({ value: listed.value, count: listed.count, places: NONE })
        continue
      }
      const all = placesOf(listed)
      const places = marked === undefined ? all : all.filter((place) => marked[place] === 1)
      if (places.length > 0) found.push({ value: listed.value, count: places.length, places })
    }
    return found
  }

  /** Counts what blobs of one group list. The higher its number, the older are its events. */
  add(group: number, found: Iterable<ReadonlyArray<FoundValue>>): void {
    for (const values of found) for (const value of values) this.#addValue(group, value)
  }

  #countedOf(value: Uint8Array): Counted {
    const end = endOfParts(value, this.#shape.own)
    const own = end === value.length ? value : value.subarray(0, end)
    const key = bytewise.decode(own)
    const known = this.#counted.get(key)
    if (known !== undefined) return known
    const counted = { own, count: 0, type: undefined, label: undefined, group: -1, places: NONE }
    this.#counted.set(key, counted)
    return counted
  }

  #addValue(group: number, { value, count, places }: FoundValue): void {
    const { type, label, isMany } = this.#shape
    const counted = this.#countedOf(value)
    if (isMany) {
      const before = counted.group === group ? counted.places : NONE
      const after = before.length === 0 ? places : union([before, places])
      counted.count += after.length - before.length
      ;[counted.group, counted.places] = [group, after]
    } else counted.count += count
    const age = (places.at(-1) ?? 0) - group * PLACES
    if (type !== undefined) counted.type = newer(counted.type, partOf(value, type), age)
    if (label !== undefined) counted.label = newer(counted.label, partOf(value, label), age)
  }

  /** The most frequent of the values that a prefix means; equal ones in the order of their bytes. */
  top(prefix: string): ReadonlyArray<FacetValue> {
    const isWanted = facetPrefix(prefix)
    const top: Array<{ readonly counted: Counted; readonly facet: FacetValue }> = []
    const isBefore = (one: Counted, other: Counted): boolean =>
      one.count > other.count || (one.count === other.count && compareParts(one.own, other.own) < 0)
    for (const counted of this.#counted.values()) {
      const last = top[FACET_VALUES - 1]
      if (last !== undefined && !isBefore(counted, last.counted)) continue
      const facet = facetOf(counted)
      if (!isWanted(facet.value, facet.label)) continue
      const at = top.findIndex((other) => isBefore(counted, other.counted))
      top.splice(at < 0 ? top.length : at, 0, { counted, facet })
      top.length = Math.min(top.length, FACET_VALUES)
    }
    return top.map(({ facet }) => facet)
  }
}

const textOf = (part: Dated | undefined): string | null =>
  part === undefined ? null : decoder.decode(part.bytes)

const facetOf = ({ own, count, type, label }: Counted): FacetValue => ({
  value: decoder.decode(partOf(own, 0)),
  label: textOf(label),
  type: textOf(type),
  count
})
