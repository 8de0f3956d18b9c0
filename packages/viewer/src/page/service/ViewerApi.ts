/** The requests that the page makes, all of them to the service it came from. */
import { Event } from "@cairn/core/event"
import {
  BUCKETS,
  CountAnswer,
  EventPage,
  type FacetField,
  type Facets,
  FacetsAnswer,
  type Histogram,
  HistogramAnswer,
  type LogSource,
  PAGE_SIZE,
  ProofPage,
  type Refusal,
  RequestRefused,
  readLive,
  refusalIn,
  type ViewerSettings,
  ViewerSettingsAnswer
} from "@cairn/ui/log"
import { type Selection, selectionParameters } from "@cairn/ui/place"
import { Schema } from "effect"
import { mayExport } from "./ViewerToken.ts"

/** Seconds to wait if the service does not state them. */
const DEFAULT_WAIT = 5

const refusalOf = async (response: Response): Promise<Refusal> => {
  switch (response.status) {
    case 401:
      return { kind: "expired" }
    case 400:
    case 403:
      return refusalIn(response.status, await response.json().catch(() => undefined))
    case 404:
      return { kind: "gone" }
    case 429:
    case 503: {
      const seconds = Number(response.headers.get("Retry-After") ?? DEFAULT_WAIT)
      const kind = response.status === 429 ? "busy" : "unavailable"
      return { kind, seconds: Number.isFinite(seconds) ? Math.max(1, seconds) : DEFAULT_WAIT }
    }
    default:
      return { kind: "failed" }
  }
}

/** Reads of the events that a token allows. */
export class ViewerApi implements LogSource {
  readonly #base: URL
  #token: string
  readonly #fetch: typeof globalThis.fetch

  /**
   * `base` is the page's own address; the interface is at `api/v1/` beside it. `fetch` is none that must be
   * called on an object of its own, as a browser's must.
   */
  constructor(base: URL, token: string, fetch: typeof globalThis.fetch) {
    this.#base = new URL("api/v1/", base)
    this.#token = token
    this.#fetch = fetch
  }

  /** Goes on with another token. */
  renew(token: string): void {
    this.#token = token
  }

  /** The answer to a request, unread. */
  async #send(
    path: string,
    parameters: ReadonlyArray<readonly [string, string]>,
    signal: AbortSignal,
    accept: string,
    body?: unknown
  ): Promise<Response> {
    const address = new URL(path, this.#base)
    for (const [name, value] of parameters) address.searchParams.append(name, value)
    let response: Response
    try {
      response = await this.#fetch(address, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          Authorization: `Bearer ${this.#token}`,
          Accept: accept,
          ...(body === undefined ? {} : { "Content-Type": "application/json" })
        },
        // Of undefined it is undefined.
        body: JSON.stringify(body),
        signal,
        cache: "no-store",
        credentials: "omit",
        referrerPolicy: "no-referrer"
      })
    } catch (error) {
      if (signal.aborted) throw error
      throw new RequestRefused({ kind: "failed" })
    }
    if (!response.ok) throw new RequestRefused(await refusalOf(response))
    return response
  }

  async #ask<S extends Schema.Top>(
    schema: S,
    path: string,
    parameters: ReadonlyArray<readonly [string, string]>,
    signal: AbortSignal,
    body?: unknown
  ): Promise<S["Type"]> {
    const response = await this.#send(path, parameters, signal, "application/json", body)
    const answer: unknown = await response.json().catch(() => undefined)
    if (Schema.is(schema)(answer)) return answer
    throw new RequestRefused({ kind: "failed" })
  }

  /** A page of the list, newest first and without its total; the first one without a cursor. */
  events(selection: Selection, cursor: string | undefined, signal: AbortSignal): Promise<EventPage> {
    const place = cursor === undefined ? [] : [["cursor", cursor] as const]
    const parameters = [
      ...selectionParameters(selection),
      ...place,
      ["limit", String(PAGE_SIZE)] as const,
      ["total", "none"] as const
    ]
    return this.#ask(EventPage, "events", parameters, signal)
  }

  /** How many events the list has; may take long. */
  count(selection: Selection, signal: AbortSignal): Promise<number> {
    return this.#ask(CountAnswer, "events/count", selectionParameters(selection), signal).then(
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

  /** Counts over time, of the list's events. */
  histogram(selection: Selection, signal: AbortSignal): Promise<Histogram> {
    const parameters = [...selectionParameters(selection), ["buckets", String(BUCKETS)] as const]
    return this.#ask(HistogramAnswer, "events/histogram", parameters, signal).then(({ data }) => data)
  }

  /** How the workspace tells events. */
  settings(): Promise<ViewerSettings> {
    const { signal } = new AbortController()
    return this.#ask(ViewerSettingsAnswer, "viewer/settings", [], signal).then(({ data }) => data)
  }

  /** The most frequent values that begin with a text, among the newest of the selected events. */
  facets(field: FacetField, prefix: string, selection: Selection, signal: AbortSignal): Promise<Facets> {
    const parameters = [
      ...selectionParameters(selection),
      ["field", field] as const,
      ...(prefix === "" ? [] : [["prefix", prefix] as const])
    ]
    return this.#ask(FacetsAnswer, "events/facets", parameters, signal).then(({ data }) => data)
  }

  /** Tells how many of the selected events have been recorded since it began. */
  async live(selection: Selection, signal: AbortSignal, told: (count: number) => void): Promise<void> {
    const { body } = await this.#send(
      "events/live",
      selectionParameters(selection),
      signal,
      "text/event-stream"
    )
    await readLive(body, signal, told)
  }

  /** The list's events as a file; undefined where the token does not allow it. */
  get file(): LogSource["file"] {
    if (!mayExport(this.#token)) return undefined
    return (selection, format, signal) =>
      this.#send("events/export", [...selectionParameters(selection), ["format", format]], signal, "*/*")
  }
}
