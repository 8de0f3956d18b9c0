/** Sends prepared events and returns the outcome of each. */
import { CairnApiError, CairnConnectionError, type CairnError, CairnTimeoutError } from "./Errors.ts"
import { type Http, isRecord } from "./Http.ts"
import type { Outcome, PreparedEvent, Refusal } from "./Prepared.ts"

/** The result of one sending. */
export interface Sent {
  /** The outcomes of the events for which they are known. */
  readonly outcomes: ReadonlyArray<Outcome>
  /** Why the others must be sent again; absent where there are none. */
  readonly error?: CairnError
  /** Events on which the service failed in an answer that says what became of others: it is these events. */
  readonly failing: ReadonlyArray<PreparedEvent>
}

/** What limits a sending. */
export interface Sending {
  /** Most milliseconds of one request. */
  readonly timeoutMillis: number
  readonly signal?: AbortSignal | undefined
  /** When no further request is begun, by `performance.now()`; never unless given. */
  readonly until?: number | undefined
}

/** The service's codes that say of a single event that it will never be taken. */
const PERMANENT = /^(malformed_json|invalid_parameter|validation_failed)$/
/** Codes of an item of a batch that may be taken later. */
const PASSING = /^(quota_exceeded|rate_limited|unavailable|internal)$/

/**
 * Members that this client's types have and that an older server may not know. An event cannot do without any
 * other member.
 */
const DISPENSABLE: ReadonlySet<string> = new Set([
  "actor_name",
  "actor_type",
  "action_category",
  "resource",
  "resource_id",
  "resource_name",
  "metadata",
  "targets",
  "session_id",
  "tenant_id",
  "version",
  "ip_address"
])

/** An event in the body of a request, and what was left out of it. */
interface Item {
  readonly event: PreparedEvent
  readonly json: string
  readonly dropped: ReadonlyArray<string>
}

/** What is known of an item after a request. */
type Result = { readonly item: Item } & (
  | { readonly outcome: Outcome }
  | { readonly again: Item }
  | { readonly error: CairnError; readonly isItsOwn?: boolean }
)

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((text) => typeof text === "string") : []

const refusalOf = (error: string, message: string, body: Readonly<Record<string, unknown>>): Refusal => {
  const unknown_fields = texts(body.unknown_fields)
  return {
    error,
    message,
    ...(Array.isArray(body.errors) ? { errors: body.errors } : {}),
    ...(unknown_fields.length > 0 ? { unknown_fields } : {})
  }
}

/** The item without members that the server does not know; `undefined` where more than that is wrong. */
const without = ({ event, json, dropped }: Item, refusal: Refusal): Item | undefined => {
  const names = refusal.unknown_fields ?? []
  const isOlder = names.length && dropped.length === 0 && !refusal.errors?.length
  if (!isOlder || !names.every((name) => DISPENSABLE.has(name))) return undefined
  const body: Record<string, unknown> = JSON.parse(json)
  for (const name of names) delete body[name]
  return { event, json: JSON.stringify(body), dropped: names }
}

const refused = (item: Item, refusal: Refusal, requestId: string | undefined): Result => {
  const again = without(item, refusal)
  if (again !== undefined) return { item, again }
  const { key } = item.event
  return {
    item,
    outcome: { key, status: "refused", refusal, ...(requestId === undefined ? {} : { requestId }) }
  }
}

/** An answer of something between says nothing about an event, except that it is too large. */
const isPermanent = (error: CairnError): error is CairnApiError =>
  error instanceof CairnApiError && (error.status === 413 || PERMANENT.test(error.code))

/** Whether one event may cause the error: any error except one about the key, the limits or the service. */
export const mayBeOne = (error: CairnError): boolean =>
  !(error instanceof CairnApiError) ||
  error.code === "unexpected_answer" ||
  ![401, 403, 429, 503].includes(error.status)

const unexpected = (): CairnConnectionError =>
  new CairnConnectionError("the answer does not say what became of each event")

