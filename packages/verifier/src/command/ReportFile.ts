/** Where `--report` writes. */
import { Effect, FileSystem, Option, Path, type PlatformError, Result, Schema } from "effect"

/** The report cannot be written there; the message is for the user. */
export class CannotWriteReport extends Schema.TaggedError<CannotWriteReport>()("CannotWriteReport", {
  message: Schema.String
}) {}

const cannot = (place: string, reason: string) =>
  new CannotWriteReport({ message: `--report ${place}: ${reason}` })

/** What the system says: the disk is full, or the folder is not the user's. */
const refused = (place: string) => (error: PlatformError.PlatformError) =>
  cannot(place, error.reason.cause instanceof Error ? error.reason.cause.message : error.reason.message)

/** Whether something has this name: also a link that leads nowhere. */
const isTaken = Effect.fnUntraced(function* (place: string) {
  const files = yield* FileSystem.FileSystem
  const isThere = yield* Effect.orElseSucceed(files.exists(place), () => false)
  return isThere || (yield* Effect.isSuccess(files.readLink(place)))
})

/** Writes a file beside the place, which is removed once it was used, whatever ends this. */
const besides = Effect.fnUntraced(function* <E, R>(
  place: string,
  text: string,
  use: (unfinished: string) => Effect.Effect<void, E, R>
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // Short, whatever the report's own name: that may be as long as the disk has names.
  const unfinished = path.join(path.dirname(place), `report-${crypto.randomUUID()}.unfinished`)
  yield* files
    .writeFileString(unfinished, text, { flag: "wx" })
    .pipe(
      Effect.andThen(use(unfinished)),
      Effect.ensuring(Effect.ignore(files.remove(unfinished, { force: true })))
    )
})

/**
 * Rejects a path that exists, so that neither a signed report nor the bundle itself is overwritten, and a
 * path where nothing can be written. It runs before the check, which may take long.
 */
export const checkReportPlace = Effect.fnUntraced(function* (place: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (/(?:^|[\\/])$/.test(place)) return yield* cannot(place, "it names no file")
  if (yield* isTaken(place)) return yield* cannot(place, "it is there already, and is not overwritten")
  const folder = yield* Effect.option(files.stat(path.dirname(path.resolve(place))))
  if (Option.isNone(folder) || folder.value.type !== "Directory") {
    return yield* cannot(place, "there is no such folder")
  }
  const looked = yield* Effect.result(files.stat(place))
  if (Result.isFailure(looked) && looked.failure.reason._tag !== "NotFound") {
    return yield* refused(place)(looked.failure)
  }
  // Only a file tells: a disk may be read-only, and rights are not all of what a system asks for.
  yield* besides(place, "", () => Effect.void).pipe(Effect.mapError(refused(place)))
})

/**
 * Writes the report: whole, or not at all under its name, whatever ends this. Until it is whole it lies
 * beside, under another name.
 */
export const writeReport = Effect.fnUntraced(function* (place: string, html: string) {
  const files = yield* FileSystem.FileSystem
  // A link takes no name that is taken meanwhile. Where a disk has none, as many sticks do, it is renamed.
  const named = (unfinished: string) =>
    Effect.catch(files.link(unfinished, place), (error) =>
      Effect.flatMap(isTaken(place), (taken) =>
        taken ? Effect.fail(error) : files.rename(unfinished, place)
      )
    )
  yield* besides(place, html, named).pipe(Effect.mapError(refused(place)))
})
