/**
 * Exports' files in a folder. A file is written beside its place and moved there once it is on disk, so that a crash leaves a `.part` that
 * nobody reads.
 */
import { constants } from "node:fs"
import { mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import { ExportFileMissing, ExportStore, ExportStoreUnavailable } from "@cairn/core"
import { Effect, Layer, Option, Stream } from "effect"

/** Bytes read at a time. */
const CHUNK = 64 * 1024

const PART = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/

/** Whether a name stays below the folder. */
export const isExportName = (name: string): boolean =>
  name.length <= 255 && name.split("/").every((part) => PART.test(part))

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

/** The store in `folder`, which is made when missing. */
export const layerDiskExportStore = (folder: string) =>
  Layer.sync(ExportStore, () => {
    const pathOf = (name: string): string => {
      if (!isExportName(name)) throw new Error(`${JSON.stringify(name)} is no name of a file`)
      return join(folder, name)
    }

    const write = <E, R>(name: string, _: string, content: Stream.Stream<Uint8Array, E, R>) =>
      Effect.suspend(() => {
        const path = pathOf(name)
        const part = `${path}.part`
        const file = Effect.acquireRelease(
          attempt("open a file", async () => {
            await mkdir(dirname(path), { recursive: true, mode: 0o700 })
            // Not through a link: what lies elsewhere is not ours to write.
            const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
            return open(part, flags, 0o600)
          }),
          (handle) => Effect.promise(() => handle.close())
        )
        return Effect.gen(function* () {
          const size = yield* Effect.scoped(
            Effect.gen(function* () {
              const handle = yield* file
              let bytes = 0
              yield* Stream.runForEach(content, (chunk) => {
                bytes += chunk.length
                return attempt("write a file", () => handle.appendFile(chunk))
              })
              yield* attempt("write a file to disk", () => handle.sync())
              return bytes
            })
          )
          yield* attempt("put a file in its place", async () => {
            await rename(part, path)
            await syncFolder(dirname(path))
          })
          return size
        }).pipe(Effect.onError(() => Effect.promise(() => rm(part, { force: true }).catch(() => undefined))))
      })

    const read = (name: string) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const handle = yield* Effect.acquireRelease(
            Effect.tryPromise({
              try: () => open(pathOf(name), constants.O_RDONLY | constants.O_NOFOLLOW),
              catch: (cause) =>
                isMissing(cause)
                  ? new ExportFileMissing({ name })
                  : new ExportStoreUnavailable({ operation: "open a file", cause })
            }),
            (opened) => Effect.promise(() => opened.close())
          )
          return Stream.paginate(0, (at) =>
            Effect.map(
              attempt("read a file", () => handle.read(new Uint8Array(CHUNK), 0, CHUNK, at)),
              ({ buffer, bytesRead }) =>
                [
                  bytesRead === 0 ? [] : [buffer.subarray(0, bytesRead)],
                  bytesRead === 0 ? Option.none() : Option.some(at + bytesRead)
                ] as const
            )
          )
        })
      )

    const list = (within: string) =>
      attempt("list files", async () => {
        const entries = await readdir(pathOf(within), { recursive: true, withFileTypes: true }).catch(
          (cause: unknown) => (isMissing(cause) ? [] : Promise.reject(cause))
        )
        return entries
          .filter((entry) => entry.isFile() && !entry.name.endsWith(".part"))
          .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join("/"))
      })

    const remove = (name: string) =>
      attempt("remove a file", async () => {
        const path = pathOf(name)
        await rm(path, { force: true })
        await rm(`${path}.part`, { force: true })
      })

    return ExportStore.of({ write, read, address: () => Effect.succeed(Option.none()), list, remove })
  })
