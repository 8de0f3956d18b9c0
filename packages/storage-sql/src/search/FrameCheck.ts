/** Whether frames of the index have what the log has: they are made again, and compared to the byte. */
import {
  DamagedFrame,
  decodeFrame,
  type FrameEntry,
  frameEntries,
  GROUP_FRAMES,
  GROUP_PARTS,
  PART_BYTES,
  setFrame,
  signatureOf
} from "@cairn/core/log"
import { decompressFrame } from "./FrameBlob.ts"
import type { StoredFrame, StoredPart } from "./FrameStore.ts"
import { frameEntriesOf } from "./FrameTail.ts"

/** Events of all logs together whose words are compared: all of a small log, others are picked evenly. */
export const WORDS_CHECKED = 1_024

/** The frames of a log that are looked at, of so many: in steps of one length, at a random place of each. */
export function* pickedFrames(count: number, wanted: number): Generator<number> {
  const picks = Math.min(count, wanted)
  for (let at = 0; at < picks; at++) {
    yield picks === count ? at : Math.floor(((at + Math.random()) * count) / picks)
  }
}

/** Whether an error says that a blob is no frame. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof DamagedFrame ||
  (error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("ZSTD_"))

/** The entries of a stored frame; undefined if its blob is none. */
export const readFrame = ({ first, blob }: StoredFrame): ReadonlyArray<FrameEntry> | undefined => {
  try {
    return frameEntries(decodeFrame(first, decompressFrame(blob)))
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

/**
 * The sequences at which a frame has other texts than the log's contents in its range, or one of them lacks.
 */
export const differingEntries = (
  held: ReadonlyArray<FrameEntry>,
  rows: ReadonlyArray<{ readonly sequence: number; readonly content: string | null }>
): ReadonlyArray<number> => {
  const texts = new Map(held.map(({ sequence, text }) => [sequence, text]))
  const wanted = frameEntriesOf(rows)
  const own = new Set(wanted.map(({ sequence }) => sequence))
  return [
    ...wanted.flatMap(({ sequence, text }) => {
      const found = texts.get(sequence)
      return found !== undefined && same(found, text) ? [] : [sequence]
    }),
    ...[...texts.keys()].filter((sequence) => !own.has(sequence))
  ]
}

/**
 * Whether a frame's signature is that of its texts: its own, or, once it has none, that in its group's parts.
 */
export const isSigned = (
  number: number,
  entries: ReadonlyArray<FrameEntry>,
  signature: Uint8Array | null,
  parts: ReadonlyArray<StoredPart>
): boolean => {
  const wanted = signatureOf(entries)
  if (signature !== null) return same(signature, wanted)
  const cellsOf = new Map(parts.map(({ index, cells }) => [index, cells]))
  return Array.from({ length: GROUP_PARTS }, (_, index) => index).every((index) => {
    const before = cellsOf.get(index) ?? new Uint8Array(PART_BYTES)
    const after = before.slice()
    setFrame(after, index, number % GROUP_FRAMES, wanted)
    return same(before, after)
  })
}
