/**
 * Events that this process has just read. Other readers of the same log get them from memory, already parsed
 * and written in the formats that were requested. Only events that are sent are parsed. A walk through the
 * canonical text reads the fields that decide whether an event is sent, at half the cost.
 *
 * Alerts and streams are usually at the same position, the end of the log. Without this, each would read the
 * same rows, parse them, and write them in the same format.
 */
import { Context, Effect, Layer } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { contentSize, makePace, type Pace } from "../encoding/Pace.ts"
import { type ContentHead, contentHead } from "../event/ContentFields.ts"
import type { Event } from "../event/Event.ts"
import { parseContent, toEvent } from "../event/EventContent.ts"
import { EVENT_FORMATS, type EventFormatName } from "../event/formats/FormatTable.ts"
import type { LogEntry } from "../log/EventLog.ts"

/**
 * How long they are kept. It is short, so that an event that is erased in the meantime is not sent for long.
 */
const KEPT_FOR: Micros.Micros = Micros.SECOND
/** Most characters of contents that are kept, over all logs. */
const MOST_KEPT = 2_000_000
/** If nobody has requested a log for this long, nothing of it is kept. */
const FOLLOWED_FOR: Micros.Micros = 10 * Micros.SECOND

/** An event that has its content. */
export interface ReadEvent {
  readonly sequence: number
  readonly id: string
  readonly createdAt: Micros.Micros
  readonly content: ContentHead
  /** Characters of its content. */
  readonly size: number
  /** The event whole, parsed when it is first asked for; `undefined` if somebody damaged its content. */
  readonly whole: () => WholeEvent | undefined
}

/** An event as streams send it. */
export interface WholeEvent {
  /** As the interface returns it. */
  readonly event: Event
  /** In the format of a log stream, written once for all streams. */
  readonly text: (format: EventFormatName) => string
}

/** A range of a log, as it was read. */
interface Stretch {
  /** The sequence before the first row. */
  readonly after: number
  readonly entries: ReadonlyArray<LogEntry>
  /** Whether the log ended with it. */
  readonly atEnd: boolean
}

/** The same range, parsed. */
export interface Reading {
  /** Its events that still have content, oldest first. */
  readonly events: ReadonlyArray<ReadEvent>
  /** The sequence of the last row; if there are no rows, of the one before. */
  readonly readTo: number
  /** Whether the log ends there. */
  readonly atEnd: boolean
}

/** The service that shares events. */
export interface RecentEventsShape {
  /** The pace at which contents are read. Use it also for writing events again. */
  readonly pace: Pace
  /**
   * Takes a range that was just read, in turns of the event loop if it is large. Keeps it for a short time
   * if somebody has requested the log recently and it is not large.
   */
  readonly note: (workspaceId: string, stretch: Stretch) => Effect.Effect<Reading>
  /**
   * The range after a sequence, if it was read a moment ago; `undefined` if it must be read. A caller counts
   * as a reader of the log from now on.
   */
  readonly after: (workspaceId: string, sequence: number) => Effect.Effect<Reading | undefined>
}

interface Kept extends Reading {
  readonly workspaceId: string
  readonly after: number
  readonly at: Micros.Micros
  readonly size: number
}

const wholeEvent = (workspaceId: string, entry: LogEntry): WholeEvent | undefined => {
  const content = entry.content === null ? undefined : parseContent(entry.content)
  if (content === undefined) return undefined
  const { sequence, contentHash, salt } = entry
  const event = toEvent(content, entry)
  const texts = new Map<EventFormatName, string>()
  return {
    event,
    text: (format) => {
      const known = texts.get(format)
      if (known !== undefined) return known
      const text = EVENT_FORMATS[format].encode(event, { workspaceId, sequence, contentHash, salt })
      texts.set(format, text)
      return text
    }
  }
}

const readEvent = (workspaceId: string, entry: LogEntry): ReadonlyArray<ReadEvent> => {
  const content = entry.content === null ? undefined : contentHead(entry.content)
  if (content === undefined) return []
  const { sequence, id, createdAt } = entry
  let whole: { readonly event: WholeEvent | undefined } | undefined
  return [
    {
      sequence,
      id,
      createdAt,
      content,
      size: contentSize(entry),
      whole: () => {
        whole ??= { event: wholeEvent(workspaceId, entry) }
        return whole.event
      }
    }
  ]
}

const isFresh = (at: Micros.Micros, now: Micros.Micros, within: Micros.Micros): boolean =>
  at <= now && now - at < within

/** The events that were read last. */
export class RecentEvents extends Context.Service<RecentEvents, RecentEventsShape>()(
  "@cairn/core/RecentEvents"
) {
  static readonly layer = Layer.sync(RecentEvents, () => {
    /** Oldest first. */
    let kept: ReadonlyArray<Kept> = []
    const pace = makePace()
    /** When each log was last requested. */
    const asked = new Map<string, Micros.Micros>()

    const note = Effect.fnUntraced(function* (workspaceId: string, { after, entries, atEnd }: Stretch) {
      const events = yield* pace.map(entries, contentSize, (entry) => readEvent(workspaceId, entry))
      const now = yield* Micros.now
      const reading: Reading = {
        events: events.flat(),
        readTo: entries.at(-1)?.sequence ?? after,
        atEnd
      }
      const size = entries.reduce((sum, entry) => sum + contentSize(entry), 0)
      const isFollowed = isFresh(asked.get(workspaceId) ?? Number.NEGATIVE_INFINITY, now, FOLLOWED_FOR)
      const all =
        isFollowed && entries.length > 0 && size <= MOST_KEPT
          ? [...kept, { ...reading, workspaceId, after, at: now, size }]
          : kept
      const fresh = all.filter(({ at }) => isFresh(at, now, KEPT_FOR))
      let room = MOST_KEPT
      let first = fresh.length
      while (first > 0 && room >= (fresh[first - 1]?.size ?? 0)) room -= fresh[--first]?.size ?? 0
      kept = fresh.slice(first)
      return reading
    })

    const after = Effect.fnUntraced(function* (workspaceId: string, sequence: number) {
      const now = yield* Micros.now
      asked.set(workspaceId, now)
      const found = kept.findLast(
        (one) =>
          one.workspaceId === workspaceId &&
          one.after <= sequence &&
          sequence < one.readTo &&
          isFresh(one.at, now, KEPT_FOR)
      )
      if (found === undefined) return undefined
      const { readTo, atEnd } = found
      const events = found.events.filter((event) => event.sequence > sequence)
      return { events, readTo, atEnd } satisfies Reading
    })

    return RecentEvents.of({ pace, note, after })
  })
}
