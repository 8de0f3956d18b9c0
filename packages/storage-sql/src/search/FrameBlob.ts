/** Frames as bytes: compressed with Zstandard (RFC 8878), which Node has. */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import {
  decodeFrame,
  encodeFrame,
  type FrameEntry,
  frameEntries,
  type IndexOf,
  type SearchFrame
} from "@cairn/core/log"
import type { StoredFrame } from "./FrameStore.ts"

/**
 * The fastest of the levels: the next ones cost twice as much and save a twentieth. With a checksum, as a
 * third of all bits that flip would only change the text.
 */
const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 }

/**
 * At most more bytes than any frame has, as a damaged one may claim any number; in pieces of what most frames
 * have, so that nothing is copied together.
 */
const opening = { maxOutputLength: 64 * 1024 * 1024, chunkSize: 64 * 1024 }

/** The blob of a frame, whose first event has the sequence `first` or a later one: a quarter as a rule. */
export const compressFrame = (first: number, entries: ReadonlyArray<FrameEntry>): Uint8Array =>
  zstdCompressSync(encodeFrame(first, entries), { params })

/** A stored frame; undefined if its blob is damaged. */
export const openFrame = ({ first, blob }: StoredFrame): SearchFrame | undefined => {
  try {
    return decodeFrame(first, zstdDecompressSync(blob, opening))
  } catch {
    // Whatever is wrong with the bytes: they are all that it depends on.
    return undefined
  }
}

/** The entries of a stored frame; undefined if its blob is damaged. */
export const readFrame = (stored: StoredFrame): ReadonlyArray<FrameEntry> | undefined => {
  const frame = openFrame(stored)
  return frame === undefined ? undefined : frameEntries(frame)
}

/** Where bytes occur in others: the search of Node's `Buffer`, which is native. */
export const indexOfBytes: IndexOf = (bytes, wanted, from) =>
  Buffer.prototype.indexOf.call(bytes as Buffer, wanted, from)
