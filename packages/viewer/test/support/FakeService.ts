/** The part of the service that the page speaks to, over a log in memory, with ways to make it misbehave. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Micros } from "@cairn/core/encoding"
import { type Event, type EventFilter, matches, parseContent } from "@cairn/core/event"
import { Cursor, type LogEntry } from "@cairn/core/log"
import { ELEMENT_PATH, elementHeaders, type ViewerFile, viewerHeaders } from "../../src/index.ts"
import { facetsOf } from "./FakeFacets.ts"
import type { TestTenant } from "./TestTenant.ts"

/** What each clock shows, in milliseconds since the Unix epoch: 2026-03-04T12:00:00Z. */
export const NOW = 1_772_625_600_000

/** An answer to a request. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
  /** In place of the body as JSON. */
  readonly text?: string
}

/** A request, as a test looks at it. */
export interface SeenRequest {
  readonly method: string
  readonly url: URL
  readonly authorization: string | undefined
  readonly body: unknown
}

/** A page of a list. */
interface ListedPage {
  readonly data: ReadonlyArray<unknown>
  readonly pagination: {
    readonly has_more: boolean
    readonly next_cursor: string | null
    readonly total: number
  }
}

/** The page without its total. */
const untold = ({ data, pagination }: ListedPage): unknown => ({
  data,
  pagination: { ...pagination, total: null }
})

/** Data of the interface, in place of a log. */
export interface ServiceData {
  readonly list: (parameters: URLSearchParams) => ListedPage
  readonly get: (id: string) => unknown
  readonly histogram: (parameters: URLSearchParams) => unknown
  /** No values where it is missing. */
  readonly facets?: (parameters: URLSearchParams) => unknown
  readonly proofs: (ids: ReadonlyArray<string>) => unknown
}

const notFound: Answer = { status: 404, body: { error: "not_found", message: "" } }

const STEPS = [1, 5, 15, 60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800]

const filterOf = (parameters: URLSearchParams): EventFilter => {
  const texts = (name: string) => {
    const values = parameters.getAll(name)
    return values.length === 0 ? undefined : values
  }
  const moment = (name: string) => {
    const value = parameters.get(name)
    return value === null ? undefined : Micros.parse(value)
  }
  const conditions = {
    action: texts("action"),
    actorId: texts("actor_id"),
    resource: texts("resource"),
    resourceId: texts("resource_id"),
    resourceName: texts("resource_name"),
    targetType: texts("target_type"),
    targetId: texts("target_id"),
    sessionId: texts("session_id"),
    tenantId: texts("tenant_id"),
    category: texts("category"),
    country: texts("country"),
    search: texts("search"),
    from: moment("from"),
    to: moment("to")
  }
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined))
}

/** The answers that a log gives. */
export const dataOf = (
  tenant: TestTenant,
  show: (event: Event) => unknown = (event) => event
): ServiceData => {
  /** The events that are found, ascending, each with its time: of occurrence, where that is asked for. */
  const found = (parameters: URLSearchParams): ReadonlyArray<readonly [number, LogEntry]> => {
    const filter = filterOf(parameters)
    return tenant.stored
      .flatMap((event) => {
        const content = parseContent(event.content ?? "")
        const occurred = parameters.get("time") === "occurred" ? content?.occurred_at : undefined
        const time = (occurred && Micros.parse(occurred)) || event.createdAt
        return content !== undefined && matches(filter, content, time) ? [[time, event] as const] : []
      })
      .sort(([one, first], [other, second]) => one - other || first.sequence - second.sequence)
  }
  const byOccurrence = (time: number, { sequence }: LogEntry): string =>
    Buffer.from(`${time}.${sequence}`).toString("base64url")
  return {
    list: (parameters) => {
      const isOccurred = parameters.get("time") === "occurred"
      const cursorOf = (time: number, event: LogEntry) =>
        isOccurred ? byOccurrence(time, event) : Cursor.encode(time)
      const limit = Number(parameters.get("limit") ?? 25)
      const all = found(parameters).toReversed()
      const cursor = parameters.get("cursor")
      const rest = all.slice(all.findIndex(([time, event]) => cursorOf(time, event) === cursor) + 1)
      const data = rest.slice(0, limit)
      const more = rest.length > limit
      const last = data.at(-1)
      return {
        data: data.map(([, event]) => show(tenant.eventOf(event))),
        pagination: {
          has_more: more,
          next_cursor: more && last !== undefined ? cursorOf(...last) : null,
          total: all.length
        }
      }
    },
    get: (id) => {
      const event = tenant.stored.find((stored) => stored.id === id)
      return event === undefined ? undefined : show(tenant.eventOf(event))
    },
    histogram: (parameters) => {
      const seconds = found(parameters).map(([time]) => time / Micros.SECOND)
      const span = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0)
      const step = STEPS.find((length) => span / length <= Number(parameters.get("buckets"))) ?? 2_592_000
      const counts = new Map<number, number>()
      for (const second of seconds) {
        const start = Math.floor(second / step) * step
        counts.set(start, (counts.get(start) ?? 0) + 1)
      }
      const buckets = [...counts].map(([start, count]) => ({
        start: Micros.format(start * Micros.SECOND),
        count
      }))
      return { data: { bucket_seconds: step, buckets } }
    },
    facets: (parameters) =>
      facetsOf(
        found(parameters)
          .map(([, event]) => tenant.eventOf(event))
          .toReversed(),
        parameters
      ),
    proofs: tenant.proofsOf
  }
}

