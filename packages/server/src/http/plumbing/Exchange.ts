/** One request on its way through the server. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Tracer } from "effect"
import type { AnswerHeaders } from "./Answer.ts"

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

const NO_HEADERS: AnswerHeaders = {}

const NOTHING: ReadonlySet<string> = new Set()

/** What a request is known by when it comes. */
export interface Arrived {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** The target's path and what follows it; of a target with an authority, too. */
  readonly url: string
  /** When it came, in milliseconds of the wall clock. */
  readonly begun: number
}

/** One request on its way, and what is learnt of it there. */
export class Exchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly url: string
  readonly begun: number
  readonly requestId: string
  /** The target's path and the part after the question mark. */
  readonly path: string
  readonly query: string
  route = ""
  workspaceId: string | undefined
  /** Of a request that is traced. */
  span: Tracer.Span | undefined
  rateLimit: AnswerHeaders = NO_HEADERS
  /** What lets a page of another origin read the answer. */
  crossOrigin: AnswerHeaders = NO_HEADERS
  #vary: Set<string> | undefined

  constructor({ message, response, url, begun }: Arrived, newId: () => string) {
    this.message = message
    this.response = response
    this.url = url
    this.begun = begun
    const given = message.headers["x-request-id"]
    this.requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : newId()
    const mark = url.indexOf("?")
    this.path = mark < 0 ? url : url.slice(0, mark)
    this.query = mark < 0 ? "" : url.slice(mark + 1)
  }

  /** As Node has parsed it, in upper case. */
  get method(): string {
    return this.message.method ?? ""
  }

  /** The request's headers that the answer depends on, in lower case. */
  get vary(): Set<string> {
    this.#vary ??= new Set()
    return this.#vary
  }

  /** The headers that every response carries. */
  get headers(): AnswerHeaders {
    const vary = this.#vary ?? NOTHING
    return {
      "x-request-id": this.requestId,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      ...this.rateLimit,
      ...this.crossOrigin,
      ...(vary.size === 0 ? {} : { vary: [...vary].join(", ") })
    }
  }
}
