/** A client of the HTTP interface that checks the shape of every answer it gives out. */

import { Event, type EventInput } from "@cairn/core/event"
import { Page } from "@cairn/core/log"
import { ChainVerification } from "@cairn/core/verification"
import { Schema } from "effect"

/** An answer of whatever status. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The parsed body. */
  readonly body: unknown
}

const BatchItem = Schema.Struct({
  id: Schema.NullOr(Schema.String),
  status: Schema.Literals(["queued", "duplicate", "rejected"]),
  error: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})
/** What became of one event of a request. */
export type BatchItem = typeof BatchItem.Type

/** Checks the answer to one event. */
export const decodeItem = Schema.decodeUnknownSync(BatchItem)
const decodeBatch = Schema.decodeUnknownSync(Schema.Struct({ events: Schema.Array(BatchItem) }))
const decodeEvent = Schema.decodeUnknownSync(Event)
const decodePage = Schema.decodeUnknownSync(Page(Event))
const decodeVerification = Schema.decodeUnknownSync(Schema.Struct({ data: ChainVerification }))
const decodeError = Schema.decodeUnknownSync(Schema.Struct({ error: Schema.String, message: Schema.String }))

/** The code of an error's body. */
export const errorCode = ({ body }: Answer): string => decodeError(body).error

/** Query parameters. */
export type Query = Readonly<Record<string, string | number>>

const expectStatus = (answer: Answer, status: number): Answer => {
  if (answer.status === status) return answer
  throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`)
}

/** A client with one key. */
export const apiClient = (baseUrl: string, key: string) => {
  const request = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<Answer> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") ?? false
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  const search = (query: Query) =>
    new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
    ).toString()

  const get = (path: string, query: Query = {}) => request("GET", `/api/v1${path}?${search(query)}`)

  /** A file, as it is sent. */
  const file = async (path: string): Promise<Uint8Array> => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, { headers: { Authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return new Uint8Array(await response.arrayBuffer())
  }

  const page = async (query: Query = {}) => decodePage(expectStatus(await get("/events", query), 200).body)

  return {
    request,
    get,
    file,
    /** Sends one event. */
    send: (event: unknown) => request("POST", "/api/v1/events", event),
    /** Sends one event, which must be taken. */
    accept: async (event: EventInput): Promise<BatchItem> =>
      decodeItem(expectStatus(await request("POST", "/api/v1/events", event), 202).body),
    /** Sends a batch, of which at least one must be taken. */
    acceptBatch: async (events: ReadonlyArray<unknown>): Promise<ReadonlyArray<BatchItem>> =>
      decodeBatch(expectStatus(await request("POST", "/api/v1/events/batch", { events }), 202).body).events,
    page,
    /** Every page of a list, newest first. */
    list: async (query: Query = {}): Promise<ReadonlyArray<Event>> => {
      const events: Array<Event> = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const { data, pagination }: Page<Event> = await page({
          limit: 100,
          ...query,
          ...(cursor === undefined ? {} : { cursor })
        })
        events.push(...data)
        cursor = pagination.next_cursor
      }
      return events
    },
    event: async (id: string): Promise<Event> =>
      decodeEvent(expectStatus(await get(`/events/${id}`), 200).body),
    verify: async (query: Query = {}): Promise<ChainVerification> =>
      decodeVerification(expectStatus(await get("/verify", { limit: 1_000_000, ...query }), 200).body).data
  }
}

/** A client with one key. */
export type ApiClient = ReturnType<typeof apiClient>
