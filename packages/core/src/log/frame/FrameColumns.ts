/**
 * The values of some consecutive events that lists, counts and histograms select by, and the names that are
 * shown with them, in one blob: of a million events a few that match are found without their contents.
 *
 * Layout, before it is compressed: a byte for the version; then unsigned varints (LEB128): the number of
 * events, and for each the difference of its sequence from the one before (of the first, from the frame's
 * own) and of its time, which may be below zero (ZigZag). Then a section for each of {@link FIELDS} with its
 * length: the different values, each by the bytes of its UTF-8 (their number and one more, 0 for none), and a
 * byte for each event, which of them it has. Then the section of targets: the different ones, each by its
 * type, id and name, and for each event the number of its targets and which they are. At last that of when
 * the events occurred, see `FrameOccurrences`.
 */
import type { Micros } from "../../encoding/Micros.ts"
import type { FilterColumns } from "../../event/FilterColumns.ts"
import { ByteReader, ByteWriter, DamagedFrame } from "./ByteReader.ts"
import { occurrenceSection, readOccurrences } from "./FrameOccurrences.ts"
import { bytewise } from "./ValueTable.ts"

/** The columns with one value for each event, in the order of their sections. */
export const FIELDS = [
  "action",
  "actorId",
  "resourceType",
  "resourceId",
  "tenantId",
  "sessionId",
  "actionCategory",
  "ipCountry",
  "resourceName",
  "actorName"
] as const satisfies ReadonlyArray<keyof FilterColumns>
export type Field = (typeof FIELDS)[number]

const VERSION = 2

/** What there is of each field, in their order. */
const eachField = <A>(of: (field: Field) => A): Record<Field, A> =>
  Object.fromEntries(FIELDS.map((field) => [field, of(field)])) as Record<Field, A>

/** Most events of a frame: a byte says which value an event has. */
export const FRAME_EVENTS = 256

/** What a frame holds of one event. */
export interface ColumnsEntry {
  readonly sequence: number
  readonly createdAt: Micros
  readonly occurredAt: Micros
  readonly columns: FilterColumns
}

const zigzag = (difference: number): number => (difference < 0 ? -2 * difference - 1 : 2 * difference)
const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)

const encoder = new TextEncoder()
/** Keeps a byte order mark at the beginning of a value, which is a part of it. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const writeValue = (writer: ByteWriter, value: string | null): void => {
  if (value === null) writer.varint(0)
  else writer.text(value)
}

/** Numbers different values in the order in which they come. */
class Dictionary<Value> {
  readonly #numbers = new Map<string | null, number>()
  readonly values: Array<Value> = []

  number(key: string | null, value: Value): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.values.push(value) - 1
    this.#numbers.set(key, number)
    return number
  }
}

const fieldSection = (entries: ReadonlyArray<ColumnsEntry>, field: Field): Uint8Array => {
  const dictionary = new Dictionary<string | null>()
  const numbers = new Uint8Array(entries.length)
  entries.forEach(({ columns }, event) => {
    const value = columns[field]
    numbers[event] = dictionary.number(value, value)
  })
  const writer = new ByteWriter().varint(dictionary.values.length)
  for (const value of dictionary.values) writeValue(writer, value)
  return writer.bytes(numbers).written
}

const targetSection = (entries: ReadonlyArray<ColumnsEntry>): Uint8Array => {
  const dictionary = new Dictionary<FilterColumns["targets"][number]>()
  const numbers = new ByteWriter()
  for (const { columns } of entries) {
    numbers.varint(columns.targets.length)
    for (const target of columns.targets)
      numbers.varint(dictionary.number(JSON.stringify([target.type, target.id, target.name]), target))
  }
  const writer = new ByteWriter().varint(dictionary.values.length)
  for (const { type, id, name } of dictionary.values) {
    writeValue(writer, type)
    writeValue(writer, id)
    writeValue(writer, name)
  }
  return writer.bytes(numbers.written).written
}

/**
 * Writes the columns of a frame, whose first event has the sequence `first` or a later one and was recorded
 * at `since` or later; the events are in their order, at most `FRAME_EVENTS`.
 */
