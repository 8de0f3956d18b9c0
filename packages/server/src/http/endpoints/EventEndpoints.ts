/** Ingesting, reading and verifying events. */
import { type Accepted, type BatchAccepted, TOTALS, VERIFY_BOUNDS } from "@cairn/api"
import { TURN_SIZE } from "@cairn/core/encoding"
import { type Event, type EventTime, InvalidInput, MAX_EVENT_BYTES, scopedFilter } from "@cairn/core/event"
import {
  Acceptance,
  type AcceptContext,
  type AcceptedBatch,
  type AcceptedEvent,
  ENOUGH_TO_LIST,
  EventFacets,
  EventHistogram,
  type EventPage,
  QuotaReached,
  withTotal
} from "@cairn/core/log"
import { ChainVerifier } from "@cairn/core/verification"
import { Effect, Exit, Option } from "effect"
import { EventAnswers } from "../../thread/EventAnswers.ts"
import { type AuthorizedRequest, type Endpoint, type PromptEndpoints, visibleFrom } from "../gate/Endpoint.ts"
import { type AnswerBudget, WIDE, wantedBy } from "../limits/AnswerBudget.ts"
import { makeCountRuns } from "../limits/CountRuns.ts"
import { type Answer, jsonAnswer, jsonTextAnswer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError, rejection } from "../plumbing/DomainErrors.ts"
import { type Query, readQuery, selection } from "../plumbing/QueryParameters.ts"
import { countingEndpoints } from "./CountingEndpoints.ts"

/** An event id, in lower case. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const accepted = ({ id, duplicate, warnings }: AcceptedEvent): Accepted => ({
  id,
  status: duplicate ? "duplicate" : "queued",
  ...(warnings === undefined ? {} : { warnings })
})

/** What became of the items of a batch, and of how many what. */
const batchAccepted = ({ outcomes, warnings }: AcceptedBatch): BatchAccepted => {
  const events = outcomes.map((outcome) =>
    outcome instanceof InvalidInput || outcome instanceof QuotaReached
      ? rejection(outcome)
      : accepted(outcome)
  )
  const count = (status: (typeof events)[number]["status"]) =>
    events.filter((event) => event.status === status).length
  return {
    accepted: count("queued"),
    duplicates: count("duplicate"),
    rejected: count("rejected"),
    events,
    ...(warnings.length === 0 ? {} : { warnings })
  }
}

const acceptContext = (request: AuthorizedRequest): AcceptContext => ({
  workspaceId: request.identity.workspaceId,
  clientAddress: request.address.text,
  keysExpireBefore: visibleFrom(request),
  eventsPerMonth: request.profile.limits.events_per_month,
  unknownMembers: request.profile.workspace.unknown_fields,
  span: request.span
})

const answerOfOne = (outcome: AcceptedEvent): Answer => jsonAnswer(accepted(outcome), 202)

const answerOfBatch = (outcome: AcceptedBatch): Answer => jsonAnswer(batchAccepted(outcome), 202)

/** Where a page begins, by its time. */
const pagePlace = (parameters: Query, time: EventTime) => ({
  ...(time === "recorded"
    ? { before: parameters.cursor() }
    : { before: null, beyond: parameters.occurrence() }),
  limit: parameters.limit()
})

/** The result of a filter for events outside its token's scope. */
const noEvents = (total: number | null): EventPage<Event> => ({
  data: [],
  pagination: { has_more: false, next_cursor: null, total }
})

/** Those that ingest. */
const makeIngestEndpoints = Effect.gen(function* () {
  const acceptance = yield* Acceptance

  const ingest: Endpoint = (request) =>
    asApiError(Effect.map(acceptance.one(acceptContext(request), request.body), answerOfOne))

  const ingestBatch: Endpoint = (request) =>
    asApiError(Effect.map(acceptance.batch(acceptContext(request), request.body), answerOfBatch))

  return { ingest, ingestBatch }
})

/**
 * The same without an Effect, where the database allows it; a batch that is read in turns is left to the
 * others.
 */
export const makePromptEndpoints: Effect.Effect<PromptEndpoints | undefined, never, Acceptance> = Effect.map(
  Acceptance,
  ({ promptly }) =>
    promptly && {
      ingest: (request, done) => {
        promptly.one(acceptContext(request), request.body, (exit) =>
          done(() => Exit.map(exit(), answerOfOne))
        )
        return true
      },
      ingestBatch: (request, done) => {
        if (request.body.length > TURN_SIZE) return false
        promptly.batch(acceptContext(request), request.body, (exit) =>
          done(() => Exit.map(exit(), answerOfBatch))
        )
        return true
      }
    }
)

/** The endpoints, by their names in the contract. */
export const makeEventEndpoints = Effect.fnUntraced(function* (budget: AnswerBudget) {
  const events = yield* EventAnswers
  const histogram = yield* EventHistogram
  const facets = yield* EventFacets
  const verifier = yield* ChainVerifier
  const counts = yield* makeCountRuns({
    count: events.count,
    histogram: histogram.read,
    facets: facets.read
  })

  const listEvents: Endpoint = Effect.fnUntraced(function* (request) {
    const { query, identity, viewer, profile, now } = request
    const {
      asked: { filter: asked, time },
      total,
      ...place
    } = yield* readQuery(query, (parameters) => {
      const selected = selection(parameters)
      return {
        asked: selected,
        ...pagePlace(parameters, selected.time),
        total: parameters.choice("total", TOTALS) ?? "exact"
      }
    })
    const filter = viewer === null ? asked : scopedFilter(asked, viewer)
    if (filter === undefined) return jsonAnswer(noEvents(total === "none" ? null : 0))
    const { workspaceId } = identity
    const wanted = { workspaceId, filter, time, visibleFrom: visibleFrom({ profile, now }) }
    const most = Math.min(place.limit * MAX_EVENT_BYTES, WIDE * ENOUGH_TO_LIST + MAX_EVENT_BYTES)
    const list = Effect.map(events.list({ ...wanted, ...place, total: "none" }), (page) => ({
      ...page,
      body: page.data
    }))
    const listed = yield* withTotal(
      total === "none" ? null : counts.ofList(wanted),
      budget.build(wantedBy(request, most), list)
    )
    const pagination = { ...listed.page.pagination, total: listed.total }
    return jsonTextAnswer(`{"data":${listed.page.body},"pagination":${JSON.stringify(pagination)}}`)
  }, asApiError)

  const getEvent: Endpoint = Effect.fnUntraced(function* ({ id, identity, viewer, profile, now }) {
    // RFC 9562 section 4: output is lower case, input is either.
    const eventId = id.toLowerCase()
    const { workspaceId } = identity
    const event = UUID.test(eventId)
      ? yield* events.get({ workspaceId, eventId, viewer, visibleFrom: visibleFrom({ profile, now }) })
      : Option.none()
    if (Option.isNone(event)) {
      return yield* new ApiError({ code: "not_found", message: "There is no such event" })
    }
    return jsonTextAnswer(event.value)
  }, asApiError)

  const verify: Endpoint = Effect.fnUntraced(function* ({ query, identity }) {
    const { from, to, limit } = yield* readQuery(query, (parameters) => ({
      from: parameters.moment("from"),
      to: parameters.moment("to"),
      limit: parameters.limit(VERIFY_BOUNDS)
    }))
    const data = yield* verifier.verify({
      workspaceId: identity.workspaceId,
      limit,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to })
    })
    return jsonAnswer({ data })
  }, asApiError)

  return {
    ...(yield* makeIngestEndpoints),
    ...countingEndpoints(counts),
    listEvents,
    getEvent,
    verify
  }
})
