/**
 * Merges the columns of a group's frames into postings, by their dictionaries: no value is looked at for each
 * event.
 */
import { ByteReader } from "./ByteReader.ts"
import { FIELDS, type FrameColumns, fieldValues, targetPairs } from "./FrameColumns.ts"
import { type KindPairs, type PostingKind, postingBlobs } from "./Postings.ts"
import { PART_END, ValueTable } from "./ValueTable.ts"

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

const fieldPairs = (frames: ReadonlyArray<PlacedColumns>, field: (typeof FIELDS)[number]): Pairs => {
  const pairs = new Pairs(field)
  for (const frame of frames) {
    const places = placesOf(frame)
    const { values, numbers } = fieldValues(frame.columns, field)
    const own = values.map((value) => (value === undefined ? -1 : pairs.table.number(value)))
    for (let event = 0; event < numbers.length; event++) {
      const number = own[numbers[event] ?? 0] ?? -1
      if (number >= 0) pairs.add(places[event] ?? 0, number)
    }
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

const encoder = new TextEncoder()

const joined = (id: Uint8Array, type: Uint8Array): Uint8Array => {
  const value = new Uint8Array(id.length + 1 + type.length)
  value.set(id)
  value[id.length] = PART_END
  value.set(type, id.length + 1)
  return value
}

/** The value of a target's type and id together. */
export const targetValue = (type: string, id: string): Uint8Array =>
  joined(encoder.encode(id), encoder.encode(type))

const targetKinds = (frames: ReadonlyArray<PlacedColumns>): ReadonlyArray<Pairs> => {
  const [types, both] = [new Pairs("targetType"), new Pairs("target")]
  for (const frame of frames) {
    const reader = new ByteReader(frame.columns.targets)
    const own = targetPairs(reader).map(({ type, id }) => ({
      type: types.table.number(type),
      both: id === undefined ? -1 : both.table.number(joined(id, type))
    }))
    for (const place of placesOf(frame)) {
      for (let more = reader.varint(); more > 0; more--) {
        const pair = own[reader.varint()]
        if (pair === undefined) continue
        types.add(place, pair.type)
        if (pair.both >= 0) both.add(place, pair.both)
      }
    }
  }
  return [types, both]
}

/**
 * The blobs of a group by their numbers, some at a time, so that others may have a turn between them. Costs
 * some microseconds for each event.
 */
export function* groupPostings(
  frames: ReadonlyArray<PlacedColumns>
): Generator<ReadonlyArray<{ readonly number: number; readonly blob: Uint8Array }>> {
  for (const field of FIELDS) {
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
): ReadonlyArray<Uint8Array> => {
  const field = FIELDS.find((name) => name === kind)
  const pairs =
    field === undefined ? targetKinds(frames).find((one) => one.kind === kind) : fieldPairs(frames, field)
  return pairs === undefined ? [] : postingBlobs(pairs).map(({ blob }) => blob)
}
