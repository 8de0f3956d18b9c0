/**
 * Exact totals without counting everything again. The log grows at one end and leaves the retention window at
 * the other, so a count over a range of sequences is kept, and updated by counting only what was added and
 * what left.
 */
import { Context, Effect, Layer } from "effect"
import { BoundedMap } from "../encoding/BoundedMap.ts"
import type { Micros } from "../encoding/Micros.ts"
import { parseContent } from "../event/EventContent.ts"
import type { EventFilter } from "../event/EventFilter.ts"
import type { EventTime } from "../event/EventTime.ts"
import { EventLog } from "./EventLog.ts"
import { EVENT_ERASED, RETENTION_APPLIED, removalOf } from "./Removal.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** The most counts that are kept. */
const REMEMBERED = 10_000

/** How many events from one sequence to another satisfied a filter, both included. */
interface Known {
  readonly from: number
  readonly to: number
  readonly count: number
}

type Range = Pick<Known, "from" | "to">

/** Before the first event there can be. */
const BEGINNING = Number.MIN_SAFE_INTEGER

/** What counting needs. */
interface CountsContext {
  readonly log: EventLog["Service"]
  readonly known: BoundedMap<string, Known>
  /** Changes when kept counts are dropped: a count that was in progress then may include removed events. */
  readonly state: { forgotten: number }
}

/** The first sequence within the retention window, given the last sequence of the log. */
const windowStart = Effect.fnUntraced(function* (
  { log }: CountsContext,
  workspaceId: string,
  visibleFrom: Micros | null,
  last: number
) {
  if (visibleFrom === null) return BEGINNING
  return (yield* log.sequenceAt(workspaceId, visibleFrom)) ?? last + 1
})

/** Whether anything in a known count was removed since, by erasure or because it left the window. */
const wasRemoved = Effect.fnUntraced(function* (
  { log }: CountsContext,
  workspaceId: string,
  before: Known,
  { from, to }: Range
) {
  const newest = (action: string) => log.page(workspaceId, { filter: { action }, before: null, limit: 1 })
  if (to > before.to) {
    const [erased] = yield* newest(EVENT_ERASED)
    if (erased !== undefined && erased.sequence > before.to) return true
  }
  if (from === before.from) return false
  const [applied] = yield* newest(RETENTION_APPLIED)
  const content = applied?.content ? parseContent(applied.content) : undefined
  const removal = content === undefined ? undefined : removalOf(content)
  return removal?.type === "retention" && removal.belowSequence > before.from
})

/** A known count updated to another range; `undefined` if the ranges do not allow that. */
const move = Effect.fnUntraced(function* (
  context: CountsContext,
  workspaceId: string,
  before: Known,
  range: Range,
  count: (first: number, last: number) => Effect.Effect<number, StorageUnavailable>
) {
  const { from, to } = range
  if (from < before.from || from > before.to || to < before.to) return undefined
  const came = yield* count(before.to + 1, to)
  const went = before.from === from ? 0 : yield* count(before.from, from - 1)
  // This check follows the counting: an event that was counted may have lost its content since, and must not
  // count.
  return (yield* wasRemoved(context, workspaceId, before, range)) ? undefined : before.count + came - went
})

const total = Effect.fnUntraced(function* (
  context: CountsContext,
  workspaceId: string,
  filter: EventFilter,
  visibleFrom: Micros | null,
  time: EventTime
) {
  const { state, log, known } = context
  // Without times in the filter it is the same by both.
  const isOccurred = time === "occurred" && (filter.from !== undefined || filter.to !== undefined)
  const conditions = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))
  const key = JSON.stringify([workspaceId, conditions, ...(isOccurred ? [time] : [])])
  const generation = state.forgotten
  const { sequence: to } = yield* log.head(workspaceId)
  const from = yield* windowStart(context, workspaceId, visibleFrom, to)
  const count = (first: number, last: number) => {
    if (first > last) return Effect.succeed(0)
    const range = { from: first, to: last }
    if (!isOccurred) return log.count(workspaceId, filter, range)
    return Effect.map(
      log.occurrenceCounts(workspaceId, { filter, range, bucket: null }),
      (counts) => counts.get(0) ?? 0
    )
  }
  const before = known.get(key)
  const moved =
    before === undefined ? undefined : yield* move(context, workspaceId, before, { from, to }, count)
  const found = moved ?? (yield* count(from, to))
  // Before the chain begins, history may still be imported.
  if (to > 0 && generation === state.forgotten) known.set(key, { from, to, count: found })
  return found
})

const forget = ({ state, known }: CountsContext, workspaceId: string) => {
  state.forgotten++
  known.forget((key) => key.startsWith(`["${workspaceId}"`))
}

/** Totals over a log. */
export class EventCounts extends Context.Service<
  EventCounts,
  {
    /**
     * How many events satisfy the filter, of those recorded at or after `visibleFrom`, or of all. Costs one
     * scan of the matching index range the first time, then only of what was added and what left. The
     * filter's times compare with when events were recorded, unless another time is given.
     */
    readonly total: (
      workspaceId: string,
      filter: EventFilter,
      visibleFrom: Micros | null,
      time?: EventTime
    ) => Effect.Effect<number, StorageUnavailable>
    /** Drops the counts of a workspace, because content was removed. */
    readonly forget: (workspaceId: string) => void
  }
>()("@cairn/core/EventCounts") {
  static readonly layer = Layer.effect(
    EventCounts,
    Effect.gen(function* () {
      const known = new BoundedMap<string, Known>(REMEMBERED)
      /**
       * Changes when kept counts are dropped: a count that was in progress then may include removed events.
       */
      const state = { forgotten: 0 }
      const context: CountsContext = { log: yield* EventLog, known, state }
      return EventCounts.of({
        total: (workspaceId, filter, visibleFrom, time = "recorded") =>
          total(context, workspaceId, filter, visibleFrom, time),
        forget: (workspaceId) => forget(context, workspaceId)
      })
    })
  )
}
