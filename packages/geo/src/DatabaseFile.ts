/** One `.mmdb` file, read into memory, so that whatever happens to the file later cannot hurt the process. */
import { readFileSync, statSync } from "node:fs"
import { Effect, Schema } from "effect"
import { Reader, type Response } from "maxmind"

/** The file is missing, or is no MaxMind database. */
export class UnreadableDatabase extends Schema.TaggedError<UnreadableDatabase>()("UnreadableDatabase", {
  file: Schema.String,
  cause: Schema.Defect()
}) {}

/** A database that was read. */
export interface DatabaseFile {
  readonly file: string
  /** Changes whenever the file was replaced or rewritten. */
  readonly stamp: string
  readonly bytes: number
  /** The record of an address; undefined when there is none, or when the data it points at is damaged. */
  readonly get: (address: string) => unknown
  readonly families: ReadonlyArray<4 | 6>
}

/** Tells one state of a file from another; undefined while it is missing. */
export const stampOf = (file: string): string | undefined => {
  try {
    const { ino, size, mtimeMs } = statSync(file)
    return `${ino}:${size}:${mtimeMs}`
  } catch {
    return undefined
  }
}

const open = (file: string): DatabaseFile => {
  const stamp = stampOf(file) ?? ""
  const data = readFileSync(file)
  const reader = new Reader<Response>(data)
  return {
    file,
    stamp,
    bytes: data.length,
    // An IPv6 tree holds the IPv4 addresses as well, unless it was made without them.
    families: reader.metadata.ipVersion === 4 ? [4] : [4, 6],
    get: (address) => {
      try {
        return reader.get(address)
      } catch {
        return undefined
      }
    }
  }
}

/** Reads a database. Costs its size in memory. */
export const readDatabase = (file: string): Effect.Effect<DatabaseFile, UnreadableDatabase> =>
  Effect.try({ try: () => open(file), catch: (cause) => new UnreadableDatabase({ file, cause }) })