export const encodeColumns = (
  { first, since }: { readonly first: number; readonly since: Micros },
  entries: ReadonlyArray<ColumnsEntry>
): Uint8Array => {
  const writer = new ByteWriter().bytes(Uint8Array.of(VERSION)).varint(entries.length)
  let [sequence, createdAt] = [first, since]
  for (const entry of entries) {
    writer.varint(entry.sequence - sequence).varint(zigzag(entry.createdAt - createdAt))
    ;[sequence, createdAt] = [entry.sequence, entry.createdAt]
  }
  for (const section of [...FIELDS.map((field) => fieldSection(entries, field)), targetSection(entries)])
    writer.varint(section.length).bytes(section)
  const occurrences = occurrenceSection(entries)
  writer.varint(occurrences.length).bytes(occurrences)
  return writer.written
}

/** The columns of a frame, read as far as they are asked for. */
export interface FrameColumns {
  readonly sequences: ReadonlyArray<number>
  readonly times: ReadonlyArray<Micros>
  readonly fields: Readonly<Record<Field, Uint8Array>>
  readonly targets: Uint8Array
  /** When the events occurred. */
  readonly occurrences: ReadonlyArray<Micros>
}

/** Reads the columns of a frame. Throws `DamagedFrame` for bytes that are none. */
export const decodeColumns = (
  { first, since }: { readonly first: number; readonly since: Micros },
  bytes: Uint8Array
): FrameColumns => {
  const reader = new ByteReader(bytes)
  const [version] = reader.take(1)
  if (version !== VERSION) throw new DamagedFrame(`version ${version}`)
  const count = reader.count()
  if (count > FRAME_EVENTS) throw new DamagedFrame(`${count} events`)
  const sequences: Array<number> = []
  const times: Array<Micros> = []
  let [sequence, createdAt] = [first, since]
  for (let index = 0; index < count; index++) {
    sequence += reader.varint()
    createdAt += unzigzag(reader.varint())
    sequences.push(sequence)
    times.push(createdAt)
  }
  const section = () => reader.take(reader.varint())
  const fields = eachField(section)
  const targets = section()
  const occurrences = readOccurrences(section(), times)
  if (reader.left > 0) throw new DamagedFrame(`${reader.left} bytes too many`)
  return { sequences, times, fields, targets, occurrences }
}

/** The bytes of a value that has some; undefined for none. */
const readValue = (reader: ByteReader): Uint8Array | undefined => {
  const length = reader.varint()
  return length === 0 ? undefined : reader.take(length - 1)
}

/** The different values of a field, undefined for none, and which of them each event has. */
export const fieldValues = (columns: FrameColumns, field: Field) => {
  const reader = new ByteReader(columns.fields[field])
  const values = Array.from({ length: reader.count() }, () => readValue(reader))
  return { values, numbers: reader.take(columns.sequences.length) }
}

/** The different targets of their section; what each event has follows. */
export const differentTargets = (reader: ByteReader) =>
  Array.from({ length: reader.count() }, () => ({
    type: readValue(reader) ?? NO_BYTES,
    id: readValue(reader),
    name: readValue(reader)
  }))

const NO_BYTES = new Uint8Array()

/** Tells of the bytes of a value whether it is wanted. */
export type IsWanted = (bytes: Uint8Array | undefined) => boolean

const startsWith = (bytes: Uint8Array, wanted: Uint8Array): boolean => {
  for (let at = 0; at < wanted.length; at++) if (bytes[at] !== wanted[at]) return false
  return true
}

const equalTo = (value: string): IsWanted => {
  const wanted = encoder.encode(value)
  return (bytes) => bytes?.length === wanted.length && startsWith(bytes, wanted)
}

/** Values that are one of these. Several are looked up together, however alike they are. */
export const oneOf = (values: ReadonlyArray<string>): IsWanted => {
  const [first] = values
  if (first !== undefined && values.length === 1) return equalTo(first)
  const wanted = new Set(values.map((value) => bytewise.decode(encoder.encode(value))))
  return (bytes) => bytes !== undefined && wanted.has(bytewise.decode(bytes))
}

/** Values that begin like this. */
export const beginningWith = (prefix: string): IsWanted => {
  const wanted = encoder.encode(prefix)
  return (bytes) => bytes !== undefined && bytes.length >= wanted.length && startsWith(bytes, wanted)
}

