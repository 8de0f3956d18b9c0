/** Frames as bytes: compressed with Zstandard (RFC 8878), which Node has. */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import {
  type ColumnsEntry,
  decodeColumns,
  decodeOrder,
  decodeTexts,
  encodeColumns,
  encodeOrder,
  encodeTexts,
  type FrameColumns,
  type FrameTexts,
  type IndexOf,
  type OccurrenceOrder,
  type TextEntry
} from "@cairn/core/log"
import type { StoredColumns, StoredPostings, StoredTexts } from "./FrameStore.ts"

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

const compress = (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes, { params })
const decompress = (blob: Uint8Array): Uint8Array => zstdDecompressSync(blob, opening)

/** The texts of a frame, whose first event has the sequence `first` or a later one: a quarter as a rule. */
export const compressTexts = (first: number, entries: ReadonlyArray<TextEntry>): Uint8Array =>
  compress(encodeTexts(first, entries))

/** The columns of a frame: half as a rule. */
export const compressColumns = (
  start: Parameters<typeof encodeColumns>[0],
  entries: ReadonlyArray<ColumnsEntry>
): Uint8Array => compress(encodeColumns(start, entries))

/**
 * Runs what depends on nothing but stored bytes: undefined if they are damaged, whatever is wrong with them.
 */
const unlessDamaged = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Stored texts; undefined if they are damaged. */
export const openTexts = ({ first, texts }: StoredTexts): FrameTexts | undefined =>
  unlessDamaged(() => decodeTexts(first, decompress(texts)))

/** Stored columns; undefined if they are damaged, or gone as their group is complete. */
export const openColumns = ({ first, since, columns }: StoredColumns): FrameColumns | undefined =>
  columns === null ? undefined : unlessDamaged(() => decodeColumns({ first, since }, decompress(columns)))

/** The order of a group. */
export const compressOrder = (order: OccurrenceOrder): Uint8Array => compress(encodeOrder(order))

/** A stored order; undefined if it is damaged. */
export const openOrder = (blob: Uint8Array): OccurrenceOrder | undefined =>
  unlessDamaged(() => decodeOrder(decompress(blob)))

/** Postings of a group: half as a rule. */
export const compressPostings = (postings: Uint8Array): Uint8Array => compress(postings)

/** What is read from stored postings; undefined if they are damaged. */
export const readPostings = <A>(blob: Uint8Array, read: (postings: Uint8Array) => A): A | undefined =>
  unlessDamaged(() => read(decompress(blob)))

/** What is read from several stored postings together; undefined if one of them is damaged. */
export const readAllPostings = <A>(
  stored: ReadonlyArray<Pick<StoredPostings, "number" | "blob">>,
  read: (postings: ReadonlyArray<Pick<StoredPostings, "number" | "blob">>) => A
): A | undefined =>
  unlessDamaged(() => read(stored.map(({ number, blob }) => ({ number, blob: decompress(blob) }))))

/** Where bytes occur in others: the search of Node's `Buffer`, which is native. */
export const indexOfBytes: IndexOf = (bytes, wanted, from) =>
  Buffer.prototype.indexOf.call(bytes as Buffer, wanted, from)
