/** One request and its answer, read with bounds. */
import { Deadline } from "./Deadline.ts"
import { CairnApiError, CairnConnectionError } from "./Errors.ts"
import { REDACTED } from "./Redaction.ts"

/** Most bytes of an answer that is read as JSON. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Most characters of a message that a peer sends, as an error repeats it. */
const MAX_MESSAGE = 2000

/** How the service is reached. */
export interface Service {
  /** The service's base address, such as `https://audit.example.com`; a path is kept. */
  readonly url: string
  /**
   * An API key, or a viewer token. `undefined`, as a variable that is not set, is an error at the making.
   */
  readonly apiKey: string | undefined
  /** Makes requests; the platform's own unless given. */
  readonly fetch?: typeof fetch | undefined
}

/** A request of the interface. */
export interface Call {
  readonly method: string
  /** From `/api/v1` on, its parts escaped. */
  readonly path: string
  readonly query?: URLSearchParams | undefined
  /** A body of JSON. */
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** `follow` for downloads; a redirect is an error otherwise, so that a key goes nowhere else. */
  readonly redirect?: "manual" | "follow" | undefined
  /** Most milliseconds until the whole answer is read; infinite where the signal alone ends it. */
  readonly timeoutMillis: number
  /** Whether the answer is text, and no JSON. */
  readonly isText?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** A successful answer. `body` is what its JSON holds; `undefined` where it has none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The base address without a slash at its end. */
const baseOf = (url: string): string => {
  const base = URL.canParse(url) ? new URL(url) : undefined
  const isPlain = base && base.username + base.password + base.search + base.hash === ""
  if (!isPlain || !/^https?:$/.test(base.protocol)) {
    throw new TypeError("url must be such as https://audit.example.com, without user, query or fragment")
  }
  return base.origin + base.pathname.replace(/\/$/, "")
}

/** The milliseconds that a `Retry-After` asks for: seconds, or a date, by the server's clock. */
const retryAfter = (headers: Headers): number | undefined => {
  const text = headers.get("retry-after")
  if (!text) return undefined
  const seconds = Number(text)
  const millis = Number.isFinite(seconds)
    ? seconds * 1000
    : Date.parse(text) - (Date.parse(headers.get("date") ?? "") || Date.now())
  return Number.isFinite(millis) ? Math.max(0, millis) : undefined
}

const readText = async (response: Response): Promise<string> => {
  if (response.body === null) return ""
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > MAX_ANSWER_BYTES) {
      await reader.cancel()
      throw new CairnConnectionError(`the answer is too large`)
    }
    text += decoder.decode(value, { stream: true })
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The position of the log after a change: sealed, after the time. */
const POSITION = "x-cairn-position"
/** Makes requests to one service. */
export class Http {
  readonly #base: string
  readonly #apiKey: string
  /** The key as it stands in JSON and in an address. */
  readonly #secrets: ReadonlyArray<string>
  readonly #fetch: typeof fetch
  /** The newest position of an answer: later reads include all that was written before it. */
  #position = ""

  /** @throws TypeError for an address or key that cannot be used; its text does not hold the key. */
  constructor(service: Service) {
    this.#base = baseOf(service.url)
    if (typeof service.apiKey !== "string" || !/^[\x21-\x7e]+$/.test(service.apiKey)) {
      throw new TypeError("apiKey must be set, to visible ASCII characters")
    }
    this.#apiKey = service.apiKey
    this.#secrets = [JSON.stringify(service.apiKey).slice(1, -1), encodeURIComponent(service.apiKey)]
    // Browsers call it on the global object only.
    this.#fetch = service.fetch ?? ((...request) => globalThis.fetch(...request))
  }

  /**
   * Sends a request and reads the answer as JSON.
   *
   * @throws CairnApiError where the service answers with an error.
   * @throws CairnConnectionError where no answer came, or none that can be read.
   * @throws CairnTimeoutError after `timeoutMillis`; ClosedError, or the signal's reason, once it is aborted.
   */
  json(call: Call): Promise<Answer> {
    return this.#within(call, async (signal) => {
      const response = await this.#send(call, signal)
      const text = await readText(response)
      if (!response.ok) throw this.#errorOf(response, text)
      const body = text === "" ? undefined : call.isText ? text : parse(text)
      if (text !== "" && body === undefined) throw new CairnConnectionError("the answer is no JSON")
      return { status: response.status, headers: response.headers, body }
    })
  }

  /** Sends a request and gives the answer unread, once it is known to be a success. */
  open(call: Call): Promise<Response> {
    return this.#within(call, async (signal) => {
      const response = await this.#send(call, signal)
      if (response.ok) return response
      throw this.#errorOf(response, await readText(response))
    })
  }

  async #send(call: Call, signal: AbortSignal): Promise<Response> {
    const query = call.query?.toString() ?? ""
    const response = await this.#fetch(`${this.#base}${call.path}${query === "" ? "" : `?${query}`}`, {
      method: call.method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        accept: "application/json",
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.#position && call.method === "GET" ? { [POSITION]: this.#position } : {}),
        ...call.headers
      },
      body: call.body ?? null,
      redirect: call.redirect ?? "manual",
      signal
    })
    const position = response.headers.get(POSITION) ?? ""
    // The later one is the greater text: several answers may be in progress.
    if (position > this.#position) this.#position = position
    return response
  }

  async #within<A>(call: Call, use: (signal: AbortSignal) => Promise<A>): Promise<A> {
    const deadline = new Deadline(call.timeoutMillis, call.signal)
    const { signal } = deadline
    try {
      if (signal.aborted) throw signal.reason
      return await use(signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof CairnApiError || error instanceof CairnConnectionError) throw error
      throw this.#unreachable(error)
    } finally {
      deadline.end()
    }
  }

  #unreachable(error: unknown): CairnConnectionError {
    // fetch says "fetch failed", and why in the cause.
    const causes = [error, (error as { cause?: unknown } | null)?.cause]
    const said = causes.flatMap((cause) => {
      if (!(cause instanceof Error)) return []
      const { code } = cause as { code?: unknown }
      return [cause.message === "" && typeof code === "string" ? code : cause.message]
    })
    return new CairnConnectionError(this.withoutKey(`the service was not reached: ${said.join(": ")}`))
  }

  #errorOf(response: Response, text: string): CairnApiError {
    const { status, headers } = response
    // Some proxies repeat in their answer what they were asked with.
    const body = this.withoutKey(parse(text))
    const fields = isRecord(body) ? body : {}
    const { error, message } = fields
    // The service's codes are words; something between says "Bad Request".
    const known = typeof error === "string" && typeof message === "string" && /^[a-z_]{1,64}$/.test(error)
    // A redirect that a browser does not show has the status 0.
    return new CairnApiError({
      status,
      code: known ? error : "unexpected_answer",
      message: known ? message.slice(0, MAX_MESSAGE) : `the answer is not the service's: status ${status}`,
      requestId: this.requestId(headers),
      retryAfterMillis: retryAfter(headers),
      body: fields
    })
  }

  /** The id of a request in the service's log. */
  requestId(headers: Headers): string | undefined {
    return this.withoutKey(headers.get("x-request-id") ?? undefined)?.slice(0, 200)
  }

  /** A value of JSON without the API key, wherever and however a peer has repeated it. */
  withoutKey<A>(value: A): A {
    if (value === undefined) return value
    const text = this.#secrets.reduce(
      (part, secret) => part.replaceAll(secret, REDACTED),
      JSON.stringify(value)
    )
    return JSON.parse(text)
  }
}
