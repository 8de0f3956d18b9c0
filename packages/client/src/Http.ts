/** One request and its answer, read with bounds. */
import { CairnApiError, CairnConnectionError, CairnTimeoutError, ClosedError } from "./Errors.ts"

/** Most bytes of an answer that is read as JSON. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Most characters of a message that a peer sends, as an error repeats it. */
const MAX_MESSAGE = 2000

/** How the service is reached. */
export interface Service {
  /** The service's base address, such as `https://audit.example.com`; a path is kept. */
  readonly url: string
  /** An API key, or a viewer token. */
  readonly apiKey: string
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
  /** Most milliseconds until the whole answer is read. */
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
  let base: URL
  try {
    base = new URL(url)
  } catch {
    throw new TypeError("url must be an absolute address, such as https://audit.example.com")
  }
  if (base.protocol !== "https:" && base.protocol !== "http:")
    throw new TypeError("url must be http or https")
  if (base.username !== "" || base.password !== "" || base.search !== "" || base.hash !== "") {
    throw new TypeError("url must have no user, password, query or fragment")
  }
  return base.origin + base.pathname.replace(/\/$/, "")
}

/** The milliseconds that a `Retry-After` asks for: seconds, or a date. */
const retryAfter = (text: string | null): number | undefined => {
  if (text === null || text === "") return undefined
  const seconds = Number(text)
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now()
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
      throw new CairnConnectionError(`the answer has more than ${MAX_ANSWER_BYTES} bytes`)
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

/** Makes requests to one service. */
export class Http {
  readonly #base: string
  readonly #apiKey: string
  readonly #fetch: typeof fetch

  /** @throws TypeError for an address or key that cannot be used; its text does not hold the key. */
  constructor(service: Service) {
    this.#base = baseOf(service.url)
    if (typeof service.apiKey !== "string" || !/^[\x21-\x7e]+$/.test(service.apiKey)) {
      throw new TypeError("apiKey must be a text of visible ASCII characters without blanks")
    }
    this.#apiKey = service.apiKey
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

  #send(call: Call, signal: AbortSignal): Promise<Response> {
    const query = call.query?.toString() ?? ""
    return this.#fetch(`${this.#base}${call.path}${query === "" ? "" : `?${query}`}`, {
      method: call.method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        accept: "application/json",
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        ...call.headers
      },
      body: call.body ?? null,
      redirect: call.redirect ?? "manual",
      signal
    })
  }

  async #within<A>(call: Call, use: (signal: AbortSignal) => Promise<A>): Promise<A> {
    const controller = new AbortController()
    const { signal } = call
    const abort = () => controller.abort(signal?.reason)
    if (signal?.aborted) throw signal.reason ?? new ClosedError("the call was ended")
    signal?.addEventListener("abort", abort)
    const timedOut = new CairnTimeoutError(`no answer within ${call.timeoutMillis} ms`)
    const timer = setTimeout(() => controller.abort(timedOut), call.timeoutMillis)
    try {
      return await use(controller.signal)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (controller.signal.aborted) throw timedOut
      if (error instanceof CairnApiError || error instanceof CairnConnectionError) throw error
      throw this.#unreachable(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", abort)
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
    return new CairnConnectionError(this.#withoutKey(`the service was not reached: ${said.join(": ")}`))
  }

  #errorOf(response: Response, text: string): CairnApiError {
    const { status, headers } = response
    // Some proxies repeat in their answer what they were asked with.
    const body = parse(this.#withoutKey(text))
    const fields = isRecord(body) ? body : {}
    const known = typeof fields.error === "string" && typeof fields.message === "string"
    // A redirect that a browser does not show has the status 0.
    return new CairnApiError({
      status,
      code: known ? String(fields.error).slice(0, MAX_MESSAGE) : "unexpected_answer",
      message: known
        ? String(fields.message).slice(0, MAX_MESSAGE)
        : `the answer is not the service's: status ${status}`,
      requestId: headers.get("x-request-id")?.slice(0, 200),
      retryAfterMillis: retryAfter(headers.get("retry-after")),
      body: fields
    })
  }

  #withoutKey(text: string): string {
    return text.replaceAll(this.#apiKey, "[redacted]")
  }
}
