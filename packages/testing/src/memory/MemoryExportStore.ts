/** `ExportStore` in memory. */
import { ExportFileMissing, ExportStore } from "@cairn/core/export"
import { Effect, Layer, Option, Stream } from "effect"

const PART = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/

/** The port, over the files given, by name. */
export const layerOver = (files: Map<string, Uint8Array>) =>
  Layer.sync(ExportStore, () =>
    ExportStore.of({
      write: (name, _, content) =>
        Effect.suspend(() => {
          if (!name.split("/").every((part) => PART.test(part)))
            throw new Error(`${name} is no name of a file`)
          return Effect.map(Stream.runCollect(content), (pieces) => {
            const file = Buffer.concat(pieces)
            files.set(name, file)
            return file.length
          })
        }),
      read: (name, range) => {
        const file = files.get(name)
        return file === undefined
          ? Stream.fail(new ExportFileMissing({ name }))
          : Stream.make(file.subarray(range?.start, range?.end))
      },
      list: (folder) =>
        Effect.sync(() => Array.from(files.keys()).filter((name) => name.startsWith(`${folder}/`))),
      address: () => Effect.succeed(Option.none()),
      remove: (name) =>
        Effect.sync(() => {
          files.delete(name)
        })
    })
  )

/** The port. */
export const layer = Layer.unwrap(Effect.sync(() => layerOver(new Map())))
