/**
 * When events occurred: as a section of the columns of a frame, and in the order of occurrence in a blob of a
 * group.
 *
 * A moment is written as its difference from another, doubled (ZigZag) and plus one, in an unsigned varint
 * (LEB128); one that is further away than {@link FURTHEST} as a zero and the eight bytes of its double, the
 * lowest first.
 *
 * The section has the moment of each event, from that at which it was recorded: most differences are small,
 * and many are none. The blob has, before it is compressed, a byte for the version; the number of events; and
 * for each, the oldest first, its moment, from the one before, and the difference of its sequence from the
 * one before (ZigZag), which mostly is one.
 */
import type { Micros } from "../../encoding/Micros.ts"
import type { Occurrence } from "../Occurrence.ts"
import { ByteReader, ByteWriter, DamagedFrame } from "./ByteReader.ts"

/** The furthest difference, some seventy years. */
const FURTHEST = 2 ** 51

const DOUBLE_BYTES = 8

const VERSION = 1

const zigzag = (difference: number): number => (difference < 0 ? -2 * difference - 1 : 2 * difference)
const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2)

const writeMoment = (writer: ByteWriter, moment: Micros, from: Micros): void => {
  const apart = moment - from
  if (Math.abs(apart) <= FURTHEST) {
    writer.varint(zigzag(apart) + 1)
    return
  }
  const view = new DataView(new ArrayBuffer(DOUBLE_BYTES))
  view.setFloat64(0, moment, true)
  writer.varint(0).bytes(new Uint8Array(view.buffer))
}

const readMoment = (reader: ByteReader, from: Micros): Micros => {
  const written = reader.varint()
  if (written > 0) return from + unzigzag(written - 1)
  const bytes = reader.take(DOUBLE_BYTES)
  return new DataView(bytes.buffer, bytes.byteOffset, DOUBLE_BYTES).getFloat64(0, true)
}

/** When an event was recorded, and when it occurred. */
interface Timed {
  readonly createdAt: Micros
  readonly occurredAt: Micros
}

/** Writes the section of a frame. */
export const occurrenceSection = (entries: ReadonlyArray<Timed>): Uint8Array => {
  const writer = new ByteWriter()
  for (const { createdAt, occurredAt } of entries) writeMoment(writer, occurredAt, createdAt)
  return writer.written
}

/** When the events of a frame occurred, given when they were recorded. Throws `DamagedFrame`. */
export const readOccurrences = (section: Uint8Array, times: ReadonlyArray<Micros>): ReadonlyArray<Micros> => {
  const reader = new ByteReader(section)
  const moments = times.map((createdAt) => readMoment(reader, createdAt))
  if (reader.left > 0) throw new DamagedFrame(`${reader.left} bytes of moments too many`)
  return moments
}

/** Events in the order of occurrence, the oldest first. */
export interface OccurrenceOrder {
  readonly moments: Float64Array
  readonly sequences: Float64Array
}

const inOrder = (one: Occurrence, other: Occurrence): number =>
  one.occurredAt - other.occurredAt || one.sequence - other.sequence

/** Puts events in their order. Those of most logs are, which costs one pass. */
export const occurrenceOrder = (events: ReadonlyArray<Occurrence>): OccurrenceOrder => {
  let isSorted = true
  for (let at = 1; at < events.length && isSorted; at++)
    isSorted = inOrder(events[at - 1] as Occurrence, events[at] as Occurrence) <= 0
  const sorted = isSorted ? events : events.toSorted(inOrder)
  const [moments, sequences] = [new Float64Array(sorted.length), new Float64Array(sorted.length)]
  sorted.forEach(({ occurredAt, sequence }, at) => {
    moments[at] = occurredAt
    sequences[at] = sequence
  })
  return { moments, sequences }
}

/** Writes the blob of a group. */
export const encodeOrder = ({ moments, sequences }: OccurrenceOrder): Uint8Array => {
  const writer = new ByteWriter().bytes(Uint8Array.of(VERSION)).varint(moments.length)
  let [moment, sequence] = [0, 0]
  for (let at = 0; at < moments.length; at++) {
    const [nextMoment = 0, nextSequence = 0] = [moments[at], sequences[at]]
    writeMoment(writer, nextMoment, moment)
    writer.varint(zigzag(nextSequence - sequence))
    ;[moment, sequence] = [nextMoment, nextSequence]
  }
  return writer.written
}

/** Reads the blob of a group. Throws `DamagedFrame` for bytes that are none. */
export const decodeOrder = (bytes: Uint8Array): OccurrenceOrder => {
  const reader = new ByteReader(bytes)
  const [version] = reader.take(1)
  if (version !== VERSION) throw new DamagedFrame(`version ${version}`)
  const count = reader.count()
  const [moments, sequences] = [new Float64Array(count), new Float64Array(count)]
  let [moment, sequence] = [0, 0]
  for (let at = 0; at < count; at++) {
    moment = readMoment(reader, moment)
    sequence += unzigzag(reader.varint())
    moments[at] = moment
    sequences[at] = sequence
  }
  if (reader.left > 0) throw new DamagedFrame(`${reader.left} bytes too many`)
  return { moments, sequences }
}

/** An order without some events. */
export const withoutSequences = (
  { moments, sequences }: OccurrenceOrder,
  removed: ReadonlySet<number>
): OccurrenceOrder => {
  const isLeft = (_: number, at: number): boolean => !removed.has(sequences[at] ?? 0)
  return { moments: moments.filter(isLeft), sequences: sequences.filter(isLeft) }
}
