/**
 * Exact totals without counting twice: the log grows at one end and leaves the retention window at the other,
 * so a count over a range of sequences is kept, and moved on by counting what came and what went since.
 */
import { Context, Effect, Layer } from "effect"
import { BoundedMap } from "../encoding/BoundedMap.ts"
import type { Micros } from "../encoding/Micros.ts"
import { parseContent } from "../event/EventContent.ts"
import type { EventFilter } from "../event/EventFilter.ts"
import { EventLog } from "./EventLog.ts"
import { EVENT_ERASED, RETENTION_APPLIED, removalOf } from "./Removal.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Counts that are remembered. */
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

/** What counting works with. */
interface CountsContext {
  readonly log: EventLog["Service"]
  readonly known: BoundedMap<string, Known>
  /** A count that was under way when something was forgotten may be of what is gone. */
  readonly state: { forgotten: number }
}

/** The first sequence within the retention window, given the last one there is. */
const windowStart = Effect.fnUntraced(function* (
  { log }: CountsContext,
  workspaceId: string,
  visibleFrom: Micros | null,
  last: number
) {
  if (visibleFrom === null) return BEGINNING
  return (yield* log.sequenceAt(workspaceId, visibleFrom)) ?? last + 1
})

/**
 * Whether anything that a known count is of was removed since: what was erased, or what has left the window.
 */
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

/** A known count moved on to another range; `undefined` when it says nothing of that. */
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
  // Asked after the counting: what was counted once may have lost its content since, and count for nothing
  // now.
  return (yield* wasRemoved(context, workspaceId, before, range)) ? undefined : before.count + came - went
})

const total = Effect.fnUntraced(function* (
  context: CountsContext,
  workspaceId: string,
  filter: EventFilter,
  visibleFrom: Micros | null
) {
  const { state, log, known } = context
  const key = JSON.stringify([workspaceId, Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))])
  const generation = state.forgotten
  const { sequence: to } = yield* log.head(workspaceId)
  const from = yield* windowStart(context, workspaceId, visibleFrom, to)
  const count = (first: number, last: number) =>
    first > last ? Effect.succeed(0) : log.count(workspaceId, filter, { from: first, to: last })
  const before = known.get(key)
  const moved =
    before === undefined ? undefined : yield* move(context, workspaceId, before, { from, to }, count)
  const found = moved ?? (yield* count(from, to))
  // Until the chain begins, history may still be imported below it.
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
     * How many events recorded at or after `visibleFrom`, or ever, satisfy the filter. Costs a scan of the
     * matching index range once, then only of what came and what went.
     */
    readonly total: (
      workspaceId: string,
      filter: EventFilter,
      visibleFrom: Micros | null
    ) => Effect.Effect<number, StorageUnavailable>
    /** Drops what is known of a workspace: content was removed. */
    readonly forget: (workspaceId: string) => void
  }
>()("@cairn/core/EventCounts") {
  static readonly layer = Layer.effect(
    EventCounts,
    Effect.gen(function* () {
      const known = new BoundedMap<string, Known>(REMEMBERED)
      /** A count that was under way when something was forgotten may be of what is gone. */
      const state = { forgotten: 0 }
      const context: CountsContext = { log: yield* EventLog, known, state }
      return EventCounts.of({
        total: (workspaceId, filter, visibleFrom) => total(context, workspaceId, filter, visibleFrom),
        forget: (workspaceId) => forget(context, workspaceId)
      })
    })
  )
}
