/** The files of a backup on their way to the store and back. */
import { createHash, type Hash } from "node:crypto"
import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { ExportStore } from "@cairn/core/export"
import { Effect, Schedule, Schema, Stream } from "effect"
import { type BackedUpFile, BackupBroken } from "./StoredBackups.ts"

/** Bytes that are read from a disk at once. */
const CHUNK = 1024 * 1024
/** Bytes that are asked of the store at once: what a slow one sends within a request's time. */
const PART = 8 * 1024 * 1024
/** How often a part is asked for again, and after which rest. */
const AGAIN = { times: 3, schedule: Schedule.exponential("500 millis") }

/** The disk did not take or give a file of a backup. */
export class BackupFileFailed extends Schema.TaggedError<BackupFileFailed>()("BackupFileFailed", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the file ${this.path} could not be read or written`
  }
}

const failed = (path: string) => (cause: unknown) => new BackupFileFailed({ path, cause })

/** Writes a file to the store; returns what its bytes are. */
export const uploadFile = (path: string, name: string) =>
  Effect.gen(function* () {
    const { write } = yield* ExportStore
    const hash = createHash("sha256")
    const content = Stream.fromAsyncIterable(
      createReadStream(path, { highWaterMark: CHUNK }),
      failed(path)
    ).pipe(
      Stream.map((chunk: Uint8Array) => {
        hash.update(chunk)
        return chunk
      })
    )
    const bytes = yield* write(name, "application/vnd.sqlite3", content)
    return { bytes, sha256: hash.digest("hex") }
  })

/** One part of a file, no longer than was asked for. */
const readPart = Effect.fnUntraced(function* (name: string, start: number, end: number) {
  const { read } = yield* ExportStore
  return yield* Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    return read(name, { start, end }).pipe(
      Stream.takeWhile((chunk) => {
        size += chunk.length
        return size <= end - start
      }),
      Stream.runForEach((chunk) =>
        Effect.sync(() => {
          chunks.push(chunk)
        })
      ),
      Effect.map(() => ({ chunks, size }))
    )
  }).pipe(Effect.retry({ ...AGAIN, while: ({ _tag }) => _tag === "ExportStoreUnavailable" }))
})

/** Reads a file of the store in parts; fails unless its bytes are those that were written. */
const readParts = <E>(
  backup: string,
  name: string,
  { bytes, sha256 }: BackedUpFile,
  use: (chunk: Uint8Array) => Effect.Effect<unknown, E>
) =>
  Effect.gen(function* () {
    const hash: Hash = createHash("sha256")
    const broken = (finding: string) => new BackupBroken({ name: backup, finding: `${name} ${finding}` })
    for (let start = 0; start < bytes; start += PART) {
      const end = Math.min(start + PART, bytes)
      const { chunks, size } = yield* readPart(name, start, end).pipe(
        Effect.catchTag("ExportFileMissing", () => Effect.fail(broken("is not in the store")))
      )
      if (size !== end - start) return yield* broken(`does not have ${bytes} bytes`)
      for (const chunk of chunks) {
        hash.update(chunk)
        yield* use(chunk)
      }
    }
    if (hash.digest("hex") !== sha256) return yield* broken("is not what was written")
  })

/** Fetches a file of the store to a new file; fails unless its bytes are those that were written. */
export const fetchFile = (backup: string, name: string, expected: BackedUpFile, path: string) =>
  Effect.gen(function* () {
    const handle = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => open(path, "wx", 0o600), catch: failed(path) }),
      (file) => Effect.promise(() => file.close())
    )
    const write = (chunk: Uint8Array) =>
      Effect.tryPromise({ try: () => handle.appendFile(chunk), catch: failed(path) })
    yield* readParts(backup, name, expected, write)
  }).pipe(Effect.scoped)

/** Reads a file of the store, and fails unless its bytes are those that were written. */
export const rereadFile = (backup: string, name: string, expected: BackedUpFile) =>
  readParts(backup, name, expected, () => Effect.void)
