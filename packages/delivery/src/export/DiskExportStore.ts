/**
 * Export files in a folder. A file is written as `.part` beside its final path and renamed once it is on
 * disk, so that a crash leaves only a `.part`, which is never read.
 */
import { constants } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import { ExportFileMissing, ExportStore, ExportStoreUnavailable, type FileRange } from "@cairn/core/export"
import { Effect, Layer, Option, Stream } from "effect"
import { exportName } from "./ExportName.ts"

/** Bytes read at a time. */
const CHUNK = 64 * 1024

const WHOLE: FileRange = { start: 0, end: Number.POSITIVE_INFINITY }

const pathIn = (folder: string, name: string): string => join(folder, exportName(name))

const attempt = <A>(operation: string, task: () => Promise<A>) =>
  Effect.tryPromise({
    try: task,
    catch: (cause) => new ExportStoreUnavailable({ operation, cause })
  })

const syncFolder = async (folder: string): Promise<void> => {
  await using handle = await open(folder, constants.O_RDONLY)
  await handle.sync()
}

const isMissing = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ENOENT"

const close = (handle: FileHandle) => Effect.promise(() => handle.close())

/** Opens a new file for writing. */
const openNew = (path: string) =>
  Effect.acquireRelease(
    attempt("open a file", async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      // Not through a symbolic link, which could point outside the folder.
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
      return open(path, flags, 0o600)
    }),
    close
  )

/** Writes a new file and makes it durable; returns its size in bytes. */
const writeNew = Effect.fnUntraced(function* <E, R>(path: string, content: Stream.Stream<Uint8Array, E, R>) {
  const handle = yield* openNew(path)
  let size = 0
  yield* Stream.runForEach(content, (chunk) => {
    size += chunk.length
    return attempt("write a file", () => handle.appendFile(chunk))
  })
  yield* attempt("write a file to disk", () => handle.sync())
  return size
}, Effect.scoped)

/** Writes a file beside its place and moves it there; returns its size in bytes. */
const write = <E, R>(path: string, content: Stream.Stream<Uint8Array, E, R>) => {
  const part = `${path}.part`
  return Effect.gen(function* () {
    const size = yield* writeNew(part, content)
    yield* attempt("put a file in its place", async () => {
      await rename(part, path)
      await syncFolder(dirname(path))
    })
    return size
  }).pipe(Effect.onError(() => Effect.promise(() => rm(part, { force: true }).catch(() => undefined))))
}

const openToRead = (folder: string, name: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => open(pathIn(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW),
      catch: (cause) =>
        isMissing(cause)
          ? new ExportFileMissing({ name })
          : new ExportStoreUnavailable({ operation: "open a file", cause })
    }),
    close
  )

/** The bytes of an open file. */
const bytesOf = (handle: FileHandle, { start, end }: FileRange) =>
  Stream.paginate(start, (at) =>
    Effect.map(
      attempt("read a file", () => handle.read(new Uint8Array(CHUNK), 0, Math.min(CHUNK, end - at), at)),
      ({ buffer, bytesRead }) =>
        [
          bytesRead === 0 ? [] : [buffer.subarray(0, bytesRead)],
          bytesRead === 0 ? Option.none() : Option.some(at + bytesRead)
        ] as const
    )
  )

/** The names of the finished files within a folder of the store. */
const list = (folder: string, within: string) =>
  attempt("list files", async () => {
    const entries = await readdir(pathIn(folder, within), { recursive: true, withFileTypes: true }).catch(
      (cause: unknown) => (isMissing(cause) ? [] : Promise.reject(cause))
    )
    return entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".part"))
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join("/"))
  })

const remove = (folder: string, name: string) =>
  attempt("remove a file", async () => {
    const path = pathIn(folder, name)
    await rm(path, { force: true })
    await rm(`${path}.part`, { force: true })
  })

/** The store in `folder`, which is created if it is missing. */
export const layerDiskExportStore = (folder: string) =>
  Layer.succeed(ExportStore, {
    write: (name, _, content) => Effect.suspend(() => write(pathIn(folder, name), content)),
    read: (name, range = WHOLE) =>
      Stream.unwrap(Effect.map(openToRead(folder, name), (handle) => bytesOf(handle, range))),
    address: () => Effect.succeed(Option.none()),
    list: (within) => list(folder, within),
    remove: (name) => remove(folder, name)
  })
