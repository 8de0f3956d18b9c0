/** How many events there were over time: counts in buckets of one length, for the filter of a list. */
import { Context, Effect, Layer, Schema } from "effect"
import * as Field from "../encoding/FieldSchemas.ts"
import * as Micros from "../encoding/Micros.ts"
import { EventFilter, searchesOf } from "../event/EventFilter.ts"
import { EventTime } from "../event/EventTime.ts"
import { EventCounts } from "./EventCounts.ts"
import { EventLog, FIRST_LEGACY_SEQUENCE, type LogEntry } from "./EventLog.ts"
import { visibleRange } from "./OccurrencePage.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** A bucket with an event in it. */
const HistogramBucket = Schema.Struct({
  start: Field.timestamp("The bucket begins here"),
  count: Schema.Int.annotate({ description: "The events in it", minimum: 1 })
}).annotate({ identifier: "HistogramBucket", description: "A bucket with an event in it" })
type HistogramBucket = typeof HistogramBucket.Type

/** Counts over time. */
export const Histogram = Schema.Struct({
  bucket_seconds: Schema.Int.annotate({ description: "How long each bucket is, in seconds", minimum: 1 }),
  buckets: Schema.Array(HistogramBucket).annotate({
    description: "Ascending; those without an event are left out"
  })
}).annotate({ identifier: "Histogram", description: "Counts over time" })
export type Histogram = typeof Histogram.Type

/** What to count. */
export const HistogramRequest = Schema.Struct({
  workspaceId: Schema.String,
  filter: EventFilter,
  /** By which time the events are counted, and the filter's times compare: `recorded` unless given. */
  time: Schema.optionalKey(EventTime),
  /** Where the retention window begins; null if nothing expires. */
  visibleFrom: Schema.NullOr(Schema.Number),
  /** Most buckets. */
  buckets: Schema.Number
})
export type HistogramRequest = typeof HistogramRequest.Type

const DAY = 86_400

/** Lengths of buckets, in seconds, that people read easily. Longer ones are doublings of the last. */
const LENGTHS = [
  1,
  5,
  15,
  60,
  300,
  900,
  3_600,
  10_800,
  21_600,
  43_200,
  DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  365 * DAY
]

/** Longer than from the first year that times have to the last, and exact in microseconds. */
const LONGEST = 2 ** 14 * 365 * DAY

/** Without events, of buckets of some length. */
const EMPTY: Histogram = { bucket_seconds: 60, buckets: [] }

/** The bucket of a time. Each bucket is `seconds` long, and one begins at the epoch. */
const bucketOf = (at: Micros.Micros, seconds: number): number => Math.floor(at / (seconds * Micros.SECOND))

/**
 * The shortest length, in seconds, at which at most `buckets` buckets cover the range from the first time to
 * the last.
 */
export const bucketSeconds = (first: Micros.Micros, last: Micros.Micros, buckets: number): number => {
  const fits = (seconds: number): boolean => bucketOf(last, seconds) - bucketOf(first, seconds) < buckets
  const known = LENGTHS.find(fits)
  if (known !== undefined) return known
  let seconds = 365 * DAY
  // Two times on either side of a boundary never fit in one bucket, however long it is.
  while (!fits(seconds) && seconds < LONGEST) seconds *= 2
  return seconds
}

/** Whether a filter has only a time range, so that every event in it counts. */
const isTimeOnly = (filter: EventFilter): boolean =>
  Object.keys(filter).every((name) => name === "from" || name === "to")

const isSearch = (filter: EventFilter): boolean => searchesOf(filter).length > 0

/** Counts by their buckets, in order. */
const bucketsOf = (counts: ReadonlyMap<number, number>, seconds: number): ReadonlyArray<HistogramBucket> =>
  Array.from(counts, ([bucket, count]) => ({ bucket, count }))
    .sort((one, other) => one.bucket - other.bucket)
    .map(({ bucket, count }) => ({ start: Micros.format(bucket * seconds * Micros.SECOND), count }))

/** The counts by when events occurred: those of the whole range in one walk, once its ends are known. */
const occurred = Effect.fnUntraced(function* (log: EventLog["Service"], request: HistogramRequest) {
  const { workspaceId, filter, visibleFrom } = request
  const range = yield* visibleRange(log, workspaceId, visibleFrom)
  const place = (first: "newest" | "oldest") =>
    log.occurrences(workspaceId, { filter, range, first, beyond: null, limit: 1 })
  const [newest] = yield* place("newest")
  const [oldest = newest] = newest === undefined ? [] : yield* place("oldest")
  if (newest === undefined || oldest === undefined) return EMPTY
  const seconds = bucketSeconds(oldest.occurredAt, newest.occurredAt, request.buckets)
  const counts = yield* log.occurrenceCounts(workspaceId, {
    filter: { ...filter, from: oldest.occurredAt, to: newest.occurredAt },
    range,
    bucket: seconds * Micros.SECOND
  })
  return { bucket_seconds: seconds, buckets: bucketsOf(counts, seconds) }
})