/** Values that end like this. */
export const endingWith = (suffix: string): IsWanted => {
  const wanted = encoder.encode(suffix)
  return (bytes) =>
    bytes !== undefined &&
    bytes.length >= wanted.length &&
    startsWith(bytes.subarray(bytes.length - wanted.length), wanted)
}

/** Values that any of these tests wants. */
export const anyOf = (tests: ReadonlyArray<IsWanted>): IsWanted => {
  const [first] = tests
  return first !== undefined && tests.length === 1 ? first : (bytes) => tests.some((test) => test(bytes))
}

/** What a frame's events must have. */
export type ColumnCondition =
  | { readonly field: Field; readonly isWanted: IsWanted }
  /** One target that has both. */
  | { readonly field: "targets"; readonly isType: IsWanted; readonly isId: IsWanted }

/** Clears what a condition on one of {@link FIELDS} does not select; returns how many are left. */
const keepField = (state: Uint8Array, section: Uint8Array, isWanted: IsWanted): number => {
  const reader = new ByteReader(section)
  const wanted = Uint8Array.from({ length: reader.count() }, () => (isWanted(readValue(reader)) ? 1 : 0))
  const numbers = reader.take(state.length)
  let left = 0
  for (let event = 0; event < state.length; event++) {
    if (state[event] === 0) continue
    if (wanted[numbers[event] ?? 0] === 1) left++
    else state[event] = 0
  }
  return left
}

const keepTargets = (state: Uint8Array, section: Uint8Array, isType: IsWanted, isId: IsWanted): number => {
  const reader = new ByteReader(section)
  const wanted = Uint8Array.from({ length: reader.count() }, () => {
    const [type, id] = [readValue(reader), readValue(reader), readValue(reader)]
    return isType(type) && isId(id) ? 1 : 0
  })
  let left = 0
  for (let event = 0; event < state.length; event++) {
    let has = 0
    for (let more = reader.varint(); more > 0; more--) has |= wanted[reader.varint()] ?? 0
    if (has === 0) state[event] = 0
    else if (state[event] === 1) left++
  }
  return left
}

/**
 * Which events of a frame meet all conditions, by their place, the oldest first. Costs a pass over the
 * different values of each field that is asked for, and over a byte for each event.
 */
export const selectInFrame = (
  { sequences, fields, targets }: FrameColumns,
  conditions: ReadonlyArray<ColumnCondition>
): ReadonlyArray<number> => {
  const kept = new Uint8Array(sequences.length).fill(1)
  for (const condition of conditions) {
    const left =
      condition.field === "targets"
        ? keepTargets(kept, targets, condition.isType, condition.isId)
        : keepField(kept, fields[condition.field], condition.isWanted)
    if (left === 0) return []
  }
  return [...kept.keys()].filter((event) => kept[event] === 1)
}

const textOf = (bytes: Uint8Array | undefined): string | null =>
  bytes === undefined ? null : decoder.decode(bytes)

/** All values of a frame, as they were written. */
export const columnsEntries = ({
  sequences,
  times,
  fields,
  targets,
  occurrences
}: FrameColumns): ReadonlyArray<ColumnsEntry> => {
  const valuesOf = (section: Uint8Array): ReadonlyArray<string | null> => {
    const reader = new ByteReader(section)
    const values = Array.from({ length: reader.count() }, () => textOf(readValue(reader)))
    return Array.from(reader.take(sequences.length), (number) => values[number] ?? null)
  }
  const values = eachField((field) => valuesOf(fields[field]))
  const reader = new ByteReader(targets)
  const different = Array.from({ length: reader.count() }, () => ({
    type: textOf(readValue(reader)) ?? "",
    id: textOf(readValue(reader)),
    name: textOf(readValue(reader))
  }))
  return sequences.map((sequence, event) => ({
    sequence,
    createdAt: times[event] ?? 0,
    occurredAt: occurrences[event] ?? 0,
    columns: {
      ...eachField((field) => values[field][event] ?? null),
      action: values.action[event] ?? "",
      actorId: values.actorId[event] ?? "",
      targets: Array.from(
        { length: reader.varint() },
        () => different[reader.varint()] ?? { type: "", id: null, name: null }
      )
    }
  }))
}
