/** One request on its way through the server. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"
import type { AnswerHeaders } from "./Answer.ts"

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

const NO_HEADERS: AnswerHeaders = {}

/** One request on its way, and what is learnt of it there. */
export class Exchange {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly message: IncomingMessage
  readonly requestId: string
  readonly begun: number
  /** The target's path and the part after the question mark. */
  readonly path: string
  readonly query: string
  route = ""
  workspaceId: string | undefined
  rateLimit: AnswerHeaders = NO_HEADERS
  /** What lets a page of another origin read the answer. */
  crossOrigin: AnswerHeaders = NO_HEADERS
  /** The request's headers that the answer depends on, in lower case. */
  readonly vary = new Set<string>()

  constructor(request: HttpServerRequest.HttpServerRequest, begun: number, newId: () => string) {
    this.request = request
    this.message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    this.begun = begun
    const given = this.message.headers["x-request-id"]
    this.requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : newId()
    const mark = request.url.indexOf("?")
    this.path = mark < 0 ? request.url : request.url.slice(0, mark)
    this.query = mark < 0 ? "" : request.url.slice(mark + 1)
  }

  get response(): ServerResponse {
    return NodeHttpServerRequest.toServerResponse(this.request) as ServerResponse
  }

  /** The headers that every response carries. */
  get headers(): AnswerHeaders {
    return {
      "x-request-id": this.requestId,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      ...this.rateLimit,
      ...this.crossOrigin,
      ...(this.vary.size === 0 ? {} : { vary: [...this.vary].join(", ") })
    }
  }
}
