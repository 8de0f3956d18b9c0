/**
 * Reading a log for several streams: what one of them has just read, the others that follow it find in memory.
 *
 * Streams of one log are mostly level with each other, at its end. Each would read the same rows, parse them, and write them in the same
 * format, by itself.
 */
import {
  type Event,
  EventLog,
  type LogStreamSettings,
  parseContent,
  type StorageUnavailable,
  type StreamRecord,
  streamRecord,
  toEvent
} from "@cairn/core"
import { Cache, Effect, Exit } from "effect"

/** Most rows read at once. */
const READ = 500
/** Readings that are kept for others, and for how long: streams that are level ask within that. */
const KEPT = 4
const KEPT_FOR = "1 second"
/** A reading with more than this, in UTF-16 code units of contents, is not kept, so that memory stays small. */
const MOST_KEPT = 2_000_000

/** An event that has its content. */
export interface ReadEvent {
  readonly event: Event
  /** As a stream with these settings sends it: written once for all streams of its format. */
  readonly record: (settings: LogStreamSettings) => StreamRecord
}

/** A stretch of a log. */
export interface Reading {
  /** Its events that have their content, oldest first. */
  readonly events: ReadonlyArray<ReadEvent>
  /** Rows that were looked at. */
  readonly rows: number
  /** The sequence of the last row; of none, where the reading began. */
  readonly readTo: number
  /** Whether the log ends there. */
  readonly atEnd: boolean
}

/** Reads on after a sequence of a workspace's log. */
export type ReadOn = (workspaceId: string, after: number) => Effect.Effect<Reading, StorageUnavailable>

interface Place {
  readonly workspaceId: string
  readonly after: number
}

/** Rows up to the next multiple: readers that began anywhere meet there. */
const rowsFrom = (after: number): number => READ - (((after % READ) + READ) % READ)

const readEvent = (workspaceId: string, sequence: number, event: Event): ReadEvent => {
  const records = new Map<string, StreamRecord>()
  return {
    event,
    record: (settings) => {
      const known = records.get(settings.format)
      if (known !== undefined) return known
      const record = streamRecord(settings, workspaceId, sequence, event)
      records.set(settings.format, record)
      return record
    }
  }
}

/** Makes the one way to read for all streams of a process. */
export const makeSharedReading = Effect.gen(function* () {
  const log = yield* EventLog

  const read = Effect.fnUntraced(function* ({ workspaceId, after }: Place) {
    const limit = rowsFrom(after)
    const entries = yield* log.entries(workspaceId, after + 1, limit)
    const events = entries.flatMap((entry) => {
      const content = entry.content === null ? undefined : parseContent(entry.content)
      return content === undefined ? [] : [readEvent(workspaceId, entry.sequence, toEvent(content, entry))]
    })
    const reading: Reading = {
      events,
      rows: entries.length,
      readTo: entries.at(-1)?.sequence ?? after,
      atEnd: entries.length < limit
    }
    const length = entries.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)
    return { reading, mayBeKept: !reading.atEnd && length <= MOST_KEPT }
  })

  const cache = yield* Cache.makeWith(read, {
    capacity: KEPT,
    timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value.mayBeKept ? KEPT_FOR : 0)
  })

  const readOn: ReadOn = (workspaceId, after) =>
    Effect.map(Cache.get(cache, { workspaceId, after }), ({ reading }) => reading)
  return readOn
})
