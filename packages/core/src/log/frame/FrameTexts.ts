/**
 * The folded texts of a frame's events in one blob.
 *
 * It is exact: an event is found in it if and only if `matches` of the core finds it. It holds the text of an
 * event as long as its content is stored and no longer: a removal rewrites it.
 *
 * Layout, before it is compressed: a byte for the version; then unsigned varints (LEB128): the number of
 * events, and for each the difference of its sequence from the one before (of the first, from the frame's
 * own) and the bytes of its text; then the texts, each field of one followed by {@link FIELD_END}.
 */
import { ByteReader, ByteWriter, DamagedFrame } from "./ByteReader.ts"
import { FIELD_END } from "./SearchTerm.ts"

const VERSION = 1

/** The text of one event in a frame. */
export interface TextEntry {
  readonly sequence: number
  readonly text: Uint8Array
}

/** A frame that was read. */
export interface FrameTexts {
  readonly sequences: ReadonlyArray<number>
  /** Where the text of each event ends, in `texts`. */
  readonly ends: ReadonlyArray<number>
  readonly texts: Uint8Array
}

/**
 * Where bytes occur in others, from a place on; below zero if they do not. Node's `Buffer` has a fast one.
 */
export type IndexOf = (bytes: Uint8Array, wanted: Uint8Array, from: number) => number

const encoder = new TextEncoder()

/** The text of an event as a frame holds it, from its folded fields. */
export const textOfFields = (texts: ReadonlyArray<string>): Uint8Array => {
  const fields = texts.map((field) => encoder.encode(field))
  const whole = new Uint8Array(fields.reduce((sum, { length }) => sum + length + 1, 0))
  let at = 0
  for (const field of fields) {
    whole.set(field, at)
    at += field.length
    whole[at++] = FIELD_END
  }
  return whole
}

/** Writes texts, whose first event has the sequence `first` or a later one; the events are in their order. */
export const encodeTexts = (first: number, entries: ReadonlyArray<TextEntry>): Uint8Array => {
  const writer = new ByteWriter().bytes(Uint8Array.of(VERSION)).varint(entries.length)
  let before = first
  for (const { sequence, text } of entries) {
    writer.varint(sequence - before).varint(text.length)
    before = sequence
  }
  for (const { text } of entries) writer.bytes(text)
  return writer.written
}

/** Reads texts. Throws `DamagedFrame` for bytes that are none. */
export const decodeTexts = (first: number, bytes: Uint8Array): FrameTexts => {
  const reader = new ByteReader(bytes)
  const [version] = reader.take(1)
  if (version !== VERSION) throw new DamagedFrame(`version ${version}`)
  const count = reader.count()
  const sequences: Array<number> = []
  const ends: Array<number> = []
  let sequence = first
  let end = 0
  for (let index = 0; index < count; index++) {
    sequence += reader.varint()
    end += reader.varint()
    sequences.push(sequence)
    ends.push(end)
  }
  if (reader.left !== end) throw new DamagedFrame(`${reader.left} bytes of text, not ${end}`)
  return { sequences, ends, texts: reader.take(end) }
}

/** The entries of a frame. */
export const textEntries = ({ sequences, ends, texts }: FrameTexts): ReadonlyArray<TextEntry> =>
  sequences.map((sequence, index) => ({
    sequence,
    text: texts.subarray(ends[index - 1] ?? 0, ends[index])
  }))

/** The sequences of a frame whose texts contain another, oldest first. Costs one pass over the texts. */
export const findInTexts = (
  { sequences, ends, texts }: FrameTexts,
  bytes: Uint8Array,
  indexOf: IndexOf
): ReadonlyArray<number> => {
  const found: Array<number> = []
  let event = 0
  for (let at = indexOf(texts, bytes, 0); at >= 0; at = indexOf(texts, bytes, ends[event - 1] ?? 0)) {
    while ((ends[event] ?? Number.POSITIVE_INFINITY) <= at) event++
    const sequence = sequences[event]
    if (sequence === undefined) break
    found.push(sequence)
    event++
    if (event === sequences.length) break
  }
  return found
}
