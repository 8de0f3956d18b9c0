/**
 * The values of a group's events and which of them have each (inverted lists; Zobel and Moffat, "Inverted
 * files for text search engines", 2006): a count reads the length of a list, and several conditions intersect
 * theirs.
 *
 * The values of each kind are spread over {@link POSTING_BLOBS} blobs by their hash, so that one value is
 * found in a small one. An event is named by its place in the group, which it keeps when others are removed.
 *
 * Layout: a byte for the version, the number of values in four bytes, a table, and the entries. The table has
 * a row of six bytes for each value: its tag (the upper 16 bits of its hash) in two bytes and the place of
 * its entry in four. Rows are in the order of their tags, those of one tag in the order of their values'
 * bytes. An entry has, in unsigned varints (LEB128), the bytes of the value's UTF-8, the number of its
 * events, the bytes of their list, and the list: each place as its difference from the one before. Numbers of
 * several bytes begin with the lowest.
 */
import { ByteReader, ByteWriter, DamagedFrame } from "./ByteReader.ts"
import { compareBytes, hashOfBytes, PART_END, sameBytes, type ValueTable } from "./ValueTable.ts"

/** What a value is one of. Numbers are part of what is stored. */
const POSTING_KINDS = {
  action: 1,
  actionPrefix: 2,
  /** The id of an actor, parted from its name. */
  actorId: 3,
  resourceType: 4,
  /** The id of a resource, parted from its type and its name. */
  resourceId: 5,
  tenantId: 6,
  sessionId: 7,
  targetType: 8,
  /** The id of a target, parted from its type and its name. */
  target: 9,
  actionSuffix: 10,
  actionCategory: 11,
  ipCountry: 12,
  resourceName: 13
} as const
export type PostingKind = keyof typeof POSTING_KINDS

/** Blobs over which the values of a kind are spread. */
const POSTING_BLOBS = 16

/** The numbers of all blobs that a group may have. */
export const POSTING_NUMBERS: ReadonlyArray<number> = Object.values(POSTING_KINDS).flatMap((kind) =>
  Array.from({ length: POSTING_BLOBS }, (_, blob) => kind * POSTING_BLOBS + blob)
)

/** The numbers of the blobs that a group may have of one kind. */
export const kindNumbers = (kind: PostingKind): ReadonlyArray<number> =>
  Array.from({ length: POSTING_BLOBS }, (_, blob) => POSTING_KINDS[kind] * POSTING_BLOBS + blob)

const VERSION = 1
const HEAD_BYTES = 5
const SLOT_BYTES = 6

/** The number of the blob that has a value. */
const postingBlob = (kind: PostingKind, hash: number): number =>
  POSTING_KINDS[kind] * POSTING_BLOBS + (hash % POSTING_BLOBS)

const tagOf = (hash: number): number => hash >>> 16

/** A value that the events of a condition have. */
export interface RequiredValue {
  readonly kind: PostingKind
  /** UTF-8; of the first parts of a value, all that have them. */
  readonly value: Uint8Array
  /** Whether all values are meant that begin or end like this. */
  readonly part?: "beginning" | "end"
}

/** A value with its events. */
export interface Posting {
  readonly hash: number
  /** UTF-8. */
  readonly value: Uint8Array
  /** Ascending. */
  readonly places: Uint16Array
}

/** Writes a blob. */
const encodePostings = (postings: ReadonlyArray<Posting>): Uint8Array => {
  const sorted = postings.toSorted(
    (one, other) => tagOf(one.hash) - tagOf(other.hash) || compareBytes(one.value, other.value)
  )
  const table = new DataView(new ArrayBuffer(HEAD_BYTES + SLOT_BYTES * sorted.length))
  table.setUint8(0, VERSION)
  table.setUint32(1, sorted.length, true)
  const entries = new ByteWriter()
  const list = new ByteWriter()
  sorted.forEach(({ hash, value, places }, index) => {
    table.setUint16(HEAD_BYTES + SLOT_BYTES * index, tagOf(hash), true)
    table.setUint32(HEAD_BYTES + SLOT_BYTES * index + 2, entries.length, true)
    list.clear()
    let before = 0
    for (const place of places) {
      list.varint(place - before)
      before = place
    }
    entries.varint(value.length).bytes(value).varint(places.length).varint(list.length).bytes(list.written)
  })
  return new ByteWriter().bytes(new Uint8Array(table.buffer)).bytes(entries.written).written.slice()
}

