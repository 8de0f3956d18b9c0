/** Exact counts, histograms and facets: what may take longer than its client waits. */
import { searchesOf } from "@cairn/core/event"
import type {
  CountRequest,
  Facets,
  FacetsRequest,
  Histogram,
  HistogramRequest,
  StorageUnavailable
} from "@cairn/core/log"
import { Effect, type Scope } from "effect"
import { ReadNeeds } from "../../thread/ReadNeeds.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { COME_BACK_SECONDS, MOST_LONG, makePlaces, makeSharedRuns } from "./SharedRuns.ts"

/**
 * How long the result of a histogram that took too long is kept for a client that comes back, in
 * milliseconds. Counting it again would cost as much, unlike a total.
 */
export const HISTOGRAM_KEPT_MILLIS = 60_000

/** What reads them. */
interface Reads {
  readonly count: (request: CountRequest) => Effect.Effect<number, StorageUnavailable>
  readonly histogram: (request: HistogramRequest) => Effect.Effect<Histogram, StorageUnavailable>
  readonly facets: (request: FacetsRequest) => Effect.Effect<Facets, StorageUnavailable>
}

/** Counts, histograms and facets, shared and bounded. */
export interface CountRuns {
  /** The total of a list. Fails with `503` if that takes too long; the count goes on then. */
  readonly ofList: (request: CountRequest) => Effect.Effect<number, ApiError | StorageUnavailable>
  /** The number alone, however long it takes. Fails with `429` if the workspace has too many in progress. */
  readonly alone: (request: CountRequest) => Effect.Effect<number, ApiError | StorageUnavailable>
  /** A histogram. Fails with `503` if that takes too long; it goes on then, and is kept for a while. */
  readonly histogram: (request: HistogramRequest) => Effect.Effect<Histogram, ApiError | StorageUnavailable>
  /** The most frequent values of a field. Fails with `503` if that takes too long. */
  readonly facets: (request: FacetsRequest) => Effect.Effect<Facets, ApiError | StorageUnavailable>
}

const tooMany = () =>
  new ApiError({
    code: "rate_limited",
    limit: "counts",
    message: `${MOST_LONG} counts of the workspace are in progress, and no more may be at once`,
    headers: { "retry-after": String(COME_BACK_SECONDS) }
  })

const TOTAL_TAKES_LONG = "The total is still being counted; ask again for it, or for the list with total=none"
const FACETS_TAKE_LONG = "The values are still being counted; ask again for them"
const HISTOGRAM_TAKES_LONG = "The histogram is still being counted; ask again for it"

/** The same for equal questions, though the retention window begins later with each request. */
const keyOf = (
  { workspaceId, visibleFrom, filter, time = "recorded" }: CountRequest,
  ...more: ReadonlyArray<number | string>
): string => {
  const conditions = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([workspaceId, visibleFrom === null, time, conditions, ...more])
}

/** The lane of a workspace's runs of one kind; searches, which take longest, have one of their own. */
const laneOf = (kind: string, isLong: boolean, { workspaceId }: CountRequest): string =>
  `${kind} ${isLong ? "long" : "other"} ${workspaceId}`

const isSearch = ({ filter }: CountRequest): boolean => searchesOf(filter).length > 0

/** Makes them, none in progress yet; they end with the scope. */
export const makeCountRuns = Effect.fnUntraced(function* (
  reads: Reads
): Effect.fn.Return<CountRuns, never, Scope.Scope> {
  const places = makePlaces()
  const counts = yield* makeSharedRuns<number>(places, 0)
  const histograms = yield* makeSharedRuns<Histogram>(places, HISTOGRAM_KEPT_MILLIS)
  const facets = yield* makeSharedRuns<Facets>(places, 0)
  const countOf = (request: CountRequest, isLong: boolean, needs: string) => ({
    key: keyOf(request, needs),
    lane: laneOf("count", isLong, request),
    isLong,
    work: reads.count(request)
  })
  return {
    ofList: (request) =>
      Effect.flatMap(ReadNeeds, (needs) =>
        counts.inTime(countOf(request, isSearch(request), needs), TOTAL_TAKES_LONG)
      ),
    alone: (request) =>
      Effect.flatMap(ReadNeeds, (needs): Effect.Effect<number, ApiError | StorageUnavailable> => {
        const question = countOf(request, true, needs)
        return counts.mustWait(question) ? Effect.fail(tooMany()) : counts.answer(question)
      }),
    histogram: (request) =>
      Effect.flatMap(ReadNeeds, (needs) => {
        const isLong = isSearch(request)
        const question = {
          key: keyOf(request, needs, request.buckets),
          lane: laneOf("histogram", isLong, request),
          isLong,
          work: reads.histogram(request)
        }
        return histograms.inTime(question, HISTOGRAM_TAKES_LONG)
      }),
    facets: (request) =>
      Effect.flatMap(ReadNeeds, (needs) => {
        const isLong = isSearch(request)
        const question = {
          key: keyOf(request, needs, request.field, request.prefix),
          lane: laneOf("facets", isLong, request),
          isLong,
          work: reads.facets(request)
        }
        return facets.inTime(question, FACETS_TAKE_LONG)
      })
  }
})
