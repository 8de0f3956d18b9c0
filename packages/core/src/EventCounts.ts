/**
 * Exact totals without counting twice: the log only grows at its end, so a count over a range of sequences is kept and moved
 * on by counting what came since.
 */
import { Context, Effect, Layer } from "effect"
import type { EventFilter } from "./EventFilter.ts"
import { EventLog } from "./EventLog.ts"
import type { StorageUnavailable } from "./Storage.ts"

/** Counts that are remembered; the one used longest ago goes first. */
const REMEMBERED = 10_000

interface Known {
  readonly upTo: number
  readonly count: number
}

/** Totals over a log. */
export class EventCounts extends Context.Service<
  EventCounts,
  {
    /** How many events satisfy the filter. Costs a scan of the matching index range once, then only of what is new. */
    readonly total: (workspaceId: string, filter: EventFilter) => Effect.Effect<number, StorageUnavailable>
    /** Drops what is known of a workspace: content was removed. */
    readonly forget: (workspaceId: string) => void
  }
>()("@cairn/core/EventCounts") {
  static readonly layer = Layer.effect(
    EventCounts,
    Effect.gen(function* () {
      const log = yield* EventLog
      const known = new Map<string, Known>()

      const remember = (key: string, value: Known) => {
        known.delete(key)
        known.set(key, value)
        const oldest = known.keys().next()
        if (known.size > REMEMBERED && !oldest.done) known.delete(oldest.value)
      }

      const total = Effect.fnUntraced(function* (workspaceId: string, filter: EventFilter) {
        const key = JSON.stringify([workspaceId, Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))])
        const before = known.get(key)
        const head = yield* log.head(workspaceId)
        if (before !== undefined && before.upTo === head.sequence) {
          remember(key, before)
          return before.count
        }
        const from = before === undefined ? Number.MIN_SAFE_INTEGER : before.upTo + 1
        const added = yield* log.count(workspaceId, filter, { from, to: head.sequence })
        const count = (before?.count ?? 0) + added
        // Until the chain begins, history may still be imported below it.
        if (head.sequence > 0) remember(key, { upTo: head.sequence, count })
        return count
      })

      const forget = (workspaceId: string) => {
        for (const key of known.keys()) if (key.startsWith(`["${workspaceId}"`)) known.delete(key)
      }

      return EventCounts.of({ total, forget })
    })
  )
}