/** The events of a value; their places are read when they are asked for. */
export interface ListedValue {
  readonly value: Uint8Array
  readonly count: number
  readonly list: Uint8Array
}

const readEntry = (reader: ByteReader): ListedValue => {
  const value = reader.take(reader.varint())
  const count = reader.varint()
  const list = reader.take(reader.varint())
  if (count > list.length) throw new DamagedFrame(`${count} places in ${list.length} bytes`)
  return { value, count, list }
}

/** Where the entries of a blob begin, and the slots before them. */
export const slotsOf = (blob: Uint8Array) => {
  if (blob[0] !== VERSION) throw new DamagedFrame(`version ${blob[0]}`)
  const view = new DataView(blob.buffer, blob.byteOffset, blob.length)
  const count = blob.length < HEAD_BYTES ? 0 : view.getUint32(1, true)
  const begin = HEAD_BYTES + SLOT_BYTES * count
  if (blob.length < begin) throw new DamagedFrame("cut short")
  return { view, count, begin }
}

/** The tag of a slot. */
export const tagAt = (view: DataView, slot: number): number =>
  view.getUint16(HEAD_BYTES + SLOT_BYTES * slot, true)

/** The values of a blob, in the order of tags and bytes. */
const sortedValues = (blob: Uint8Array, tag: number) => {
  const { view, count, begin } = slotsOf(blob)
  const entryAt = (slot: number): ListedValue =>
    readEntry(new ByteReader(blob.subarray(begin + view.getUint32(HEAD_BYTES + SLOT_BYTES * slot + 2, true))))
  const isBefore = (slot: number, value: Uint8Array): boolean =>
    tagAt(view, slot) < tag || (tagAt(view, slot) === tag && compareBytes(entryAt(slot).value, value) < 0)
  return {
    /** Those of the tag that begin like this, from the least on. */
    *beginningWith(value: Uint8Array): Generator<ListedValue> {
      let low = 0
      for (let high = count; low < high; ) {
        const middle = (low + high) >>> 1
        if (isBefore(middle, value)) low = middle + 1
        else high = middle
      }
      for (; low < count && tagAt(view, low) === tag; low++) {
        const entry = entryAt(low)
        if (!sameBytes(entry.value.subarray(0, value.length), value)) return
        yield entry
      }
    }
  }
}

/**
 * The events that have a value, with whatever says more of it. Costs two binary searches, also where many
 * values have one tag.
 */
const findPostings = (blob: Uint8Array, value: Uint8Array): ReadonlyArray<ListedValue> => {
  const sorted = sortedValues(blob, tagOf(hashOfBytes(value)))
  const found: Array<ListedValue> = []
  for (const entry of sorted.beginningWith(value)) {
    if (entry.value.length === value.length) found.push(entry)
    break
  }
  const parted = new Uint8Array(value.length + 1)
  parted.set(value)
  parted[value.length] = PART_END
  for (const entry of sorted.beginningWith(parted)) found.push(entry)
  return found
}

/**
 * The values that begin or end like one, wherever their hashes put them. Costs a pass over the blob.
 */
const findPart = (
  blob: Uint8Array,
  value: Uint8Array,
  part: "beginning" | "end"
): ReadonlyArray<ListedValue> =>
  [...listedValues(blob)].filter((listed) => {
    const from = part === "beginning" ? 0 : Math.max(0, listed.value.length - value.length)
    return sameBytes(listed.value.subarray(from, from + value.length), value)
  })

/**
 * The places of the events that have a value, as far as a blob tells, ascending. Throws `DamagedFrame`.
 */
export const findPlaces = (blob: Uint8Array, { value, part }: RequiredValue): Uint16Array =>
  union((part === undefined ? findPostings(blob, value) : findPart(blob, value, part)).map(placesOf))

/** The places of a value's events, ascending. */
export const placesOf = ({ count, list }: Pick<ListedValue, "count" | "list">): Uint16Array => {
  const places = new Uint16Array(count)
  let [at, place] = [0, 0]
  for (let index = 0; index < count; index++) {
    let byte = list[at++] ?? 0
    let [difference, shift] = [byte & 0x7f, 7]
    while (byte >= 0x80) {
      byte = list[at++] ?? 0
      difference |= (byte & 0x7f) << shift
      shift += 7
    }
    place += difference
    places[index] = place
  }
  if (at !== list.length) throw new DamagedFrame(`${list.length} bytes of places, not ${at}`)
  return places
}

