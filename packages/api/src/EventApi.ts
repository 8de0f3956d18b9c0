/** The endpoints for events: ingesting, reading, verifying. */
import { FieldSchemas as Field } from "@cairn/core/encoding"
import {
  BatchInput,
  COUNTRY_FORM,
  type ConditionName,
  EVENT_TIMES,
  Event,
  EventInput,
  MAX_BATCH,
  MAX_IDENTIFIER,
  MAX_NAME
} from "@cairn/core/event"
import { EventPage, FACET_EVENTS, FACET_VALUES, FacetField, Facets, Histogram } from "@cairn/core/log"
import { ChainVerification } from "@cairn/core/verification"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Access, Authorization } from "./Authorization.ts"
import {
  BODY_ERRORS,
  faultFields,
  INVALID_PARAMETER,
  NOT_FOUND,
  QUOTA_EXCEEDED,
  VALIDATION_FAILED
} from "./ErrorBody.ts"
import { ERROR_STATUS } from "./ErrorCode.ts"
import {
  describeLimit,
  type LimitBounds,
  limitParameter,
  momentParameter,
  PAGE_BOUNDS,
  pageParameters,
  textParameter,
  textsParameter
} from "./Parameters.ts"

const warnings = Schema.optionalKey(
  Schema.Array(Schema.String).annotate({
    description:
      "Members that are not known and were left out, where the workspace's `unknown_fields` is `warn`"
  })
)

/** What became of one event. */
export const Accepted = Schema.Struct({
  id: Schema.String.annotate({ format: "uuid", description: "Of the first event, for a duplicate" }),
  status: Schema.Literals(["queued", "duplicate"]).annotate({
    description:
      "`queued`: it is recorded. `duplicate`: an event with its `idempotency_key` was there already"
  }),
  warnings
}).annotate({ identifier: "Accepted", description: "What became of an event" })
export type Accepted = typeof Accepted.Type

/** An item of a batch that was rejected; the others were not. */
export const Rejected = Schema.Struct({
  id: Schema.Null.annotate({ description: "It has none" }),
  status: Schema.Literal("rejected").annotate({ description: "It was not recorded" }),
  error: Schema.Literals(["validation_failed", "quota_exceeded"]).annotate({
    description: "A stable code, to branch on"
  }),
  message: Field.text("What is wrong with it, for a person"),
  ...faultFields
}).annotate({ identifier: "Rejected", description: "An event of a batch that was refused on its own" })
export type Rejected = typeof Rejected.Type

const BatchItem = Schema.Union([Accepted, Rejected]).annotate({
  identifier: "BatchItem",
  description: "What became of one event of a batch"
})

/** The response to a batch: one item for each that was submitted, in order. */
export const BatchAccepted = Schema.Struct({
  accepted: Field.count("How many are new"),
  duplicates: Field.count("How many were there already, by their idempotency keys"),
  rejected: Field.count("How many were not taken"),
  events: Schema.Array(BatchItem).annotate({ description: "One item for each that was submitted, in order" }),
  warnings
}).annotate({ identifier: "BatchAccepted", description: "One item for each that was submitted, in order" })
export type BatchAccepted = typeof BatchAccepted.Type

/** The rejection of a batch. `events` has the reason for each item, if every one was rejected. */
const BatchRejected = Schema.Struct({
  error: Schema.Literal("validation_failed").annotate({ description: "A stable code, to branch on" }),
  message: Field.text("What is wrong with the body, for a person"),
  ...faultFields,
  events: Schema.optionalKey(
    Schema.Array(Rejected).annotate({ description: "What is wrong with each, if every one was rejected" })
  )
})
  .annotate({
    identifier: "BatchRejected",
    description: "The body is no batch, or every event of it is invalid; then `events` says why, one by one"
  })
  .pipe(HttpApiSchema.status(ERROR_STATUS.validation_failed))

const accepted = HttpApiSchema.status(202)

