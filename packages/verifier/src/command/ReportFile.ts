/** Where `--report` writes. */
import { Effect, FileSystem, Option, Path, type PlatformError, Schema } from "effect"

/** The report cannot be written there; the message is for the user. */
export class CannotWriteReport extends Schema.TaggedError<CannotWriteReport>()("CannotWriteReport", {
  message: Schema.String
}) {}

/** Refuses a place that is taken: a report that somebody signed, or the bundle itself, is not overwritten. */
export const checkReportPlace = Effect.fnUntraced(function* (place: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const refuse = (reason: string) => new CannotWriteReport({ message: `--report ${place}: ${reason}` })
  if (/(?:^|[\\/])$/.test(place)) return yield* refuse("it names no file")
  const isThere = yield* Effect.orElseSucceed(files.exists(place), () => false)
  if (isThere) return yield* refuse("it is there already, and is not overwritten")
  const folder = yield* Effect.option(files.stat(path.dirname(path.resolve(place))))
  if (Option.isNone(folder) || folder.value.type !== "Directory") {
    return yield* refuse("there is no such folder")
  }
})

/**
 * Writes the report: whole, or not at all under its name, whatever ends this. Until it is whole it lies
 * beside, under another name.
 */
export const writeReport = Effect.fnUntraced(function* (place: string, html: string) {
  const files = yield* FileSystem.FileSystem
  const refuse = ({ reason }: PlatformError.PlatformError) => {
    // What the system says of it: the disk is full, or the folder is not the user's.
    const said = reason.cause instanceof Error ? reason.cause.message : reason.message
    return new CannotWriteReport({ message: `--report ${place}: ${said}` })
  }
  const unfinished = `${place}.${crypto.randomUUID()}.unfinished`
  const written = Effect.gen(function* () {
    yield* files.writeFileString(unfinished, html, { flag: "wx" })
    // A link takes no name that is taken meanwhile. Where a disk has none, as many sticks do, it is renamed.
    yield* Effect.catch(files.link(unfinished, place), (error) =>
      Effect.flatMap(files.exists(place), (isTaken) =>
        isTaken ? Effect.fail(error) : files.rename(unfinished, place)
      )
    )
  })
  yield* written.pipe(
    Effect.ensuring(Effect.ignore(files.remove(unfinished, { force: true }))),
    Effect.mapError(refuse)
  )
})
