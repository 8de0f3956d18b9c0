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

/** Writes the report. What could not be written whole, as on a full disk, is removed again. */
export const writeReport = Effect.fnUntraced(function* (place: string, html: string) {
  const files = yield* FileSystem.FileSystem
  const refuse = ({ reason }: PlatformError.PlatformError) => {
    // What the system says of it: the disk is full, or the folder is not the user's.
    const said = reason.cause instanceof Error ? reason.cause.message : reason.message
    return new CannotWriteReport({ message: `--report ${place}: ${said}` })
  }
  // `wx` fails if the file has come to be meanwhile, which is then not removed.
  yield* Effect.mapError(files.writeFileString(place, "", { flag: "wx" }), refuse)
  yield* files.writeFileString(place, html).pipe(
    Effect.tapError(() => Effect.ignore(files.remove(place))),
    Effect.mapError(refuse)
  )
})