/** Most buckets of a histogram, and the default. */
export const HISTOGRAM_BOUNDS: LimitBounds = { maximum: 200, otherwise: 60 }

/** Most events that one request may verify, and the default. */
export const VERIFY_BOUNDS: LimitBounds = { maximum: 1_000_000, otherwise: 10_000 }

const ingest = HttpApiEndpoint.post("ingest", "/api/v1/events", {
  payload: EventInput,
  success: Accepted.pipe(accepted),
  error: [...BODY_ERRORS, VALIDATION_FAILED, QUOTA_EXCEEDED]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Ingest one event",
    description:
      "The event is durable once this is answered; its place in the hash chain follows within moments. Events that share an " +
      "`idempotency_key` are one: the first is kept, and the others are answered with its id and `duplicate`."
  })
)

const ingestBatch = HttpApiEndpoint.post("ingestBatch", "/api/v1/events/batch", {
  payload: BatchInput,
  success: BatchAccepted.pipe(accepted),
  error: [...BODY_ERRORS, BatchRejected, QUOTA_EXCEEDED]
}).annotateMerge(
  OpenApi.annotations({
    summary: `Ingest up to ${MAX_BATCH} events`,
    description:
      "An invalid event does not stop the others: its place in the answer says what is wrong with it."
  })
)

/** The conditions of a list, each of which may be repeated: of its values, any is meant. */
const conditions = {
  action: textsParameter(
    "An action, `prefix.*` for all below a prefix, `*.suffix` for all that end so, or `*` for all",
    MAX_IDENTIFIER + 1
  ),
  category: textsParameter("The action's category"),
  actor_id: textsParameter("The actor's id"),
  resource: textsParameter("The resource's type"),
  resource_id: textsParameter("The resource's id"),
  resource_name: textsParameter("The resource's name", MAX_NAME),
  tenant_id: textsParameter("The tenant"),
  session_id: textsParameter("The session"),
  country: textsParameter(
    "The country of the actor's address: two upper-case letters",
    2,
    COUNTRY_FORM.source
  ),
  search: textsParameter(
    "Text within actor name, action, resource name or metadata, in any case; of several, each is there",
    MAX_NAME
  ),
  target_type: textsParameter("Type of a target"),
  target_id: textsParameter("Id of a target; with `target_type`, of the same one")
} as const satisfies Readonly<Record<ConditionName, unknown>>

/** What a list, and whatever selects events as it does, takes in its query. */
export const filterParameters = {
  ...conditions,
  from: momentParameter("Recorded at or after, or with `time=occurred`, occurred"),
  to: momentParameter("Recorded at or before, or with `time=occurred`, occurred"),
  time: Schema.optionalKey(
    Schema.Literals(EVENT_TIMES).annotate({
      description:
        "The time that orders the events and that `from` and `to` compare with: `recorded` is `created_at`, `occurred` is `occurred_at`; " +
        "`recorded` unless given"
    })
  )
}

/** What `total` of a list may be; the first unless given. */
export const TOTALS = ["exact", "none"] as const

const listEvents = HttpApiEndpoint.get("listEvents", "/api/v1/events", {
  query: {
    ...filterParameters,
    ...pageParameters,
    total: Schema.optionalKey(
      Schema.Literals(TOTALS).annotate({
        description: "`none`: the answer has no total, and does not wait for it; `exact` unless given"
      })
    )
  },
  success: EventPage(Event).annotate({ description: "A page of events" }),
  error: INVALID_PARAMETER
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "List events, newest first",
      description:
        "Conditions hold together, each by any of its values: a parameter may be given up to 20 times. With `time=occurred` the newest is the " +
        "one that occurred last, and events of one moment are in the order of their recording; a cursor is for the `time` that it came with. " +
        "Lists hold what has its place in the chain, moments after it was accepted. The total is exact. If counting takes " +
        "longer than 10 seconds, the answer is `503` with `Retry-After`, and the count goes on for the next request.",
      transform: describeLimit(PAGE_BOUNDS)
    })
  )

