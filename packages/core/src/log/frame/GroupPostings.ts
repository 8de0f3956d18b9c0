/**
 * Merges the columns of a group's frames into postings, by their dictionaries: no value is looked at for each
 * event.
 */
import { ByteReader } from "./ByteReader.ts"
import {
  differentTargets,
  FIELDS,
  type Field,
  FRAME_EVENTS,
  type FrameColumns,
  fieldValues
} from "./FrameColumns.ts"
import { type KindPairs, type PostingKind, postingBlobs } from "./Postings.ts"
import { NO_PART, PART_END, ValueTable } from "./ValueTable.ts"

/** A frame, and the place in its group that an event with the frame's first sequence has. */
export interface PlacedColumns {
  readonly place: number
  readonly first: number
  readonly columns: FrameColumns
}

/** The places of a frame's events: those of events that were removed are left out. */
const placesOf = ({ place, first, columns }: PlacedColumns): ReadonlyArray<number> =>
  columns.sequences.map((sequence) => place + sequence - first)

/** Pairs of a kind as they are collected; an event has a value once. */
class Pairs implements KindPairs {
  readonly kind: PostingKind
  readonly table = new ValueTable()
  readonly places: Array<number> = []
  readonly numbers: Array<number> = []
  /** The last place that each value has. */
  readonly #last: Array<number> = []

  constructor(kind: PostingKind) {
    this.kind = kind
  }

