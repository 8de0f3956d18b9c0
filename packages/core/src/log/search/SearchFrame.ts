/**
 * A frame of the search index: the folded texts of some consecutive events in one blob, and the signature
 * that tells without reading it that a term is not there.
 *
 * The frame is exact: an event is found in it if and only if `matches` of the core finds it. It holds the
 * text of an event as long as its content is stored and no longer: a removal writes it anew, with its
 * signature.
 *
 * Layout, before it is compressed: a byte for the version; then unsigned varints (LEB128): the number of
 * events, and for each the difference of its sequence from the one before (of the first, from the frame's
 * own) and the bytes of its text; then the texts, each field of one followed by {@link FIELD_END}.
 */
import { type EventContent, searchTexts } from "../../event/index.ts"
import { BUCKETS, FIELD_END, firstBucket, GRAM_BYTES, type SearchTerm, secondBucket } from "./SearchTerm.ts"

/** Most events of a frame. */
export const FRAME_EVENTS = 256
/** Bytes of a signature: one bit for each bucket. */
export const SIGNATURE_BYTES = BUCKETS / 8

const VERSION = 1

/** The text of one event in a frame. */
export interface FrameEntry {
  readonly sequence: number
  readonly text: Uint8Array
}

/** A frame that was read. */
export interface SearchFrame {
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

/** The text of an event as a frame holds it. */
export const frameText = (content: EventContent): Uint8Array => {
  const fields = searchTexts(content).map((field) => encoder.encode(field))
  const text = new Uint8Array(fields.reduce((sum, { length }) => sum + length + 1, 0))
  let at = 0
  for (const field of fields) {
    text.set(field, at)
    at += field.length
    text[at++] = FIELD_END
  }
  return text
}

const pushVarint = (bytes: Array<number>, value: number): void => {
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
}

/**
 * Writes a frame, whose first event has the sequence `first` or a later one; the events are in their order.
 */
export const encodeFrame = (first: number, entries: ReadonlyArray<FrameEntry>): Uint8Array => {
  const head: Array<number> = [VERSION]
  pushVarint(head, entries.length)
  let before = first
  let size = 0
  for (const { sequence, text } of entries) {
    pushVarint(head, sequence - before)
    pushVarint(head, text.length)
    before = sequence
    size += text.length
  }
  const bytes = new Uint8Array(head.length + size)
  bytes.set(head)
  let at = head.length
  for (const { text } of entries) {
    bytes.set(text, at)
    at += text.length
  }
  return bytes
}

/** The blob is no frame. */
export class DamagedFrame extends Error {
  override readonly name = "DamagedFrame"
}

/** Reads a frame. Throws {@link DamagedFrame} for bytes that are none. */
export const decodeFrame = (first: number, bytes: Uint8Array): SearchFrame => {
  let at = 1
  const varint = (): number => {
    let value = 0
    for (let unit = 1; ; unit *= 0x80) {
      const byte = bytes[at++]
      if (byte === undefined || unit > Number.MAX_SAFE_INTEGER) throw new DamagedFrame("cut short")
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return value
    }
  }
  if (bytes[0] !== VERSION) throw new DamagedFrame(`version ${bytes[0]}`)
  const count = varint()
  if (count > bytes.length) throw new DamagedFrame(`${count} events`)
  const sequences: Array<number> = []
  const ends: Array<number> = []
  let sequence = first
  let end = 0
  for (let index = 0; index < count; index++) {
    sequence += varint()
    end += varint()
    sequences.push(sequence)
    ends.push(end)
  }
  const texts = bytes.subarray(at)
  if (texts.length !== end) throw new DamagedFrame(`${texts.length} bytes of text, not ${end}`)
  return { sequences, ends, texts }
}

/** The entries of a frame. */
export const frameEntries = ({ sequences, ends, texts }: SearchFrame): ReadonlyArray<FrameEntry> =>
  sequences.map((sequence, index) => ({
    sequence,
    text: texts.subarray(ends[index - 1] ?? 0, ends[index])
  }))

/** The signature of texts: the two bits of each gram within a field. Costs one pass over them. */
export const signatureOf = (entries: ReadonlyArray<FrameEntry>): Uint8Array => {
  const signature = new Uint8Array(SIGNATURE_BYTES)
  const set = (bucket: number): void => {
    signature[bucket >>> 3] = (signature[bucket >>> 3] ?? 0) | (1 << (bucket & 7))
  }
  for (const { text } of entries) {
    let gram = 0
    let length = 0
    for (const byte of text) {
      if (byte === FIELD_END) {
        length = 0
        continue
      }
      gram = (gram << 8) | byte
      if (++length < GRAM_BYTES) continue
      set(firstBucket(gram))
      set(secondBucket(gram))
    }
  }
  return signature
}

/** Whether a frame with this signature may hold the term. */
export const mayHold = (signature: Uint8Array, { buckets }: Pick<SearchTerm, "buckets">): boolean =>
  buckets.every((bucket) => ((signature[bucket >>> 3] ?? 0) & (1 << (bucket & 7))) !== 0)

/** The sequences of a frame whose texts contain a term, oldest first. Costs one pass over the texts. */
export const findInFrame = (
  { sequences, ends, texts }: SearchFrame,
  { bytes }: Pick<SearchTerm, "bytes">,
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