const countEvents = HttpApiEndpoint.get("countEvents", "/api/v1/events/count", {
  query: filterParameters,
  success: Schema.Struct({
    data: Schema.Struct({
      total: Field.count("The exact number of events on all pages of the list")
    }).annotate({ identifier: "EventCount", description: "How many events there are" })
  }).annotate({ description: "The number of events" }),
  error: INVALID_PARAMETER
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Count events",
      description:
        "The exact total of the list with the same conditions, however long that takes. It ends when the client disconnects. A workspace has " +
        "two different ones at a time; a third is `429`."
    })
  )

const histogram = HttpApiEndpoint.get("eventHistogram", "/api/v1/events/histogram", {
  query: { ...filterParameters, buckets: limitParameter },
  success: Schema.Struct({ data: Histogram }).annotate({ description: "Counts over time" }),
  error: INVALID_PARAMETER
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Count events over time",
      description:
        "The conditions of the list. Buckets are as short as their number allows, of one length, and begin at multiples of it since 1970. If " +
        "counting takes longer than 10 seconds, the answer is `503` with `Retry-After`; the counting goes on, and for a minute after its end " +
        "the same request gets what it found.",
      transform: describeLimit(HISTOGRAM_BOUNDS, "buckets")
    })
  )

const facets = HttpApiEndpoint.get("eventFacets", "/api/v1/events/facets", {
  query: {
    field: FacetField.annotate({ description: "The field whose values are counted" }),
    prefix: textParameter(
      "Only values that begin like this, in any letter case, or whose label or a word of it does",
      MAX_NAME
    ),
    ...filterParameters
  },
  success: Schema.Struct({ data: Facets }).annotate({ description: "The most frequent values" }),
  error: INVALID_PARAMETER
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "List the most frequent values of a field",
      description:
        `For suggestions: the ${FACET_VALUES} most frequent values of a field among the newest ${FACET_EVENTS.toLocaleString("en")} events that the conditions of the ` +
        "list select, with exact counts. `events` says of how many events. Where the conditions select few events of a large log, it looks " +
        "at fewer, rather than for long: `complete` says whether these are all. `time` says by when events are the newest, too; labels are " +
        "the newest names by when they were recorded."
    })
  )

const getEvent = HttpApiEndpoint.get("getEvent", "/api/v1/events/:id", {
  params: { id: Schema.String.annotate({ description: "The event's UUID" }) },
  success: Event,
  error: NOT_FOUND
})
  .annotate(Access, "key_or_viewer")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Get one event",
      description:
        "An event that waits for its place in the chain has null hashes and a provisional `created_at`."
    })
  )

const verify = HttpApiEndpoint.get("verify", "/api/v1/verify", {
  query: {
    from: momentParameter("Recorded at or after"),
    to: momentParameter("Recorded at or before"),
    limit: limitParameter
  },
  success: Schema.Struct({ data: ChainVerification }).annotate({
    description: "What the verification found"
  }),
  error: INVALID_PARAMETER
}).annotateMerge(
  OpenApi.annotations({
    summary: "Verify the event hash chain",
    description:
      "Recomputes every hash from the stored events and follows every link. Legacy events without hashes are skipped. At most `limit` events " +
      "are checked: unless `complete`, `valid` says nothing of the rest. Then ask again with `next` as `from`, and the same `to`, until " +
      "`complete`; the answers together find what one of the whole would. What ends with a `to` is held against the two events after it, and not " +
      "against the log's end, its checkpoints and anchors: a log whose chain was rewritten from some event on shows only without a `to`.",
    transform: describeLimit(VERIFY_BOUNDS)
  })
)

/** Ingesting, reading and verifying events. */
export class EventApi extends HttpApiGroup.make("events")
  .add(ingest, ingestBatch, listEvents, countEvents, histogram, facets, getEvent, verify)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "The append-only log" })) {}
