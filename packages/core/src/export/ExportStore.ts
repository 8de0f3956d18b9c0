/** Port: where the files of exports lie. */
import { Context, type Effect, type Option, Schema, type Stream } from "effect"

/** The store cannot do it now. */
export class ExportStoreUnavailable extends Schema.TaggedError<ExportStoreUnavailable>()(
  "ExportStoreUnavailable",
  {
    /** What was being done, for the operator's log. */
    operation: Schema.String,
    cause: Schema.Defect()
  }
) {}

/** No file has this name. */
export class ExportFileMissing extends Schema.TaggedError<ExportFileMissing>()("ExportFileMissing", {
  name: Schema.String
}) {}

/** How a file is given to whoever follows its address. */
interface ExportDownload {
  /** What it is saved as. */
  readonly filename: string
  readonly contentType: string
  /** How long the address is good for. */
  readonly seconds: number
}

/**
 * Contract:
 *
 * - A name is parts of letters, digits, `_`, `-` and `.` with `/` between, none beginning with a dot. Nobody
 *   writes a name that somebody is writing; a file that is written again is replaced at once and whole, also
 *   by what is read from it.
 * - When `write` returns, the whole file is durable under its name; until then nothing is there by that name,
 *   and a failure or an interruption leaves nothing to be read. Memory stays flat, however large the file.
 *   Answers its bytes.
 * - `remove` also removes what a crash left of a write of that name, and finds nothing wrong with a name that
 *   was never written.
 * - `list` names the whole files whose names begin with a folder and `/`, in any order, and none when there
 *   is no such folder.
 * - `address` is where anyone may fetch the file for a while without a key; none when the store has no
 *   addresses of its own, and then `read` serves.
 */
export interface ExportStoreShape {
  readonly write: <E, R>(
    name: string,
    contentType: string,
    content: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<number, E | ExportStoreUnavailable, R>
  readonly read: (name: string) => Stream.Stream<Uint8Array, ExportFileMissing | ExportStoreUnavailable>
  readonly address: (
    name: string,
    download: ExportDownload
  ) => Effect.Effect<Option.Option<string>, ExportStoreUnavailable>
  readonly list: (folder: string) => Effect.Effect<ReadonlyArray<string>, ExportStoreUnavailable>
  readonly remove: (name: string) => Effect.Effect<void, ExportStoreUnavailable>
}

/** The store. */
export class ExportStore extends Context.Service<ExportStore, ExportStoreShape>()(
  "@cairn/core/ExportStore"
) {}
