/** Port: where the files of exports are stored. */
import { Context, type Effect, type Option, Schema, type Stream } from "effect"

/** The store cannot do it now. */
export class ExportStoreUnavailable extends Schema.TaggedError<ExportStoreUnavailable>()(
  "ExportStoreUnavailable",
  {
    /** The operation that failed, for the operator's log. */
    operation: Schema.String,
    cause: Schema.Defect()
  }
) {}

/** There is no file with this name. */
export class ExportFileMissing extends Schema.TaggedError<ExportFileMissing>()("ExportFileMissing", {
  name: Schema.String
}) {}

/** How a file is served at its address. */
interface ExportDownload {
  /** The name that it is saved as. */
  readonly filename: string
  readonly contentType: string
  /** How long the address is valid. */
  readonly seconds: number
}

/** Some of a file's bytes, at least one. */
export interface FileRange {
  /** The first byte, from 0. */
  readonly start: number
  /** The byte after the last one. */
  readonly end: number
}

/**
 * Contract:
 *
 * - A name consists of parts of letters, digits, `_`, `-` and `.`, separated by `/`; no part begins with a
 *   dot. Nobody writes a name that is already being written. Writing a file again replaces it atomically,
 *   even if its new contents are read from the old file.
 * - When `write` returns, the whole file is durable under its name. Until then there is no file with that
 *   name, and a failure or an interruption leaves nothing to read. Memory use is constant, however large the
 *   file. Returns the number of bytes.
 * - `read` with a range within the file gives these bytes, without reading those before.
 * - `remove` also removes what a crash left while writing that name, and succeeds for a name that was never
 *   written.
 * - `list` returns the complete files whose names begin with a folder and `/`, in any order; none if there is
 *   no such folder.
 * - `address` is a URL where anybody can fetch the file for a while without a key; none if the store has no
 *   URLs, and then `read` is used.
 */
export interface ExportStoreShape {
  readonly write: <E, R>(
    name: string,
    contentType: string,
    content: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<number, E | ExportStoreUnavailable, R>
  readonly read: (
    name: string,
    range?: FileRange
  ) => Stream.Stream<Uint8Array, ExportFileMissing | ExportStoreUnavailable>
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
