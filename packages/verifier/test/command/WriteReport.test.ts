/** The file of a report when its writing ends early, or its disk can do little. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, FileSystem, type Path, PlatformError } from "effect"
import { writeReport } from "../../src/command/ReportFile.ts"

const html = "<!doctype html>".repeat(1_000)

const inFolder = <A, E>(
  use: (
    folder: string,
    files: FileSystem.FileSystem
  ) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path>
) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    return yield* use(yield* files.makeTempDirectoryScoped(), files)
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const cannot = (method: string) =>
  PlatformError.systemError({ _tag: "PermissionDenied", module: "FileSystem", method, description: method })

describe("the file of a report", () => {
  it.live("has its name only once it is whole, and leaves nothing when it is interrupted", () =>
    inFolder((folder, files) =>
      Effect.gen(function* () {
        const half: FileSystem.FileSystem = {
          ...files,
          writeFileString: (path, text, options) =>
            Effect.andThen(files.writeFileString(path, text.slice(0, 100), options), Effect.never)
        }
        const writing = yield* writeReport(`${folder}/report.html`, html).pipe(
          Effect.provideService(FileSystem.FileSystem, half),
          Effect.forkChild
        )
        let there: ReadonlyArray<string> = []
        while (there.length === 0) there = yield* Effect.delay(files.readDirectory(folder), "10 millis")
        assert.lengthOf(there, 1)
        assert.match(there[0] ?? "", /^report-.+\.unfinished$/)
        yield* Fiber.interrupt(writing)
        assert.deepStrictEqual(yield* files.readDirectory(folder), [])
      })
    )
  )

  it.live("is renamed where the disk has no links, and takes no name that has come to be", () =>
    inFolder((folder, files) =>
      Effect.gen(function* () {
        const linkless: FileSystem.FileSystem = { ...files, link: () => Effect.fail(cannot("link")) }
        const place = `${folder}/report.html`
        const write = (on: FileSystem.FileSystem) =>
          writeReport(place, html).pipe(Effect.provideService(FileSystem.FileSystem, on))
        yield* write(linkless)
        assert.strictEqual(yield* files.readFileString(place), html)
        for (const on of [files, linkless]) {
          yield* files.writeFileString(place, "signed")
          yield* Effect.flip(write(on))
          assert.strictEqual(yield* files.readFileString(place), "signed")
          assert.deepStrictEqual(yield* files.readDirectory(folder), ["report.html"])
        }
      })
    )
  )
})
