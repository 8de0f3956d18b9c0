/** A page in the order of occurrence, the newest first. */
import { Effect } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { EventFilter } from "../event/EventFilter.ts"
import * as Cursor from "./Cursor.ts"
import { type EventLogShape, FIRST_LEGACY_SEQUENCE, type SequenceRange } from "./EventLog.ts"
import type { Occurrence } from "./Occurrence.ts"
import { ENOUGH_TO_LIST, mayGoOn } from "./ReadingBound.ts"

/** The events within the retention window, which goes by when they were recorded. */
export const visibleRange = Effect.fnUntraced(function* (
  log: Pick<EventLogShape, "sequenceAt">,
  workspaceId: string,
  visibleFrom: Micros | null
) {
  const all: SequenceRange = { from: FIRST_LEGACY_SEQUENCE, to: Number.MAX_SAFE_INTEGER }
  if (visibleFrom === null) return all
  // Events that are appended meanwhile are within it.
  const from = yield* log.sequenceAt(workspaceId, visibleFrom)
  return from === null ? { from: all.to, to: all.to } : { ...all, from }
})

/** What is read of a page. */
interface OccurrencePageRequest {
  readonly workspaceId: string
  readonly filter: EventFilter
  readonly visibleFrom: Micros | null
  readonly beyond?: Occurrence | null
  readonly limit: number
}

/**
 * The rows of a page, and the cursor of the next one; null if there is none. If events are large, or were
 * removed meanwhile, a page may have fewer than requested.
 */
export const pageByOccurrence = Effect.fnUntraced(function* (
  log: Pick<EventLogShape, "sequenceAt" | "occurrences" | "entriesOf">,
  { workspaceId, filter, visibleFrom, beyond = null, limit }: OccurrencePageRequest
) {
  const range = yield* visibleRange(log, workspaceId, visibleFrom)
  const places = yield* log.occurrences(workspaceId, {
    filter,
    range,
    first: "newest",
    beyond,
    limit: limit + 1
  })
  const wanted = places.slice(0, limit)
  const rows = yield* log.entriesOf(
    workspaceId,
    wanted.map(({ sequence }) => sequence)
  )
  const isCut = rows.length < wanted.length && mayGoOn(rows, wanted.length, ENOUGH_TO_LIST)
  const last = isCut ? wanted.find(({ sequence }) => sequence === rows.at(-1)?.sequence) : wanted.at(-1)
  const next = last === undefined || last === places.at(-1) ? null : Cursor.encodeOccurrence(last)
  return { rows, next }
})
