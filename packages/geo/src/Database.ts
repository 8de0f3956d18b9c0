/** A MaxMind database (MaxMind DB File Format 2.0) that is in memory as a whole. */
import { Result, Schema } from "effect"
import { Reader, type Response } from "maxmind"

/** The bytes are no MaxMind database of format 2, or one that cannot be whole. */
class DamagedDatabase extends Schema.TaggedError<DamagedDatabase>()("DamagedDatabase", {
  cause: Schema.Defect()
}) {}

/** What the database holds for an address cannot be decoded. */
class DamagedRecord extends Schema.TaggedError<DamagedRecord>()("DamagedRecord", {
  address: Schema.String,
  cause: Schema.Defect()
}) {}

/** A database, whose records are as yet of any shape. */
export interface Database {
  readonly bytes: number
  /** When it was made. */
  readonly builtAt: Date
  /** The families that its tree can hold: an IPv6 tree holds IPv4 addresses as well. */
  readonly families: ReadonlyArray<4 | 6>
  /**
   * The record of a canonical address; null when there is none. Costs at most 128 steps and, the first time,
   * a decoding.
   */
  readonly get: (address: string) => Result.Result<unknown, DamagedRecord>
}

/** What the reader relies on and does not check itself. */
const isMetadata = Schema.is(
  Schema.Struct({
    binaryFormatMajorVersion: Schema.Literal(2),
    ipVersion: Schema.Literals([4, 6]),
    nodeCount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    searchTreeSize: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
  })
)

/** What stands before the metadata, which ends the file and is at most 128 KiB long. */
const METADATA_MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1")
const METADATA_MAX_BYTES = 128 * 1024

/** What stands between the search tree and the data. */
const SEPARATOR = Buffer.alloc(16)

/** Decoded values kept for each database; beyond it all are dropped. */
const CACHED_VALUES = 4096

/**
 * Besides saving most decoding, it has a value that many pointers name decoded once: without it, sixty maps
 * that each name the next one twice would keep the reader busy for ever.
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

const open = (data: Buffer): Database => {
  const metadataStart = data.lastIndexOf(METADATA_MARKER)
  // Looked for here because the reader, when there is none, goes through the whole file byte by byte.
  if (metadataStart === -1 || data.length - metadataStart > METADATA_MARKER.length + METADATA_MAX_BYTES) {
    throw new Error("It has no MaxMind metadata")
  }
  const reader = new Reader<Response>(data, { cache: makeCache() })
  const { metadata } = reader
  if (!isMetadata(metadata)) throw new Error("Its metadata is not that of format 2")
  const { searchTreeSize } = metadata
  if (!data.subarray(searchTreeSize, searchTreeSize + SEPARATOR.length).equals(SEPARATOR)) {
    throw new Error(`Its search tree does not have the ${metadata.nodeCount} nodes that its metadata states`)
  }
  return {
    bytes: data.length,
    builtAt: metadata.buildEpoch,
    families: metadata.ipVersion === 4 ? [4] : [4, 6],
    get: (address) =>
      Result.try({ try: () => reader.get(address), catch: (cause) => new DamagedRecord({ address, cause }) })
  }
}

/**
 * Opens a database, which keeps the bytes: they must not change any more. Costs no more for a large one than
 * for a small one.
 */
export const openDatabase = (data: Buffer): Result.Result<Database, DamagedDatabase> =>
  Result.try({ try: () => open(data), catch: (cause) => new DamagedDatabase({ cause }) })
