/**
 * One `.mmdb` file, read into memory as a whole: whatever happens to the file later, truncation in place included, cannot
 * reach the process.
 */
import { readFile, stat } from "node:fs/promises"
import { Effect, Result, Schema } from "effect"
import { Reader, type Response } from "maxmind"

/**
 * Why a file could not be read: it is `missing`; it is `unreadable` (not permitted, no regular file, an I/O error); it was
 * `changing` while it was read; or its content is `damaged`. All but the last may pass without the file changing again.
 */
export class UnreadableDatabase extends Schema.TaggedError<UnreadableDatabase>()("UnreadableDatabase", {
  file: Schema.String,
  reason: Schema.Literals(["missing", "unreadable", "changing", "damaged"]),
  cause: Schema.Defect()
}) {}

/** The part of a database that an address leads to cannot be decoded. */
export class DamagedRecord extends Schema.TaggedError<DamagedRecord>()("DamagedRecord", {
  address: Schema.String,
  cause: Schema.Defect()
}) {}

/** A database that was read. */
export interface DatabaseFile {
  readonly bytes: number
  /** The families that its tree can hold: an IPv6 tree holds IPv4 addresses as well. */
  readonly families: ReadonlyArray<4 | 6>
  /** The record of a canonical address; null when there is none. Costs at most 128 steps and, the first time, a decoding. */
  readonly get: (address: string) => Result.Result<unknown, DamagedRecord>
}

/** What the reader relies on and does not check itself (MaxMind DB File Format 2.0, "Database Metadata"). */
const isMetadata = Schema.is(
  Schema.Struct({
    binaryFormatMajorVersion: Schema.Literal(2),
    ipVersion: Schema.Literals([4, 6]),
    nodeCount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    searchTreeSize: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
  })
)

/** What stands before the metadata, which is the last thing in the file and at most 128 KiB long. */
const METADATA_MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1")
const METADATA_MAX_BYTES = 128 * 1024

/** Zero bytes between the search tree and the data. */
const SEPARATOR_BYTES = 16

/** Decoded values kept for each file; beyond it all are dropped. */
const CACHED_VALUES = 4096

/**
 * Besides saving most decoding, it makes a value that many pointers name be decoded once: without it, thirty maps that each point
 * twice at the next would keep the reader busy for minutes.
 */
const makeCache = () => {
  const values = new Map<string | number, unknown>()
  return {
    get: (key: string | number) => values.get(key),
    set: (key: string | number, value: unknown) => {
      if (values.size >= CACHED_VALUES) values.clear()
      values.set(key, value)
    }
  }
}

/** Throws when the content is no MaxMind database, or one that cannot be whole. */
const parse = (data: Buffer): DatabaseFile => {
  const metadataStart = data.lastIndexOf(METADATA_MARKER)
  // Looked for here because the reader, when there is none, goes through the whole file byte by byte.
  if (metadataStart === -1 || data.length - metadataStart > METADATA_MARKER.length + METADATA_MAX_BYTES) {
    throw new Error("It has no metadata of a MaxMind database")
  }
  const reader = new Reader<Response>(data, { cache: makeCache() })
  const { metadata } = reader
  if (!isMetadata(metadata)) throw new Error("Its metadata is not that of format 2")
  if (metadata.searchTreeSize + SEPARATOR_BYTES > metadataStart) {
    throw new Error(`Its ${metadata.nodeCount} nodes do not fit in it`)
  }
  return {
    bytes: data.length,
    families: metadata.ipVersion === 4 ? [4] : [4, 6],
    get: (address) =>
      Result.try({ try: () => reader.get(address), catch: (cause) => new DamagedRecord({ address, cause }) })
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined

const failed = (file: string) => (cause: unknown) =>
  new UnreadableDatabase({
    file,
    reason: codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR" ? "missing" : "unreadable",
    cause
  })

/**
 * Tells one state of a file from another: another file under its name, another size, another time of writing, or other rights give
 * another text. Fails when the file is missing or no regular file (a pipe would never end).
 */
export const stampOf = Effect.fnUntraced(function* (file: string) {
  const found = yield* Effect.tryPromise({ try: () => stat(file, { bigint: true }), catch: failed(file) })
  if (!found.isFile()) {
    return yield* new UnreadableDatabase({
      file,
      reason: "unreadable",
      cause: new Error("It is no regular file")
    })
  }
  return `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`
})

/**
 * Reads a database that {@link stampOf} gave this stamp. Costs its size in memory. Fails as `changing` when the file is no longer
 * as the stamp says once it was read: it may be half old, half new.
 */
export const readDatabase = Effect.fnUntraced(function* (file: string, stamp: string) {
  const data = yield* Effect.tryPromise({ try: (signal) => readFile(file, { signal }), catch: failed(file) })
  if ((yield* stampOf(file)) !== stamp) {
    const cause = new Error("It changed while it was read")
    return yield* new UnreadableDatabase({ file, reason: "changing", cause })
  }
  return yield* Effect.try({
    try: () => parse(data),
    catch: (cause) => new UnreadableDatabase({ file, reason: "damaged", cause })
  })
})