  add(place: number, number: number): void {
    if (this.#last[number] === place) return
    this.#last[number] = place
    this.places.push(place)
    this.numbers.push(number)
  }
}

const DOT = 0x2e

/**
 * Most dots and bytes of a beginning or an end of an action that is listed. All beginnings of an action of
 * 256 dots are a hundred times as long as it is; longer ones than these are looked for among the actions.
 */
const PART_DOTS = 8
const PART_BYTES = 64

/** The beginnings of an action up to its first dots. */
const prefixesOf = (action: Uint8Array): ReadonlyArray<Uint8Array> => {
  const prefixes: Array<Uint8Array> = []
  for (let at = action.indexOf(DOT); at >= 0 && at < PART_BYTES; at = action.indexOf(DOT, at + 1)) {
    prefixes.push(action.subarray(0, at + 1))
    if (prefixes.length === PART_DOTS) break
  }
  return prefixes
}

/** The ends of an action from its last dots on. */
const suffixesOf = (action: Uint8Array): ReadonlyArray<Uint8Array> => {
  const suffixes: Array<Uint8Array> = []
  for (let at = action.length - 1; at >= 0 && action.length - at <= PART_BYTES; at--) {
    if (action[at] !== DOT) continue
    suffixes.push(action.subarray(at))
    if (suffixes.length === PART_DOTS) break
  }
  return suffixes
}

/** Whether the actions that begin like this, to one of their dots, are listed with it. */
export const isListedPrefix = (prefix: Uint8Array): boolean =>
  prefixesOf(prefix).at(-1)?.length === prefix.length

/** Whether the actions that end like this, from one of their dots on, are listed with it. */
export const isListedSuffix = (suffix: Uint8Array): boolean =>
  suffixesOf(suffix).at(-1)?.length === suffix.length

const encoder = new TextEncoder()

const MISSING = Uint8Array.of(NO_PART)

/** A value with its further parts; those at the end that it does not have are left out. */
const joined = (value: Uint8Array, ...further: ReadonlyArray<Uint8Array | undefined>): Uint8Array => {
  let count = further.length
  while (count > 0 && further[count - 1] === undefined) count--
  if (count === 0) return value
  let length = value.length + count
  for (let part = 0; part < count; part++) length += (further[part] ?? MISSING).length
  const whole = new Uint8Array(length)
  whole.set(value)
  let at = value.length
  for (let part = 0; part < count; part++) {
    const bytes = further[part] ?? MISSING
    whole[at] = PART_END
    whole.set(bytes, at + 1)
    at += bytes.length + 1
  }
  return whole
}

/** A column whose values are listed. The names of actors are listed with their ids only. */
export type ListedField = Exclude<Field, "actorName">

const LISTED = FIELDS.filter((field) => field !== "actorName")

/** What is listed with the values of a column, so that it is known without reading an event. */
const FURTHER_PARTS: Partial<Record<Field, ReadonlyArray<Field>>> = {
  actorId: ["actorName"],
  resourceId: ["resourceType", "resourceName"]
}

/** The number in a table of the value of each event of a frame, below zero for none. */
const valueNumbers = (
  table: ValueTable,
  columns: FrameColumns,
  field: ListedField
): ReadonlyArray<number> => {
  const { values, numbers } = fieldValues(columns, field)
  const further = FURTHER_PARTS[field]?.map((part) => fieldValues(columns, part))
  if (further === undefined) {
    const own = values.map((value) => (value === undefined ? -1 : table.number(value)))
    return Array.from(numbers, (number) => own[number] ?? -1)
  }
  const known = new Map<number, number>()
  return Array.from(numbers, (number, event) => {
    const value = values[number]
    if (value === undefined) return -1
    let key = number
    for (const part of further) key = key * FRAME_EVENTS + (part.numbers[event] ?? 0)
    const found = known.get(key)
    if (found !== undefined) return found
    const parts = further.map((part) => part.values[part.numbers[event] ?? 0])
    const own = table.number(joined(value, ...parts))
    known.set(key, own)
    return own
  })
}

const fieldPairs = (frames: ReadonlyArray<PlacedColumns>, field: ListedField): Pairs => {
  const pairs = new Pairs(field)
  for (const frame of frames) {
    const places = placesOf(frame)
    valueNumbers(pairs.table, frame.columns, field).forEach((number, event) => {
      if (number >= 0) pairs.add(places[event] ?? 0, number)
    })
  }
  return pairs
}

/** Parts of the actions, from the pairs of the actions. */
const partPairs = (
  kind: PostingKind,
  actions: Pairs,
  partsOf: (action: Uint8Array) => ReadonlyArray<Uint8Array>
): Pairs => {
  const pairs = new Pairs(kind)
  const own = actions.table.values.map((action) => partsOf(action).map((part) => pairs.table.number(part)))
  actions.numbers.forEach((action, index) => {
    for (const number of own[action] ?? []) pairs.add(actions.places[index] ?? 0, number)
  })
  return pairs
}

/** The value of a target's type and id together. */
export const targetValue = (type: string, id: string): Uint8Array =>
  joined(encoder.encode(id), encoder.encode(type))

const targetKinds = (frames: ReadonlyArray<PlacedColumns>): ReadonlyArray<Pairs> => {
  const [types, whole] = [new Pairs("targetType"), new Pairs("target")]
  for (const frame of frames) {
    const reader = new ByteReader(frame.columns.targets)
    const own = differentTargets(reader).map(({ type, id, name }) => ({
      type: types.table.number(type),
      whole: id === undefined ? -1 : whole.table.number(joined(id, type, name))
    }))
    for (const place of placesOf(frame)) {
      for (let more = reader.varint(); more > 0; more--) {
        const target = own[reader.varint()]
        if (target === undefined) continue
        types.add(place, target.type)
        if (target.whole >= 0) whole.add(place, target.whole)
      }
    }
  }
  return [types, whole]
}

/**
 * The blobs of a group by their numbers, some at a time, so that others may have a turn between them. Costs
 * some microseconds for each event.
 */
export function* groupPostings(
  frames: ReadonlyArray<PlacedColumns>
): Generator<ReadonlyArray<{ readonly number: number; readonly blob: Uint8Array }>> {
  for (const field of LISTED) {
    const pairs = fieldPairs(frames, field)
    yield postingBlobs(pairs)
    if (field !== "action") continue
    yield postingBlobs(partPairs("actionPrefix", pairs, prefixesOf))
    yield postingBlobs(partPairs("actionSuffix", pairs, suffixesOf))
  }
  for (const pairs of targetKinds(frames)) yield postingBlobs(pairs)
}

/** The blobs of one kind of values alone. */
export const kindPostings = (
  frames: ReadonlyArray<PlacedColumns>,
  kind: PostingKind
): ReturnType<typeof postingBlobs> => {
  const field = LISTED.find((name) => name === kind)
  const pairs =
    field === undefined ? targetKinds(frames).find((one) => one.kind === kind) : fieldPairs(frames, field)
  return pairs === undefined ? [] : postingBlobs(pairs)
}