/** Every value of a blob. Throws `DamagedFrame` for bytes that are none. */
export function* listedValues(blob: Uint8Array): Generator<ListedValue> {
  const { count, begin } = slotsOf(blob)
  const reader = new ByteReader(blob.subarray(begin))
  for (let left = count; left > 0; left--) yield readEntry(reader)
  if (reader.left > 0) throw new DamagedFrame(`${reader.left} bytes too many`)
}

/** Every value of a blob with each of its places from `low` to `high`. Throws `DamagedFrame`. */
export function* valuesAt(
  blob: Uint8Array,
  low: number,
  high: number
): Generator<{ readonly value: Uint8Array; readonly place: number }> {
  for (const listed of listedValues(blob))
    for (const place of placesOf(listed))
      if (place >= low && place <= high) yield { value: listed.value, place }
}

/**
 * A blob without some events; undefined where nothing is left, and the same blob where it had none of them.
 */
export const withoutPlaces = (blob: Uint8Array, removed: ReadonlySet<number>): Uint8Array | undefined => {
  let changed = false
  const left: Array<Posting> = []
  for (const listed of listedValues(blob)) {
    const all = placesOf(listed)
    const places = all.filter((place) => !removed.has(place))
    if (places.length < all.length) changed = true
    if (places.length > 0) left.push({ hash: hashOfBytes(listed.value), value: listed.value, places })
  }
  if (!changed) return blob
  return left.length === 0 ? undefined : encodePostings(left)
}

/** The numbers of the blobs that may have a value: one, or all of its kind where its beginning is known. */
export const blobsOf = ({ kind, value, part }: RequiredValue): ReadonlyArray<number> =>
  part === undefined ? [postingBlob(kind, hashOfBytes(value))] : kindNumbers(kind)

/** Everything that is in any of some ascending lists, once. */
export const union = (lists: ReadonlyArray<Uint16Array>): Uint16Array => {
  const [first, ...others] = lists
  if (first === undefined || others.length === 0) return first ?? new Uint16Array()
  const has = new Uint8Array(1 + Math.max(...lists.map((list) => list.at(-1) ?? 0)))
  let count = 0
  for (const list of lists) {
    for (const place of list) {
      if (has[place] === 0) count++
      has[place] = 1
    }
  }
  const places = new Uint16Array(count)
  for (let place = has.indexOf(1), at = 0; at < count; place = has.indexOf(1, place + 1)) places[at++] = place
  return places
}

/** What two ascending lists have in common. */
export const intersection = (one: Uint16Array, other: Uint16Array): Uint16Array => {
  const common = new Uint16Array(Math.min(one.length, other.length))
  let length = 0
  for (let a = 0, b = 0; a < one.length && b < other.length; ) {
    const [left = 0, right = 0] = [one[a], other[b]]
    if (left === right) common[length++] = left
    if (left <= right) a++
    if (right <= left) b++
  }
  return common.subarray(0, length)
}

/** Which events have which of a kind's values, in the order of the events. */
export interface KindPairs {
  readonly kind: PostingKind
  readonly table: ValueTable
  readonly places: ReadonlyArray<number>
  /** For each place, a value's number in the table. */
  readonly numbers: ReadonlyArray<number>
}

/** The blobs of a kind by their numbers (a counting sort of the pairs). */
export const postingBlobs = ({
  kind,
  table,
  places,
  numbers
}: KindPairs): ReadonlyArray<{ readonly number: number; readonly blob: Uint8Array }> => {
  const ends = new Uint32Array(table.values.length + 1)
  for (const number of numbers) ends[number + 1] = (ends[number + 1] ?? 0) + 1
  for (let number = 0; number < table.values.length; number++)
    ends[number + 1] = (ends[number + 1] ?? 0) + (ends[number] ?? 0)
  const starts = ends.slice()
  const sorted = new Uint16Array(numbers.length)
  numbers.forEach((number, index) => {
    const at = starts[number] ?? 0
    sorted[at] = places[index] ?? 0
    starts[number] = at + 1
  })
  const blobs = new Map<number, Array<Posting>>()
  table.values.forEach((value, number) => {
    const hash = table.hashes[number] ?? 0
    const blob = postingBlob(kind, hash)
    const postings = blobs.get(blob) ?? []
    blobs.set(blob, postings)
    postings.push({ hash, value, places: sorted.subarray(ends[number], ends[number + 1]) })
  })
  return [...blobs].map(([number, postings]) => ({ number, blob: encodePostings(postings) }))
}
