/**
 * An export that is sent as it is made: the bytes that its file would have, as text in small pieces, read as
 * fast as they are taken.
 */
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { EventFilter } from "../event/EventFilter.ts"
import { EventTime } from "../event/EventTime.ts"
import { EventLog } from "../log/EventLog.ts"
import { Replicas } from "../log/Replicas.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { filteredContent } from "./ExportedEvents.ts"
import { LINE_FORMATS } from "./ExportFile.ts"

/** The formats of single events, which are made as they are sent. */
export const SENT_FORMATS = ["csv", "ndjson"] as const

/** What such an export's bytes are. */
export const sentContentType = (format: (typeof SENT_FORMATS)[number]): string =>
  LINE_FORMATS[format].contentType

/** What to send. */
export const SentExportRequest = Schema.Struct({
  workspaceId: Schema.String,
  format: Schema.Literals(SENT_FORMATS),
  /** Null for no event. */
  filter: Schema.NullOr(EventFilter),
  /** The time that orders the events. */
  time: EventTime,
  /** Where the retention window begins; null if nothing expires. */
  visibleFrom: Schema.NullOr(Schema.Number)
})
export type SentExportRequest = typeof SentExportRequest.Type

/** Bytes of a piece, at most: what waits for a slow reader. */
const PIECE = 128 * 1024

const slices = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, index) =>
    bytes.subarray(index * PIECE, (index + 1) * PIECE)
  )

/** The use case *send an export*. */
export class SentExports extends Context.Service<
  SentExports,
  {
    /**
     * The text of the file. Every read of the log is one of its own, so that a slow reader holds no snapshot.
     */
    readonly text: (request: SentExportRequest) => Stream.Stream<string, StorageUnavailable>
  }
>()("@cairn/core/SentExports") {
  static readonly layer = Layer.effect(
    SentExports,
    Effect.map(Effect.all([EventLog, Replicas]), ([log, replicas]) =>
      SentExports.of({
        text: ({ workspaceId, format, filter, time, visibleFrom }) => {
          const lineFormat = LINE_FORMATS[format]
          if (filter === null) return lineFormat.header === "" ? Stream.empty : Stream.make(lineFormat.header)
          return Stream.suspend(() => {
            const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
            const content = filteredContent(log, workspaceId, lineFormat, { filter, time }, visibleFrom)
            return replicas.streaming("now", content).pipe(
              Stream.flatMap(({ bytes }) => Stream.fromIterable(slices(bytes), { chunkSize: 1 })),
              Stream.map((slice) => decoder.decode(slice, { stream: true })),
              Stream.filter((text) => text !== "")
            )
          })
        }
      })
    )
  )
}
