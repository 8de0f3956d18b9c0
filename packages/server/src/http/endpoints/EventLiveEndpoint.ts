/** How many events were recorded since, told as they are, for as long as its reader may read. */
import type { LiveCountEnd } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import { scopedFilter } from "@cairn/core/event"
import { type LiveCount, LiveCounts, Meters } from "@cairn/core/log"
import { Clock, Context, Effect, Latch, Option, Ref, Stream } from "effect"
import { SERVER_METRICS } from "../../metrics/ServerFamilies.ts"
import type { AuthorizedRequest, Endpoint } from "../gate/Endpoint.ts"
import { laterRefusal } from "../gate/LaterRefusal.ts"
import { makeOpenStreams, type StreamLimits } from "../limits/OpenStreams.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { Draining } from "../plumbing/Draining.ts"
import { readQuery, selection } from "../plumbing/QueryParameters.ts"
import { sentStream } from "../plumbing/SentStream.ts"
import { EVENT_STREAM, HEARTBEAT, retryAfter, sentEvent } from "../plumbing/ServerSentEvents.ts"

/** Each is a connection and a timer. */
const MOST_OPEN: StreamLimits = { ofWorkspace: 100, ofViewer: 10, ofProcess: 2_000 }

/** When a reader whose connection broke comes again, in milliseconds. */
const RETRY_MILLIS = 5_000

/** Milliseconds; to be replaced in tests. */
interface Pace {
  /** Between two lines that mean nothing. */
  readonly heartbeat: number
  /** Between two looks whether the reader may still read. */
  readonly check: number
  /** Between two counts. */
  readonly count: number
}

/** How often is what. */
export const LivePace = Context.Reference<Pace>("@cairn/server/LivePace", {
  defaultValue: () => ({ heartbeat: 15_000, check: 3_000, count: 1_000 })
})

/** How often a server is looked at whether it leaves, in milliseconds. */
const LOOK_EVERY = 200

/** What of a stream there is. */
interface Told {
  readonly count: number
  /** When the last count was sent, the last line was written, and the reader was looked at. */
  readonly countedAt: number
  readonly writtenAt: number
  readonly checkedAt: number
}

/** A stream on its way. */
interface Live {
  readonly request: Pick<AuthorizedRequest, "identity" | "stillAdmitted">
  /** None for a filter that a viewer token may see nothing of. */
  readonly counted: LiveCount | undefined
  readonly leaving: Latch.Latch
  readonly pace: Pace
}

/** Milliseconds that only go on. */
const monotonic = Effect.map(Clock.Clock, (clock) => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n))

/** Why a stream ends now; undefined while it goes on. */
const endOf = Effect.fnUntraced(function* (
  live: Live,
  isDue: boolean
): Effect.fn.Return<LiveCountEnd | undefined> {
  const { until } = live.request.identity
  if (until !== undefined && (yield* Micros.now) >= until) return "expired"
  if (live.leaving.isOpen()) return "stopping"
  return isDue && (yield* laterRefusal(live.request)) !== undefined ? "revoked" : undefined
})

/** Waits for something to do, and no longer than until the next thing is due. */
const rest = Effect.fnUntraced(function* (live: Live, told: Told, now: number) {
  const { request, counted, leaving, pace } = live
  const { until } = request.identity
  const left = until === undefined ? pace.check : Math.ceil((until - (yield* Micros.now)) / 1_000)
  const due = Math.min(left, told.writtenAt + pace.heartbeat - now, told.checkedAt + pace.check - now)
  const tooSoon = told.countedAt + pace.count - now
  const changed = counted === undefined ? Effect.never : counted.changed
  const news = tooSoon > 0 ? Effect.delay(changed, tooSoon) : changed
  yield* Effect.timeoutOption(Effect.raceFirst(news, leaving.await), Math.max(1, due))
})

/** What is written next, if anything, and what follows; none at the end. */
const step = Effect.fnUntraced(function* (live: Live, told: Told) {
  const { counted, pace } = live
  const now = yield* monotonic
  const isDue = now - told.checkedAt >= pace.check
  const reason = yield* endOf(live, isDue)
  if (reason !== undefined) return [[sentEvent("end", { reason })], Option.none<Told>()] as const
  const checked = isDue ? { ...told, checkedAt: now } : told
  if (now - told.countedAt >= pace.count) {
    const count = counted?.read() ?? 0
    if (count !== told.count) {
      const next = { ...checked, count, countedAt: now, writtenAt: now }
      return [[sentEvent("count", { new: count })], Option.some<Told>(next)] as const
    }
  }
  if (now - told.writtenAt >= pace.heartbeat)
    return [[HEARTBEAT], Option.some<Told>({ ...checked, writtenAt: now })] as const
  yield* rest(live, checked, now)
  return [[], Option.some<Told>(checked)] as const
})

/** What is written, from the first line to the last. */
const written = (live: Live): Stream.Stream<string> =>
  Stream.unwrap(
    Effect.map(monotonic, (now) => {
      const told: Told = { count: 0, countedAt: now - live.pace.count, writtenAt: now, checkedAt: now }
      return Stream.concat(
        Stream.make(retryAfter(RETRY_MILLIS)),
        Stream.paginate(told, (state) => step(live, state))
      )
    })
  )

/** The endpoint, by its name in the contract. */
export const makeEventLiveEndpoint = Effect.gen(function* () {
  const counts = yield* LiveCounts
  const draining = yield* Draining
  const pace = yield* LivePace
  const streams = makeOpenStreams("live counts", MOST_OPEN)
  const meters = yield* Meters
  meters.observed(SERVER_METRICS.openAnswers, streams.size, { kind: "live" })
  const leaving = yield* Latch.make()
  const lookAtStage = Effect.suspend(() =>
    Ref.getUnsafe(draining) === "serving" ? Effect.void : leaving.open
  )
  yield* Effect.forkScoped(
    Effect.forever(Effect.delay(lookAtStage, LOOK_EVERY)).pipe(Effect.raceFirst(leaving.await))
  )

  const liveEvents: Endpoint = Effect.fnUntraced(function* (request) {
    const { query, identity, viewer, response } = request
    const { filter: asked, time } = yield* readQuery(query, selection)
    const filter = viewer === null ? asked : scopedFilter(asked, viewer)
    const answer = {
      status: 200,
      contentType: EVENT_STREAM,
      // A proxy that compresses or keeps what passes would hold back what is to be seen at once.
      headers: { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }
    }
    if (response.req.method === "HEAD") return { ...answer, body: "" }
    yield* streams.open(request)
    const counted = filter === undefined ? undefined : counts.open(identity.workspaceId, filter, time)
    if (counted !== undefined) {
      response.once("close", counted.close)
      yield* counted.begin
    }
    const text = written({ request, counted, leaving, pace })
    return { ...answer, body: sentStream(response, Stream.encodeText(text)) }
  }, asApiError)

  return { liveEvents }
})
