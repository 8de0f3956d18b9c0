/**
 * One `.mmdb` file, read into memory as a whole: whatever happens to the file later, truncation in place
 * included, cannot reach the process.
 */
import { readFile, stat } from "node:fs/promises"
import { Effect, Schema } from "effect"
import { openDatabase } from "./Database.ts"

/**
 * Why a file could not be read: it is `missing`; it is `unreadable` (not permitted, no regular file, an I/O
 * error); it was `changing` while it was read; or its content is `damaged`. All but the last may pass without
 * the file changing again.
 */
export class UnreadableDatabase extends Schema.TaggedError<UnreadableDatabase>()("UnreadableDatabase", {
  file: Schema.String,
  reason: Schema.Literals(["missing", "unreadable", "changing", "damaged"]),
  cause: Schema.Defect()
}) {}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined

const failed = (file: string) => (cause: unknown) =>
  new UnreadableDatabase({
    file,
    reason: codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR" ? "missing" : "unreadable",
    cause
  })

/**
 * Tells one state of a file from another: another file under its name, another size, another time of writing,
 * or other rights give another text. Fails when the file is missing or no regular file (a pipe would never
 * end).
 */
export const stampOf = Effect.fnUntraced(function* (file: string) {
  const found = yield* Effect.tryPromise({ try: () => stat(file, { bigint: true }), catch: failed(file) })
  if (!found.isFile()) {
    const cause = new Error("It is not a regular file")
    return yield* new UnreadableDatabase({ file, reason: "unreadable", cause })
  }
  return `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`
})

/**
 * Reads a database that {@link stampOf} gave this stamp. Costs its size in memory. Fails as `changing` when
 * the file is no longer as the stamp says once it was read: it may be half old, half new.
 */
export const readDatabase = Effect.fnUntraced(function* (file: string, stamp: string) {
  const data = yield* Effect.tryPromise({ try: (signal) => readFile(file, { signal }), catch: failed(file) })
  if ((yield* stampOf(file)) !== stamp) {
    const cause = new Error("It changed while it was read")
    return yield* new UnreadableDatabase({ file, reason: "changing", cause })
  }
  return yield* Effect.mapError(
    Effect.fromResult(openDatabase(data)),
    ({ cause }) => new UnreadableDatabase({ file, reason: "damaged", cause })
  )
})
