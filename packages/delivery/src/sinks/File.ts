/**
 * `file`: lines appended to a file below the folder that whoever runs the server set aside for it. What `fsync` has returned from
 * is acknowledged.
 *
 * The file is opened anew for each batch, so it can be rotated by renaming it.
 */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { InvalidInput, type StreamCheckpoint, type StreamRecord } from "@cairn/core"
import { Effect, Result, Schema } from "effect"
import { sinkFailed, sinkKind } from "./Sink.ts"

const isPath = (text: string): boolean =>
  text.length <= 255 && text.split("/").every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part))

const Config = Schema.Struct({
  type: Schema.Literal("file"),
  /** Below the workspace's own folder. */
  path: Schema.String.check(
    Schema.makeFilter((text: string) =>
      isPath(text) ? undefined : "must be a relative path of letters, digits and _ - . without hidden parts"
    )
  )
}).annotate({ identifier: "FileDestination" })

const NOT_ALLOWED = "file is not allowed on this server"

const LINE_BREAK = 10

/** Whether the file ends in the middle of a line, as a crash or a full disk leaves it. */
const endsMidLine = async (file: FileHandle): Promise<boolean> => {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] !== LINE_BREAK
}

const append = async (path: string, lines: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Not through a link: what lies elsewhere is not ours to write.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
  await using file = await open(path, flags, 0o600)
  await file.appendFile((await endsMidLine(file)) ? `\n${lines}` : lines)
  await file.sync()
}

export const file = sinkKind({
  type: "file",
  config: Config,
  secrets: [],
  batch: { events: 1_000, size: 8_000_000, seconds: 1 },
  check: (_, { folder }) =>
    folder === null
      ? Result.fail(new InvalidInput({ path: "destination.type", reason: NOT_ALLOWED }))
      : Result.void,
  open: ({ path }, { folder, workspaceId }) => {
    const write = Effect.fn("FileSink.write")((records: ReadonlyArray<Pick<StreamRecord, "text">>) => {
      if (folder === null) return Effect.fail(sinkFailed(NOT_ALLOWED))
      const lines = records.map(({ text }) => `${text}\n`).join("")
      return Effect.tryPromise({
        try: () => append(join(folder, workspaceId, path), lines),
        // The path below the server's own folder is nobody's business.
        catch: (cause) => sinkFailed(`the file cannot be written: ${codeOf(cause)}`)
      })
    })
    // Once begun it goes on to its end: the next batch must not be written into the middle of it.
    return Effect.succeed({
      send: (records) => Effect.uninterruptible(write(records)),
      sendCheckpoint: (checkpoint: StreamCheckpoint) => Effect.uninterruptible(write([checkpoint]))
    })
  }
})

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown cause"