/** The counts of some times, at least one, newest first. */
const histogramOf = (moments: ReadonlyArray<Micros.Micros>, buckets: number): Histogram => {
  const [newest = 0, oldest = newest] = [moments[0], moments.at(-1)]
  const seconds = bucketSeconds(oldest, newest, buckets)
  const counts = new Map<number, number>()
  for (const moment of moments) {
    const bucket = bucketOf(moment, seconds)
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return { bucket_seconds: seconds, buckets: bucketsOf(counts, seconds) }
}

/** The use case *histogram*. */
export class EventHistogram extends Context.Service<
  EventHistogram,
  {
    /**
     * Costs about two counts of everything that satisfies the filter; for a search, one if its total is
     * known.
     */
    readonly read: (request: HistogramRequest) => Effect.Effect<Histogram, StorageUnavailable>
  }
>()("@cairn/core/EventHistogram") {
  static readonly layer = Layer.effect(
    EventHistogram,
    Effect.gen(function* () {
      const log = yield* EventLog
      const counts = yield* EventCounts

      /**
       * The times of the events that a search finds, newest first, as many as its total says. They are read
       * in one walk, because looking up a term in an index costs as much for one bucket as for all.
       */
      const found = Effect.fnUntraced(function* (request: HistogramRequest, filter: EventFilter) {
        const { workspaceId, visibleFrom } = request
        const limit = yield* counts.total(workspaceId, request.filter, visibleFrom)
        return limit === 0 ? [] : yield* log.moments(workspaceId, { filter, before: null, limit })
      })

      const rowAt = (workspaceId: string, sequence: number) =>
        Effect.map(log.entries(workspaceId, sequence, 1), ([row]) => row)

      /**
       * The oldest event up to a sequence that satisfies the filter, found by binary search. There must be
       * one.
       */
      const oldest = Effect.fnUntraced(function* (workspaceId: string, filter: EventFilter, last: number) {
        const from =
          filter.from === undefined
            ? FIRST_LEGACY_SEQUENCE
            : ((yield* log.sequenceAt(workspaceId, filter.from)) ?? last)
        const first: LogEntry | undefined = yield* rowAt(workspaceId, from)
        if (first === undefined || isTimeOnly(filter)) return first
        let low = first.sequence
        let high = last
        while (low < high) {
          const middle = Math.floor((low + high) / 2)
          const below = yield* log.count(workspaceId, filter, { from: low, to: middle })
          if (below > 0) high = middle
          else low = middle + 1
        }
        return yield* rowAt(workspaceId, low)
      })

      const read = Effect.fn("EventHistogram.read")(function* (request: HistogramRequest) {
        if (request.time === "occurred") return yield* occurred(log, request)
        const { workspaceId, visibleFrom } = request
        const from = Math.max(
          request.filter.from ?? Number.NEGATIVE_INFINITY,
          visibleFrom ?? Number.NEGATIVE_INFINITY
        )
        const filter = from === Number.NEGATIVE_INFINITY ? request.filter : { ...request.filter, from }
        if (isSearch(filter)) {
          const moments = yield* found(request, filter)
          return moments.length === 0 ? EMPTY : histogramOf(moments, request.buckets)
        }
        const [newest] = yield* log.page(workspaceId, { filter, before: null, limit: 1 })
        if (newest === undefined) return EMPTY
        const first = yield* oldest(workspaceId, filter, newest.sequence)
        if (first === undefined) return EMPTY

        const seconds = bucketSeconds(first.createdAt, newest.createdAt, request.buckets)
        const length = seconds * Micros.SECOND
        const buckets: Array<HistogramBucket> = []
        let begin = first.sequence
        for (
          let bucket = bucketOf(first.createdAt, seconds);
          bucket <= bucketOf(newest.createdAt, seconds);
          bucket++
        ) {
          const next = (yield* log.sequenceAt(workspaceId, (bucket + 1) * length)) ?? newest.sequence + 1
          const end = Math.min(next - 1, newest.sequence)
          const count = begin > end ? 0 : yield* log.count(workspaceId, filter, { from: begin, to: end })
          if (count > 0) buckets.push({ start: Micros.format(bucket * length), count })
          begin = end + 1
          // Each count is a statement of its own, so that other work runs in between.
          yield* Effect.yieldNow
        }
        return { bucket_seconds: seconds, buckets }
      })
      return EventHistogram.of({ read })
    })
  )
}
