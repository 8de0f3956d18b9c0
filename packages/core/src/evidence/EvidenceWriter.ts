/**
 * Writing an evidence bundle: the contents of a log in, lines out, in chunks of events.
 *
 * This is the text of a bundle before gzip. {@link evidenceText} makes the whole stream; the functions for
 * single lines are for callers that arrange the lines themselves.
 */
import { Effect, Result, Schema, Stream } from "effect"
import { canonicalize } from "../encoding/CanonicalJson.ts"
import * as Micros from "../encoding/Micros.ts"
import type { LogEntry } from "../log/EventLog.ts"
import {
  EvidenceAnchor,
  EvidenceCheckpoint,
  EvidenceEnd,
  EvidenceHeader,
  EvidencePrefix,
  EvidenceRemoval
} from "./Evidence.ts"

/** The part of a stored event that its line contains. */
export type EvidenceSource = Pick<
  LogEntry,
  "sequence" | "id" | "createdAt" | "content" | "salt" | "contentHash" | "eventHash" | "previousEventHash"
>

const quoted = (text: string | null): string => (text === null ? "null" : `"${text}"`)

/**
 * The line of a chained event. Its content is written as it is stored, so a damaged content is written
 * damaged.
 */
export const eventLine = (event: EvidenceSource): string =>
  `{"content":${event.content},"content_hash":${quoted(event.contentHash)},` +
  `"created_at":"${Micros.format(event.createdAt)}","event_hash":${quoted(event.eventHash)},"id":"${event.id}",` +
  `"previous_event_hash":${quoted(event.previousEventHash)},"salt":${quoted(event.salt)},` +
  `"sequence":${event.sequence},"type":"event"}\n`

/** The line of an event from before the chain. */
export const legacyLine = (event: EvidenceSource): string =>
  `{"content":${event.content},"content_hash":${quoted(event.contentHash)},` +
  `"created_at":"${Micros.format(event.createdAt)}","id":"${event.id}","salt":${quoted(event.salt)},` +
  `"sequence":${event.sequence},"type":"legacy"}\n`

const lineOf = <A, I>(schema: Schema.Codec<A, I>) => {
  const encode = Schema.encodeSync(schema)
  return (value: A): string => `${Result.getOrThrow(canonicalize(encode(value)))}\n`
}

/** The line of any other type. A value that its schema does not allow is a defect. */
export const headerLine: (header: EvidenceHeader) => string = lineOf(EvidenceHeader)
/** See {@link headerLine}. */
export const prefixLine: (prefix: EvidencePrefix) => string = lineOf(EvidencePrefix)
/** See {@link headerLine}. */
export const anchorLine: (anchor: EvidenceAnchor) => string = lineOf(EvidenceAnchor)
/** See {@link headerLine}. */
export const checkpointLine: (checkpoint: EvidenceCheckpoint) => string = lineOf(EvidenceCheckpoint)
/** See {@link headerLine}. */
export const removalLine: (removal: EvidenceRemoval) => string = lineOf(EvidenceRemoval)
/** See {@link headerLine}. */
export const endLine: (end: EvidenceEnd) => string = lineOf(EvidenceEnd)

/** An anchor that is loaded when its line is written: with its transaction it may be large. */
export interface AnchorInPlace<E, R> {
  readonly lastSequence: number
  readonly line: Effect.Effect<EvidenceAnchor, E, R>
}

/** The parts of a bundle. `E` and `R` are the error and requirements of reading the log. */
interface EvidenceParts<E, R> {
  readonly header: EvidenceHeader
  /** Null if the range begins with the log or is empty. */
  readonly prefix: EvidencePrefix | null
  /** The whole history before the chain, oldest first, or nothing. */
  readonly legacy: Stream.Stream<ReadonlyArray<EvidenceSource>, E, R>
  /** The events of the range in ascending order, in chunks. */
  readonly events: Stream.Stream<ReadonlyArray<EvidenceSource>, E, R>
  /** Anchors in the order of their periods. */
  readonly anchors: ReadonlyArray<AnchorInPlace<E, R>>
  /**
   * Run after the last event has been read, so that it includes every record of a content that was removed in
   * the meantime; null for none.
   */
  readonly checkpoint: Effect.Effect<EvidenceCheckpoint, E, R> | null
  readonly removals: Stream.Stream<EvidenceRemoval, E, R>
}

/**
 * The text of a bundle, in pieces of one chunk each. Memory holds one chunk and one anchor.
 *
 * An anchor comes before the first event whose sequence is greater than its `last_sequence`.
 */
export const evidenceText = <E, R>(parts: EvidenceParts<E, R>): Stream.Stream<string, E, R> =>
  Stream.suspend(() => {
    const counts = { anchors: 0, events: 0, legacy: 0, removals: 0 }

    /** The anchors that come before the event with this sequence. */
    const anchorsBefore = Effect.fnUntraced(function* (sequence: number) {
      let text = ""
      for (;;) {
        const next = parts.anchors[counts.anchors]
        if (next === undefined || next.lastSequence >= sequence) return text
        text += anchorLine(yield* next.line)
        counts.anchors++
      }
    })

    const chunk = Effect.fnUntraced(function* (events: ReadonlyArray<EvidenceSource>) {
      let text = ""
      for (const event of events) {
        const next = parts.anchors[counts.anchors]
        if (next !== undefined && next.lastSequence < event.sequence) {
          text += yield* anchorsBefore(event.sequence)
        }
        text += eventLine(event)
      }
      counts.events += events.length
      return text
    })

    const begin = headerLine(parts.header) + (parts.prefix === null ? "" : prefixLine(parts.prefix))
    return Stream.make(begin).pipe(
      Stream.concat(
        Stream.map(parts.legacy, (events) => {
          counts.legacy += events.length
          return events.map(legacyLine).join("")
        })
      ),
      Stream.concat(Stream.mapEffect(parts.events, chunk)),
      Stream.concat(Stream.fromEffect(Effect.suspend(() => anchorsBefore(Number.POSITIVE_INFINITY)))),
      Stream.concat(
        parts.checkpoint === null
          ? Stream.empty
          : Stream.fromEffect(Effect.map(parts.checkpoint, checkpointLine))
      ),
      Stream.concat(
        Stream.map(parts.removals, (removal) => {
          counts.removals++
          return removalLine(removal)
        })
      ),
      Stream.concat(Stream.fromEffect(Effect.sync(() => endLine({ type: "end", ...counts }))))
    )
  })