const read = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return text === "" ? undefined : JSON.parse(text)
}

/** The service, on a port of its own. */
export class FakeService {
  data: ServiceData
  /** Answers in place of the log, when it gives an answer. */
  instead: (request: SeenRequest) => Answer | undefined = () => undefined
  /** Milliseconds after which a request is answered, or what its answer waits for. */
  delayOf: (request: SeenRequest) => number | Promise<void> = () => 0
  /** The workspace's own sentences. */
  sentences: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
  /** What was asked for, newest last. */
  readonly requests: Array<SeenRequest> = []
  /** Answers that tell what is new, as long as somebody hears. */
  readonly live = new Set<ServerResponse>()
  readonly #server: Server

  private constructor(files: ReadonlyArray<ViewerFile>, data: ServiceData, mount: string) {
    this.data = data
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://service")
      const path = url.pathname.startsWith(mount) ? url.pathname.slice(mount.length) : ""
      const file = files.find((one) => one.path === path)
      if (file !== undefined) {
        const headers = path === ELEMENT_PATH ? elementHeaders(file) : viewerHeaders(file, ["http:"])
        response.writeHead(200, headers).end(file.bytes)
        return
      }
      read(request)
        .then((body) => {
          const seen = {
            method: request.method ?? "",
            url: new URL(`${path}${url.search}`, url),
            authorization: request.headers.authorization,
            body
          }
          this.requests.push(seen)
          const instead = this.instead(seen)
          if (instead === undefined && seen.url.pathname === "/api/v1/events/live") {
            this.#keep(response)
            return
          }
          const answer = instead ?? this.#answer(seen)
          const headers = {
            "content-type": "application/json",
            date: new Date(NOW).toUTCString(),
            ...answer.headers
          }
          const send = () => {
            response.writeHead(answer.status, headers)
            const text = answer.text ?? JSON.stringify(answer.body)
            // One that announces more than it has waits for the rest.
            if (Number(answer.headers?.["content-length"] ?? 0) > text.length) response.write(text)
            else response.end(text)
          }
          const delay = this.delayOf(seen)
          if (typeof delay !== "number") delay.then(send, () => response.destroy())
          else if (delay > 0) setTimeout(send, delay)
          else send()
        })
        .catch(() => response.destroy())
    })
  }

  /** Starts it. `mount` is the path that the service is mounted at. */
  static start(files: ReadonlyArray<ViewerFile>, data: ServiceData, mount = ""): Promise<FakeService> {
    const service = new FakeService(files, data, mount)
    return new Promise((resolve) => service.#server.listen(0, "127.0.0.1", () => resolve(service)))
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Tells everybody how many events are new. */
  tellNews(count: number): void {
    for (const response of this.live) response.write(`event: count\ndata: {"new": ${count}}\n\n`)
  }

  /** Paths that were asked for with this beginning. */
  asked(prefix: string): ReadonlyArray<SeenRequest> {
    return this.requests.filter(({ url }) => url.pathname.startsWith(prefix))
  }

  /** Breaks off every answer that is not whole yet, and those that tell what is new. */
  breakOff(): void {
    this.#server.closeAllConnections()
  }

  #keep(response: ServerResponse): void {
    const headers = { "content-type": "text/event-stream", date: new Date(NOW).toUTCString() }
    response.writeHead(200, headers).write("retry: 5000\n\n")
    this.live.add(response)
    response.on("close", () => this.live.delete(response))
  }

  #answer({ method, url, body }: SeenRequest): Answer {
    const ok = (value: unknown): Answer => (value === undefined ? notFound : { status: 200, body: value })
    const path = url.pathname.replace(/^\/api\/v1/, "")
    if (method === "POST" && path === "/events/proofs") {
      const ids = typeof body === "object" && body !== null && "ids" in body ? body.ids : []
      return ok(this.data.proofs(Array.isArray(ids) ? ids.map(String) : []))
    }
    if (path === "/events/export") {
      const { data } = this.data.list(new URLSearchParams([...url.searchParams, ["limit", "1000000"]]))
      return { status: 200, body: null, text: data.map((event) => `${JSON.stringify(event)}\n`).join("") }
    }
    const list = () => this.data.list(url.searchParams)
    if (path === "/events") return ok(url.searchParams.get("total") === "none" ? untold(list()) : list())
    if (path === "/events/count") return ok({ data: { total: list().pagination.total } })
    if (path === "/viewer/settings") return ok({ data: { sentences: this.sentences } })
    if (path === "/events/histogram") return ok(this.data.histogram(url.searchParams))
    if (path === "/events/facets") return ok(this.data.facets?.(url.searchParams))
    const [, id] = /^\/events\/([^/]+)$/.exec(path) ?? []
    return id === undefined ? notFound : ok(this.data.get(id))
  }
}
