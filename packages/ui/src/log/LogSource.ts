/** What a log is read from: the requests that the list, the drawer and the chart make. */
import { Event } from "@cairn/core/event"
import { EventPage as Page } from "@cairn/core/log"
import { Schema } from "effect"
import type { Selection } from "../place/Place.ts"

/**
 * Why a request failed. `expired`: the token is not accepted, or no longer; `refused`: it does not allow
 * this; `elsewhere`: it is not taken from the reader's network address.
 */
export type Refusal =
  | { readonly kind: "expired" | "refused" | "elsewhere" | "gone" | "failed" }
  /** What was asked for is not valid: the parameter of this name, if the service named one. */
  | { readonly kind: "invalid"; readonly parameter: string | undefined }
  /** Too many requests, or the service cannot answer for now; `seconds` until the next may be made. */
  | { readonly kind: "busy" | "unavailable"; readonly seconds: number }

/** A request failed. */
export class RequestRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

/** An error, as the service answers it: a code, and what is wrong with which parameter. */
const ErrorAnswer = Schema.Struct({
  error: Schema.String,
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ field: Schema.String })))
})

/** Why a request failed whose answer has this status, 400 or 403, and this body. */
export const refusalIn = (status: 400 | 403, body: unknown): Refusal => {
  const { error, errors = [] } = Schema.is(ErrorAnswer)(body) ? body : { error: "" }
  if (status === 403) return { kind: error === "ip_not_allowed" ? "elsewhere" : "refused" }
  return error === "invalid_parameter" ? { kind: "invalid", parameter: errors[0]?.field } : { kind: "failed" }
}

/** A page of events, as `GET /api/v1/events` returns it. */
export type EventPage = Page<Event>

/** Its schema. */
export const EventPage = Page(Event)

/** Proofs, as `POST /api/v1/events/proofs` returns them; only the verifier reads them. */
export const ProofPage = Schema.Struct({
  checkpoint: Schema.String,
  events: Schema.Array(Schema.Unknown)
})
export type ProofPage = typeof ProofPage.Type

/** How many events there are, as `GET /api/v1/events/count` returns it. */
export const CountAnswer = Schema.Struct({ data: Schema.Struct({ total: Schema.Number }) })

/** How many events there were over time, as `GET /api/v1/events/histogram` returns it. */
export const HistogramAnswer = Schema.Struct({
  data: Schema.Struct({
    /** Length of a bucket. */
    bucket_seconds: Schema.Number,
    /** Ascending; buckets without an event may be left out. `start` is ISO 8601. */
    buckets: Schema.Array(Schema.Struct({ start: Schema.String, count: Schema.Number }))
  })
})
export type Histogram = (typeof HistogramAnswer.Type)["data"]

/** How a workspace's viewer tells events, as `GET /api/v1/viewer/settings` returns it. */
export const ViewerSettingsAnswer = Schema.Struct({
  data: Schema.Struct({
    /** By action or `prefix.*`, and by language. */
    sentences: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.String))
  })
})
export type ViewerSettings = (typeof ViewerSettingsAnswer.Type)["data"]
/** Fields of events whose values can be suggested. */
export type FacetField =
  | "action"
  | "actor"
  | "resource"
  | "resource_id"
  | "resource_name"
  | "target"
  | "session_id"
  | "country"
  | "category"
  | "tenant_id"

/** The most frequent values of a field, as `GET /api/v1/events/facets` returns them. */
export const FacetsAnswer = Schema.Struct({
  data: Schema.Struct({
    /** The most frequent first. `label` is the newest name of an id, `type` what kind of thing it is of. */
    values: Schema.Array(
      Schema.Struct({
        value: Schema.String,
        label: Schema.NullOr(Schema.String),
        type: Schema.NullOr(Schema.String),
        count: Schema.Number
      })
    ),
    /** How many of the newest events were counted. */
    events: Schema.Number,
    /** Whether these are all that the filter selects. */
    complete: Schema.Boolean
  })
})
export type Facets = (typeof FacetsAnswer.Type)["data"]

/** Events on a page of the list. */
export const PAGE_SIZE = 50

/** Formats of an export. */
export const FILE_FORMATS = ["csv", "ndjson"] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/** Bars of the histogram, at most. */
export const BUCKETS = 60

/**
 * Reads of one log. Each fails with a {@link RequestRefused}. A value that passes its schema is returned as
 * it came, not as a copy: the verifier holds every member of it against the proof.
 */
export interface LogSource {
  /** A page of the list, newest first and without its total; the first one without a cursor. */
  readonly events: (
    selection: Selection,
    cursor: string | undefined,
    signal: AbortSignal
  ) => Promise<EventPage>
  /** How many events the list has; may take long. */
  readonly count: (selection: Selection, signal: AbortSignal) => Promise<number>
  /** One event. */
  readonly event: (id: string, signal: AbortSignal) => Promise<Event>
  /** The proofs of up to 100 events; one that has none yet is missing among them. */
  readonly proofs: (ids: ReadonlyArray<string>, signal: AbortSignal) => Promise<ProofPage>
  /** Counts over time, of the list's events. */
  readonly histogram: (selection: Selection, signal: AbortSignal) => Promise<Histogram>
  /** The most frequent values that begin with a text, among the newest of the selected events. */
  readonly facets: (
    field: FacetField,
    prefix: string,
    selection: Selection,
    signal: AbortSignal
  ) => Promise<Facets>
  /**
   * Tells how many of the selected events have been recorded since it began, and the same again every
   * now and then as a sign that it goes on. Resolves when the service ends it.
   */
  readonly live?: (selection: Selection, signal: AbortSignal, told: (count: number) => void) => Promise<void>
  /** The list's events as a file, unread; undefined where the reader may not export them. */
  readonly file?:
    | ((selection: Selection, format: FileFormat, signal: AbortSignal) => Promise<Response>)
    | undefined
  /** How the workspace tells events; the page tells them in its own way without. */
  readonly settings?: () => Promise<ViewerSettings>
}
