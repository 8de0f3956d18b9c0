/**
 * An archive file, format 1: gzip of one line of JSON each. First a header, then the events of a range in
 * ascending order, each with its content, salt and header as in an evidence bundle, and last a line with the
 * number of events.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { DamagedGzip, gunzip, gzip } from "../encoding/Gzip.ts"
import * as StrictJson from "../encoding/StrictJson.ts"
import { eventLine, legacyLine } from "../evidence/EvidenceWriter.ts"
import type { LogEntry } from "../log/EventLog.ts"
import { FIRST_LEGACY_SEQUENCE } from "../log/EventLog.ts"

/** The `format` in the header. */
const ARCHIVE_FORMAT = "cairn-archive/1"

/** Content type of the file. */
export const ARCHIVE_TYPE = "application/gzip"

const DIGITS = 12

/**
 * The name of the file that begins with a sequence. Names of the same kind sort in the order of their events.
 */
export const archiveName = (workspaceId: string, first: number): string => {
  const [kind, number] = first < 1 ? ["legacy", first - FIRST_LEGACY_SEQUENCE] : ["events", first]
  return `${workspaceId}/${kind}-${String(number).padStart(DIGITS, "0")}.ndjson.gz`
}

const NAME = /\/(legacy|events)-(\d+)\.ndjson\.gz$/

/** The sequence that a file begins with; `undefined` for any other name. */
export const firstOfArchive = (name: string): number | undefined => {
  const [, kind, number] = NAME.exec(name) ?? []
  if (number === undefined) return undefined
  return kind === "legacy" ? Number(number) + FIRST_LEGACY_SEQUENCE : Number(number)
}

/** The file was changed or damaged. */
class ArchiveDamaged extends Schema.TaggedError<ArchiveDamaged>()("ArchiveDamaged", {
  name: Schema.String,
  detail: Schema.String
}) {}

const headerLine = (workspaceId: string): string =>
  `${JSON.stringify({ format: ARCHIVE_FORMAT, type: "header", workspace_id: workspaceId })}\n`

const endLine = (events: number): string => `${JSON.stringify({ events, type: "end" })}\n`

/** The line of an event. */
const lineOf = (event: LogEntry): string => (event.sequence < 1 ? legacyLine(event) : eventLine(event))

const packed = <E, R>(workspaceId: string, lines: Stream.Stream<ReadonlyArray<string>, E, R>) => {
  let events = 0
  const text = Stream.make(headerLine(workspaceId)).pipe(
    Stream.concat(
      Stream.map(lines, (chunk) => {
        events += chunk.length
        return chunk.join("")
      })
    ),
    Stream.concat(Stream.fromEffect(Effect.sync(() => endLine(events))))
  )
  return gzip(Stream.encodeText(text))
}

/** The bytes of a file over events in ascending order. */
export const packArchive = <E, R>(
  workspaceId: string,
  events: Stream.Stream<ReadonlyArray<LogEntry>, E, R>
): Stream.Stream<Uint8Array, E, R> =>
  packed(
    workspaceId,
    Stream.map(events, (chunk) => chunk.map(lineOf))
  )

/** The part of a line that is read. */
const Line = Schema.Struct({
  type: Schema.String,
  sequence: Schema.optionalKey(Schema.Number),
  content: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ action: Schema.String, actor: Schema.Struct({ id: Schema.String }) }))
  ),
  events: Schema.optionalKey(Schema.Number)
})
const readLine = Schema.decodeUnknownOption(Line)

/** An event of a file. */
export interface ArchivedEvent {
  readonly sequence: number
  /** Null once it was erased. */
  readonly content: { readonly action: string; readonly actor: { readonly id: string } } | null
  /** As it is in the file, without the line's end. */
  readonly line: string
}

/** The part of a line that is read; none if no archive has such a line. */
export const parseArchiveLine = (text: string): Option.Option<typeof Line.Type> => {
  const parsed = Option.liftThrowable(StrictJson.parseText)(text)
  return Option.flatMap(parsed, readLine)
}

/**
 * The events of a file, one after the other; memory holds one. Fails for a file that was cut off or cannot be
 * read.
 */
export const unpackArchive = <E, R>(name: string, bytes: Stream.Stream<Uint8Array, E, R>) => {
  const damaged = (detail: string) => new ArchiveDamaged({ name, detail })
  let events = 0
  let ended = false
  const read = Effect.fnUntraced(function* (text: string) {
    const line = Option.getOrUndefined(parseArchiveLine(text))
    if (line === undefined || ended) return yield* damaged("a line is not what an archive has")
    if (line.type === "end") {
      ended = true
      return line.events === events ? [] : yield* damaged("events are missing")
    }
    if (line.sequence === undefined) return []
    events++
    return [{ sequence: line.sequence, content: line.content ?? null, line: text }] satisfies [ArchivedEvent]
  })
  return gunzip(bytes).pipe(
    Stream.catchIf(
      (error): error is DamagedGzip => error instanceof DamagedGzip,
      ({ detail }) => Stream.fail(damaged(detail))
    ),
    Stream.decodeText(),
    Stream.splitLines,
    Stream.mapEffect(read),
    Stream.flatMap((found: ReadonlyArray<ArchivedEvent>) => Stream.fromIterable(found)),
    Stream.concat(
      Stream.fromEffect(
        Effect.suspend(() => (ended ? Effect.void : Effect.fail(damaged("it has no end"))))
      ).pipe(Stream.flatMap(() => Stream.empty))
    )
  )
}

/**
 * Matches what an erasure removes from a line. The content is the first member, and only hashes are before
 * the salt.
 */
export const withoutContent = ({ line }: Pick<ArchivedEvent, "line">): string => {
  const tail = line.slice(line.lastIndexOf(',"content_hash":'))
  return `{"content":null${tail.replace(/"salt":"[0-9a-f]*"/, '"salt":null')}`
}

/** The bytes of a file, written again without the contents of `erased` sequences. */
export const repackArchive = <E, R>(
  workspaceId: string,
  events: Stream.Stream<ArchivedEvent, E, R>,
  erased: (sequence: number) => boolean
): Stream.Stream<Uint8Array, E, R> =>
  packed(
    workspaceId,
    Stream.map(events, (event) => [`${erased(event.sequence) ? withoutContent(event) : event.line}\n`])
  )
