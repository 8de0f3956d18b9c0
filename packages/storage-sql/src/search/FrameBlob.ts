/** Compression of frames: Zstandard (RFC 8878), which Node has. */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import type { IndexOf } from "@cairn/core/log"

/** The fastest of the levels: the next ones cost twice as much and save a twentieth. */
const LEVEL = 1

/** Compresses a frame, to a quarter as a rule. */
export const compressFrame = (bytes: Uint8Array): Uint8Array =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })

/** The frame of a blob. Throws for bytes that are none. */
export const decompressFrame = (blob: Uint8Array): Uint8Array => zstdDecompressSync(blob)

/** Where bytes occur in others: the search of Node's `Buffer`, which is native. */
export const indexOfBytes: IndexOf = (bytes, wanted, from) =>
  Buffer.prototype.indexOf.call(bytes as Buffer, wanted, from)