/** What an item of the service's answer says. */
const resultOf = (item: Item, said: unknown, requestId: string | undefined): Result => {
  const failed = (why: CairnError): Result => ({ item, error: why, isItsOwn: true })
  if (!isRecord(said)) return failed(unexpected())
  const { id, error, message } = said
  const { key } = item.event
  const { status } = said
  if ((status === "queued" || status === "duplicate") && typeof id === "string") {
    const warnings = texts(said.warnings)
    const extras = {
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(item.dropped.length > 0 ? { dropped_fields: item.dropped } : {})
    }
    return { item, outcome: { key, status, id, ...extras } }
  }
  if (status !== "rejected" || typeof error !== "string") return failed(unexpected())
  if (PASSING.test(error)) {
    const status = error === "internal" ? 500 : 429
    return failed(new CairnApiError({ code: error, message: String(message), status, requestId, body: said }))
  }
  return refused(item, refusalOf(error, String(message), said), requestId)
}

/** Sends events over one connection to the service. Safe to share: it holds no state. */
export class Sender {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /**
   * Sends events in one request, or in more where the service refuses them as a whole: then in halves, until
   * the culprit is alone. Members of this client's types that an older server does not know are left out,
   * once.
   * Never rejects for what the service or the network does.
   */
  async send(events: ReadonlyArray<PreparedEvent>, sending: Sending): Promise<Sent> {
    const items = events.map((event): Item => ({ event, json: event.json, dropped: [] }))
    const results = await this.#attempt(items, sending)
    const outcomes = results.flatMap((result) => ("outcome" in result ? [result.outcome] : []))
    const error = results.flatMap((result) => ("error" in result ? [result.error] : [])).at(0)
    const isItsOwn = (result: Result) => "error" in result && result.isItsOwn && mayBeOne(result.error)
    const failing = outcomes.length === 0 ? [] : results.filter(isItsOwn).map(({ item }) => item.event)
    return { outcomes, failing, ...(error === undefined ? {} : { error }) }
  }

  async #attempt(items: ReadonlyArray<Item>, sending: Sending): Promise<ReadonlyArray<Result>> {
    const results = await this.#request(items, sending)
    const again = results.flatMap((result) => ("again" in result ? [result.again] : []))
    if (again.length === 0) return results
    return [...results.filter((result) => !("again" in result)), ...(await this.#attempt(again, sending))]
  }

  async #request(items: ReadonlyArray<Item>, sending: Sending): Promise<ReadonlyArray<Result>> {
    const [first] = items
    const alone = items.length === 1 ? first : undefined
    const { timeoutMillis, until = Number.POSITIVE_INFINITY, signal } = sending
    try {
      const left = until - performance.now()
      if (left <= 0) throw new CairnTimeoutError("not sent in time")
      const { body, headers } = await this.#http.json({
        method: "POST",
        path: alone === undefined ? "/api/v1/events/batch" : "/api/v1/events",
        body: alone?.json ?? `{"events":[${items.map(({ json }) => json).join(",")}]}`,
        timeoutMillis: Math.min(timeoutMillis, left),
        signal
      })
      const whole = this.#http.withoutKey(body)
      const said = alone === undefined ? (isRecord(whole) ? whole.events : undefined) : [whole]
      if (!Array.isArray(said) || said.length !== items.length) throw unexpected()
      const requestId = this.#http.requestId(headers)
      return items.map((item, index) => resultOf(item, said[index], requestId))
    } catch (error) {
      if (signal?.aborted) throw error
      return this.#failed(items, error as CairnError, sending)
    }
  }

  async #failed(
    items: ReadonlyArray<Item>,
    error: CairnError,
    sending: Sending
  ): Promise<ReadonlyArray<Result>> {
    if (!isPermanent(error)) return items.map((item) => ({ item, error }))
    const { body, requestId } = error
    const said = body.events
    if (Array.isArray(said) && said.length === items.length && items.length > 1) {
      return items.map((item, index) => resultOf(item, said[index], requestId))
    }
    const [first] = items
    if (items.length === 1 && first !== undefined) {
      return [refused(first, refusalOf(error.code, error.message, body), requestId)]
    }
    const half = Math.ceil(items.length / 2)
    const before = await this.#attempt(items.slice(0, half), sending)
    return [...before, ...(await this.#attempt(items.slice(half), sending))]
  }
}
