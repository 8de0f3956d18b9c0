/** The values of a field that some events have, from the postings of one group of them. */
import { DamagedFrame } from "../frame/ByteReader.ts"
import { PostingScan } from "../frame/PostingScan.ts"
import { type PostingKind, placesOf, union } from "../frame/Postings.ts"
import { NO_PART, PART_END } from "../frame/ValueTable.ts"
import type { FacetField } from "./Facets.ts"

/** Where the values of a field are listed, and what their parts say. */
export interface FacetShape {
  readonly kind: PostingKind
  /** How many of the first parts tell values apart. */
  readonly own: number
  /** Which part is the type, and which the name. */
  readonly type?: number
  readonly label?: number
  /** Whether an event may have several of the values that differ in the other parts only. */
  readonly isMany?: boolean
}

const FACET_SHAPES: Readonly<Record<FacetField, FacetShape>> = {
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
export const facetKind = (field: FacetField): PostingKind => FACET_SHAPES[field].kind

/** A blob of postings, and its number. */
export interface NumberedBlob {
  readonly number: number
  readonly blob: Uint8Array
}

/** Stands for a text that is none. */
export const NO_TEXT = 0xffff_ffff

/**
 * Values in the order of their keys, and of `compareOwn` where these are the same: one order for all
 * parts, so that they are merged in one pass, whatever values somebody chooses.
 */
export interface FacetPart {
  readonly size: number
  /** The bits of a value's hash by which postings are stored. */
  readonly keys: Uint32Array
  /** How many events have each. */
  readonly counts: Uint32Array
  /** Texts, one after another. */
  readonly bytes: Uint8Array
  /** Where the parts that tell a value apart begin and end. */
  readonly owns: Uint32Array
  /** Where its type begins and ends; `NO_TEXT` where there is none. */
  readonly types: Uint32Array
  /** The same of its label. */
  readonly labels: Uint32Array
}

/** What a part takes of memory, in bytes. */
export const sizeOfPart = ({ keys, bytes }: FacetPart): number => bytes.length + 32 * keys.length

/** Orders values by their first parts, and then by the others: the end of a part is before all bytes. */
export const compareOwn = (
  one: Uint8Array,
  begin: number,
  end: number,
  other: Uint8Array,
  otherBegin: number,
  otherEnd: number
): number => {
  const length = Math.min(end - begin, otherEnd - otherBegin)
  for (let at = 0; at < length; at++) {
    const left = one[begin + at] ?? 0
    const right = other[otherBegin + at] ?? 0
    if (left === right) continue
    if (left === PART_END) return -1
    return right === PART_END ? 1 : left - right
  }
  return end - begin - (otherEnd - otherBegin)
}

/** Where a part of a value in some bytes ends. */
export const partEnd = (bytes: Uint8Array, from: number, end: number): number => {
  let at = from
  while (at < end && bytes[at] !== PART_END) at++
  return at
}

/** A value of a blob, and which of the events that are counted have it. */
interface Listed {
  readonly begin: number
  readonly end: number
  /** Where the parts end that tell it apart. */
  readonly ownEnd: number
  readonly listBegin: number
  readonly listEnd: number
  readonly count: number
  /** How many of the events that are counted. */
  readonly found: number
  /** The place of the newest of them; 0 where that does not matter. */
  readonly newest: number
}

/** Collects the values of a part. */
class PartWriter {
  readonly #shape: FacetShape
  readonly #marked: Uint8Array | undefined
  readonly #keys: Uint32Array
  readonly #counts: Uint32Array
  readonly #owns: Uint32Array
  readonly #types: Uint32Array
  readonly #labels: Uint32Array
  #size = 0
  #bytes = new Uint8Array(4_096)
  #length = 0
  /** Values of one key, which is not written yet. */
  #run: Array<Listed> = []
  #found = 0
  #newest = 0

  /** Writes this many values at most. */
  constructor(shape: FacetShape, marked: Uint8Array | undefined, most: number) {
    this.#shape = shape
    this.#marked = marked
    this.#keys = new Uint32Array(most)
    this.#counts = new Uint32Array(most)
    this.#owns = new Uint32Array(2 * most)
    this.#types = new Uint32Array(2 * most)
    this.#labels = new Uint32Array(2 * most)
  }

  /** Adds what a blob lists; blobs come in the order of their numbers. */
  add(number: number, scan: PostingScan): void {
    const { blob } = scan
    let tag = -1
    while (scan.next()) {
      if (scan.tag !== tag) this.#write(blob, number, tag)
      tag = scan.tag
      this.#count(scan)
      if (this.#found > 0) this.#run.push(this.#listed(scan))
    }
    this.#write(blob, number, tag)
  }

  finish(): FacetPart {
    const size = this.#size
    return {
      size,
      keys: this.#keys.slice(0, size),
      counts: this.#counts.slice(0, size),
      bytes: this.#bytes.slice(0, this.#length),
      owns: this.#owns.slice(0, 2 * size),
      types: this.#types.slice(0, 2 * size),
      labels: this.#labels.slice(0, 2 * size)
    }
  }

  /** Counts the events of a value that are counted, and finds the newest of them. */
  #count({ blob, count, listBegin, listEnd }: PostingScan): void {
    const marked = this.#marked
    this.#found = count
    this.#newest = 0
    if (marked === undefined && this.#shape.label === undefined) return
    let at = listBegin
    let place = 0
    let found = 0
    for (let index = 0; index < count; index++) {
      let byte = blob[at++] ?? 0
      let difference = byte & 0x7f
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = blob[at++] ?? 0
        difference |= (byte & 0x7f) << shift
      }
      place += difference
      if (marked !== undefined && marked[place] !== 1) continue
      found++
      this.#newest = place
    }
    if (at !== listEnd)
      throw new DamagedFrame(`${at - listBegin} bytes of places, not ${listEnd - listBegin}`)
    this.#found = found
  }

  #listed({ blob, count, valueBegin: begin, valueEnd: end, listBegin, listEnd }: PostingScan): Listed {
    let ownEnd = partEnd(blob, begin, end)
    for (let more = this.#shape.own - 1; more > 0 && ownEnd < end; more--)
      ownEnd = partEnd(blob, ownEnd + 1, end)
    return { begin, end, ownEnd, listBegin, listEnd, count, found: this.#found, newest: this.#newest }
  }

  /** Writes the values of one key, those together that are told apart by nothing. */
  #write(blob: Uint8Array, number: number, tag: number): void {
    const run = this.#run
    if (run.length === 0) return
    this.#run = []
    const key = ((number & 0xf) << 16) | tag
    if (run.length === 1) {
      this.#writeValue(key, blob, run)
      return
    }
    run.sort((one, other) => compareOwn(blob, one.begin, one.ownEnd, blob, other.begin, other.ownEnd))
    let same: Array<Listed> = []
    for (const listed of run) {
      const [own = listed] = same
      if (compareOwn(blob, own.begin, own.ownEnd, blob, listed.begin, listed.ownEnd) !== 0) {
        this.#writeValue(key, blob, same)
        same = []
      }
      same.push(listed)
    }
    this.#writeValue(key, blob, same)
  }

  /** Writes a value, which is listed once for each type and name that it comes with. */
  #writeValue(key: number, blob: Uint8Array, same: ReadonlyArray<Listed>): void {
    const { type, label } = this.#shape
    const index = this.#size++
    let count = 0
    let typeAge = -1
    let labelAge = -1
    this.#owns[2 * index] = NO_TEXT
    this.#types[2 * index] = NO_TEXT
    this.#labels[2 * index] = NO_TEXT
    for (const { begin, end, ownEnd, found, newest } of same) {
      const at = this.#append(blob, begin, end)
      if (this.#owns[2 * index] === NO_TEXT) {
        this.#owns[2 * index] = at
        this.#owns[2 * index + 1] = at + ownEnd - begin
      }
      count += found
      const ends = at + end - begin
      if (type !== undefined && newest > typeAge && this.#writePart(this.#types, index, at, ends, type))
        typeAge = newest
      if (label !== undefined && newest > labelAge && this.#writePart(this.#labels, index, at, ends, label))
        labelAge = newest
    }
    this.#keys[index] = key
    this.#counts[index] = this.#shape.isMany && same.length > 1 ? this.#different(blob, same) : count
  }

  /** Writes where a further part of a value is, if it has one. */
  #writePart(into: Uint32Array, index: number, begin: number, end: number, part: number): boolean {
    const from = this.#partBegin(begin, end, part)
    if (from === NO_TEXT) return false
    into[2 * index] = from
    into[2 * index + 1] = partEnd(this.#bytes, from, end)
    return true
  }

  /** Where a further part of a value begins; `NO_TEXT` where it has none. */
  #partBegin(begin: number, end: number, part: number): number {
    let at = begin
    for (let more = part; more > 0; more--) {
      at = partEnd(this.#bytes, at, end) + 1
      if (at > end) return NO_TEXT
    }
    return at < end && this.#bytes[at] === NO_PART ? NO_TEXT : at
  }

  /** How many different events have any of some values. */
  #different(blob: Uint8Array, same: ReadonlyArray<Listed>): number {
    const marked = this.#marked
    const all = union(
      same.map(({ count, listBegin, listEnd }) =>
        placesOf({ count, list: blob.subarray(listBegin, listEnd) })
      )
    )
    return marked === undefined ? all.length : all.filter((place) => marked[place] === 1).length
  }

  #append(blob: Uint8Array, begin: number, end: number): number {
    const at = this.#length
    const length = end - begin
    if (at + length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (at + length))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    const bytes = this.#bytes
    for (let index = 0; index < length; index++) bytes[at + index] = blob[begin + index] ?? 0
    this.#length = at + length
    return at
  }
}

/**
 * The values that the blobs of a group list: of the events at the places that are marked, or of all. Costs a
 * pass over the blobs. Throws `DamagedFrame` for bytes that are none.
 */
export const facetPart = (
  field: FacetField,
  blobs: ReadonlyArray<NumberedBlob>,
  marked: Uint8Array | undefined
): FacetPart => {
  const scans = blobs
    .toSorted((one, other) => one.number - other.number)
    .map(({ number, blob }) => ({ number, scan: new PostingScan(blob) }))
  const most = scans.reduce((sum, { scan }) => sum + scan.size, 0)
  const writer = new PartWriter(FACET_SHAPES[field], marked, most)
  for (const { number, scan } of scans) writer.add(number, scan)
  return writer.finish()
}
