/**
 * How many events of a filter were recorded since somebody began to look, for as long as they look on.
 *
 * While somebody looks at a log, its end is read once a second, whichever process appends to it. Events are
 * read only once the end has moved: the appended ones are counted, as for a list's total, once for all who
 * look at the same filter.
 */
import { Clock, Context, Effect, Latch, Layer, Schema, Semaphore } from "effect"
import { EventFilter } from "../event/EventFilter.ts"
import { EventTime } from "../event/EventTime.ts"
import { EventLog, type SequenceRange } from "./EventLog.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Milliseconds between two looks at the ends of the logs. */
const LOOK_EVERY = 1_000
/** After a look at all of them the next comes no sooner than this many times as long as it took. */
const LOOK_SHARE = 4
/** But no later than this. */
const LATEST = 5_000
/** Filters that are counted at a time. */
const AT_ONCE = 4

/** A filter within a range of sequences. */
export const RangeCountRequest = Schema.Struct({
  workspaceId: Schema.String,
  filter: EventFilter,
  /** What the times of the filter compare with. */
  time: EventTime,
  from: Schema.Number,
  to: Schema.Number
})
export type RangeCountRequest = typeof RangeCountRequest.Type

/** Counts the events of a filter within a range of sequences. */
export class RangeCounts extends Context.Service<
  RangeCounts,
  { readonly count: (request: RangeCountRequest) => Effect.Effect<number, StorageUnavailable> }
>()("@cairn/core/RangeCounts") {
  static readonly layer = Layer.effect(
    RangeCounts,
    Effect.map(EventLog, (log) =>
      RangeCounts.of({
        count: ({ workspaceId, filter, time, from, to }) =>
          time === "recorded"
            ? log.count(workspaceId, filter, { from, to })
            : Effect.map(
                log.occurrenceCounts(workspaceId, { filter, range: { from, to }, bucket: null }),
                (counts) => counts.get(0) ?? 0
              )
      })
    )
  )
}

/** A look at a filter's events. Nothing is counted for it once it is closed. */
export interface LiveCount {
  /** Begins: events that are recorded after this returns are counted, each once. */
  readonly begin: Effect.Effect<void, StorageUnavailable>
  /** How many there were since. */
  readonly read: () => number
  /** Waits until there may be more than were read last. */
  readonly changed: Effect.Effect<void>
  readonly close: () => void
}

/** One that looks. */
interface Reader {
  /** The filter's total when it began. */
  base: number
  readonly latch: Latch.Latch
}

/** A filter that somebody looks at. */
interface Watch {
  readonly workspaceId: string
  readonly filter: EventFilter
  readonly time: EventTime
  readonly readers: Set<Reader>
  readonly turn: Semaphore.Semaphore
  /** The sequence up to which `total` counts; undefined before the first reader has begun. */
  upTo: number | undefined
  total: number
}

/** The same for filters that say the same. */
const keyOf = (workspaceId: string, filter: EventFilter, time: EventTime): string =>
  JSON.stringify([workspaceId, time, Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))])

/** Counts what was appended up to `head`. In the watch's turn. */
const advance = Effect.fnUntraced(function* (
  counts: RangeCounts["Service"],
  watch: Watch,
  { to: head }: Pick<SequenceRange, "to">
) {
  const { workspaceId, filter, time, upTo } = watch
  if (upTo !== undefined && head <= upTo) return
  const added =
    upTo === undefined ? 0 : yield* counts.count({ workspaceId, filter, time, from: upTo + 1, to: head })
  watch.total += added
  watch.upTo = head
})

const make = Effect.gen(function* () {
  const log = yield* EventLog
  const counts = yield* RangeCounts
  const watches = new Map<string, Watch>()

  const open = (workspaceId: string, filter: EventFilter, time: EventTime = "recorded"): LiveCount => {
    const key = keyOf(workspaceId, filter, time)
    const watch = watches.get(key) ?? {
      workspaceId,
      filter,
      time,
      readers: new Set(),
      turn: Semaphore.makeUnsafe(1),
      upTo: undefined,
      total: 0
    }
    watches.set(key, watch)
    const reader: Reader = { base: 0, latch: Latch.makeUnsafe(false) }
    watch.readers.add(reader)
    return {
      begin: Effect.gen(function* () {
        const { sequence } = yield* log.head(workspaceId)
        yield* watch.turn.withPermit(
          Effect.andThen(
            advance(counts, watch, { to: sequence }),
            Effect.sync(() => {
              reader.base = watch.total
            })
          )
        )
      }),
      read: () => {
        reader.latch.closeUnsafe()
        return watch.total - reader.base
      },
      changed: reader.latch.await,
      close: () => {
        watch.readers.delete(reader)
        if (watch.readers.size === 0 && watches.get(key) === watch) watches.delete(key)
      }
    }
  }

  const look = Effect.fnUntraced(function* (watch: Watch, head: number) {
    const before = watch.total
    yield* watch.turn.withPermit(advance(counts, watch, { to: head }))
    if (watch.total !== before) for (const { latch } of watch.readers) latch.openUnsafe()
  })

  const lookAt = Effect.fnUntraced(function* (workspaceId: string, own: ReadonlyArray<Watch>) {
    const { sequence } = yield* log.head(workspaceId)
    const behind = own.filter(({ upTo }) => upTo !== undefined && upTo < sequence)
    yield* Effect.forEach(behind, (watch) => look(watch, sequence), { concurrency: AT_ONCE, discard: true })
  })

  const lookAtAll = Effect.suspend(() => {
    const logs = Map.groupBy(watches.values(), ({ workspaceId }) => workspaceId)
    // What fails is counted at a later look: nobody misses an event.
    return Effect.forEach(logs, ([id, own]) => Effect.ignore(lookAt(id, own)), { discard: true })
  })

  const turn = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const began = clock.monotonicTimeNanosUnsafe()
    if (watches.size > 0) yield* lookAtAll
    const took = Number(clock.monotonicTimeNanosUnsafe() - began) / 1_000_000
    yield* Effect.sleep(Math.min(LATEST, Math.max(LOOK_EVERY, took * LOOK_SHARE)))
  })
  yield* Effect.forkScoped(Effect.forever(turn))

  return { open, size: () => watches.size }
})

/** Counting for those who look on. */
export class LiveCounts extends Context.Service<LiveCounts, Effect.Success<typeof make>>()(
  "@cairn/core/LiveCounts"
) {
  /** Until its scope ends. */
  static readonly layer = Layer.effect(LiveCounts, make)
}
