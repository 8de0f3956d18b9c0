/** The requests that the page makes, all of them to the service it came from. */
import { Event } from "@cairn/core/event"
import { EventPage as Page } from "@cairn/core/log"
import { Schema } from "effect"
import type { Filter } from "../filter/Filter.ts"
import { filterParameters } from "../filter/Filter.ts"

/** Why a request failed. `expired`: the token is not accepted, or no longer. */
export type Refusal =
  | { readonly kind: "expired" | "refused" | "gone" | "failed" }
  /** Too many requests; `seconds` until the next may be made. */
  | { readonly kind: "busy"; readonly seconds: number }

/** A request failed. */
export class RequestRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

/** A page of events, as `GET /api/v1/events` returns it. */
export type EventPage = Page<Event>

const EventPage = Page(Event)

/** Proofs, as `POST /api/v1/events/proofs` returns them; only the verifier reads them. */
const ProofPage = Schema.Struct({
  checkpoint: Schema.String,
  events: Schema.Array(Schema.Unknown)
})
export type ProofPage = typeof ProofPage.Type

/** How many events there are, as `GET /api/v1/events/count` returns it. */
const CountAnswer = Schema.Struct({ data: Schema.Struct({ total: Schema.Number }) })

/** How many events there were over time, as `GET /api/v1/events/histogram` returns it. */
const HistogramAnswer = Schema.Struct({
  data: Schema.Struct({
    /** Length of a bucket. */
    bucket_seconds: Schema.Number,
    /** Ascending; buckets without an event may be left out. `start` is ISO 8601. */
    buckets: Schema.Array(Schema.Struct({ start: Schema.String, count: Schema.Number }))
  })
})
export type Histogram = (typeof HistogramAnswer.Type)["data"]

/** Events on a page of the list. */
export const PAGE_SIZE = 50

/** Bars of the histogram, at most. */
const BUCKETS = 60

/** Seconds to wait if the service does not state them. */
const DEFAULT_WAIT = 5

const refusalOf = (response: Response): Refusal => {
  switch (response.status) {
    case 401:
      return { kind: "expired" }
    case 403:
      return { kind: "refused" }
    case 404:
      return { kind: "gone" }
    case 429:
    case 503: {
      const seconds = Number(response.headers.get("Retry-After") ?? DEFAULT_WAIT)
      return { kind: "busy", seconds: Number.isFinite(seconds) ? Math.max(1, seconds) : DEFAULT_WAIT }
    }
    default:
      return { kind: "failed" }
  }
}

/**
 * Reads of the events that a token allows. A value that passes its schema is returned as it came, not as a
 * copy: the verifier holds every member of it against the proof.
 */
export class ViewerApi {
  readonly #base: URL
  #token: string

  /** `base` is the page's own address; the interface is at `api/v1/` beside it. */
  constructor(base: URL, token: string) {
    this.#base = new URL("api/v1/", base)
    this.#token = token
  }

  /** Goes on with another token. */
  renew(token: string): void {
    this.#token = token
  }

  async #ask<S extends Schema.Top>(
    schema: S,
    path: string,
    parameters: ReadonlyArray<readonly [string, string]>,
    signal: AbortSignal,
    body?: unknown
  ): Promise<S["Type"]> {
    const address = new URL(path, this.#base)
    for (const [name, value] of parameters) address.searchParams.set(name, value)
    let response: Response
    try {
      response = await fetch(address, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          Authorization: `Bearer ${this.#token}`,
          Accept: "application/json",
          ...(body === undefined ? {} : { "Content-Type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
        cache: "no-store",
        credentials: "omit",
        referrerPolicy: "no-referrer"
      })
    } catch (error) {
      if (signal.aborted) throw error
      throw new RequestRefused({ kind: "failed" })
    }
    if (!response.ok) throw new RequestRefused(refusalOf(response))
    const answer: unknown = await response.json().catch(() => undefined)
    if (Schema.is(schema)(answer)) return answer
    throw new RequestRefused({ kind: "failed" })
  }

  /** A page of the list, newest first and without its total; the first one without a cursor. */
  events(filter: Filter, cursor: string | undefined, signal: AbortSignal): Promise<EventPage> {
    const place = cursor === undefined ? [] : [["cursor", cursor] as const]
    const parameters = [
      ...filterParameters(filter),
      ...place,
      ["limit", String(PAGE_SIZE)] as const,
      ["total", "none"] as const
    ]
    return this.#ask(EventPage, "events", parameters, signal)
  }

  /** How many events the list has; may take long. */
  count(filter: Filter, signal: AbortSignal): Promise<number> {
    return this.#ask(CountAnswer, "events/count", filterParameters(filter), signal).then(
      ({ data }) => data.total
    )
  }

  /** One event. */
  event(id: string, signal: AbortSignal): Promise<Event> {
    return this.#ask(Event, `events/${encodeURIComponent(id)}`, [], signal)
  }

  /** The proofs of up to 100 events; one that has none yet is missing among them. */
  proofs(ids: ReadonlyArray<string>, signal: AbortSignal): Promise<ProofPage> {
    return this.#ask(ProofPage, "events/proofs", [], signal, { ids })
  }

  /** Counts over time, under the list's filter. */
  histogram(filter: Filter, signal: AbortSignal): Promise<Histogram> {
    const parameters = [...filterParameters(filter), ["buckets", String(BUCKETS)] as const]
    return this.#ask(HistogramAnswer, "events/histogram", parameters, signal).then(({ data }) => data)
  }
}
