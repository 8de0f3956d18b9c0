/**
 * Where each log ended when this process saw it last: a log that ends earlier, or has another event there,
 * was changed under the process, even if its head was changed too.
 */
import { Context, Effect, Layer, Option } from "effect"
import { type Append, type AppendRequest, EventLog, type EventLogShape, type LogEntry } from "./EventLog.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** The newest event that was seen of a log. */
export interface SeenEnd {
  readonly sequence: number
  readonly eventHash: string
}

/** The parts of a head or an event that identify an end. */
type End = Pick<LogEntry, "sequence" | "eventHash">

/** The memory of one process, which lasts as long as its scope. */
export class SeenEnds extends Context.Service<
  SeenEnds,
  {
    /** The newest event that was seen of a log. */
    readonly of: (workspaceId: string) => SeenEnd | undefined
    /** Whether the log holds that event. */
    readonly isHeld: (workspaceId: string) => Effect.Effect<boolean, StorageUnavailable>
    /**
     * Records an end, if the log holds what was seen before. That is looked up, unless the end is known to
     * follow `before`.
     */
    readonly see: (workspaceId: string, end: End, before?: End) => Effect.Effect<void, StorageUnavailable>
  }
>()("@cairn/core/SeenEnds") {
  /** Makes the memory, and replaces the log with one that records what is appended and read. */
  static readonly layer = Layer.effectContext(
    Effect.map(EventLog, (log) => {
      const memory = makeMemory(log)
      return Context.make(SeenEnds, SeenEnds.of(memory)).pipe(
        Context.add(EventLog, EventLog.of(watched(log, memory)))
      )
    })
  )
}

type Memory = SeenEnds["Service"]

const makeMemory = ({ hashes }: EventLogShape): Memory => {
  const ends = new Map<string, SeenEnd>()
  const isHeld = (workspaceId: string) =>
    Effect.suspend(() => {
      const seen = ends.get(workspaceId)
      return seen === undefined
        ? Effect.succeed(true)
        : Effect.map(hashes(workspaceId, seen.sequence, seen.sequence), ([found]) => found === seen.eventHash)
    })
  return {
    of: (workspaceId) => ends.get(workspaceId),
    isHeld,
    see: Effect.fnUntraced(function* (workspaceId, { sequence, eventHash }, before) {
      const isNewer = () => sequence > (ends.get(workspaceId)?.sequence ?? 0)
      if (eventHash === null || !isNewer()) return
      const follows = before !== undefined && before.eventHash === ends.get(workspaceId)?.eventHash
      if ((follows || (yield* isHeld(workspaceId))) && isNewer())
        ends.set(workspaceId, { sequence, eventHash })
    })
  }
}

const watched = (log: EventLogShape, { see }: Memory): EventLogShape => ({
  ...log,
  append: (requests, maxEvents) =>
    Effect.suspend(() => {
      const made = new Map<string, { readonly before: End; readonly append: Append }>()
      const noting = requests.map(
        ({ workspaceId, chain }): AppendRequest => ({
          workspaceId,
          chain: (before, rows, now) => {
            const append = chain(before, rows, now)
            made.set(workspaceId, { before, append })
            return append
          }
        })
      )
      return Effect.tap(log.append(noting, maxEvents), (appended) =>
        Effect.forEach(
          appended.entries(),
          ([index, { count }]) => {
            const workspaceId = requests[index]?.workspaceId ?? ""
            const own = made.get(workspaceId)
            if (own === undefined || count === 0) return Effect.void
            return Effect.ignore(see(workspaceId, own.append.head, own.before))
          },
          { discard: true }
        )
      )
    }),
  get: (workspaceId, eventId) =>
    Effect.tap(
      log.get(workspaceId, eventId),
      Option.match({ onNone: () => Effect.void, onSome: (entry) => see(workspaceId, entry) })
    ),
  page: (workspaceId, request) =>
    Effect.tap(log.page(workspaceId, request), ([newest]) =>
      newest === undefined ? Effect.void : see(workspaceId, newest)
    )
})
