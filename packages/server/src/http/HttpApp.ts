/** Every request's way: route, client address, key, allowlist, rate limit, scope, endpoint; and every answer's headers. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Randomness, toHex } from "@cairn/core"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Clock, Effect, Layer, Option, Ref, type Scope } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { makeAlertEndpoints } from "./AlertEndpoints.ts"
import { makeAnchorEndpoints } from "./AnchorEndpoints.ts"
import { type Answer, type AnswerHeaders, jsonAnswer, toResponse } from "./Answer.ts"
import { ApiError, errorAnswer, unavailable } from "./ApiError.ts"
import { Authenticator } from "./Authenticator.ts"
import { clientAddresses, isWithin, type Network } from "./ClientAddress.ts"
import { makeDocumentation } from "./Documentation.ts"
import { asApiError } from "./DomainErrors.ts"
import { Draining } from "./Draining.ts"
import type { Endpoint } from "./Endpoint.ts"
import { makeEventEndpoints } from "./EventEndpoints.ts"
import { makeLogStreamEndpoints } from "./LogStreamEndpoints.ts"
import { makeManagementEndpoints } from "./ManagementEndpoints.ts"
import { makeMemberEndpoints } from "./MemberEndpoints.ts"
import { makeProofEndpoints } from "./ProofEndpoints.ts"
import { RateLimiter, rateLimitHeaders } from "./RateLimiter.ts"
import { makeReadiness } from "./Readiness.ts"
import { makeRequestLog } from "./RequestLog.ts"
import { match, type Route } from "./Routes.ts"
import { makeWebhookEndpoints } from "./WebhookEndpoints.ts"
import { WorkspaceDirectory } from "./WorkspaceDirectory.ts"

export { Draining } from "./Draining.ts"

/** Settings of the HTTP side. */
export interface HttpAppConfig {
  /** Peers whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<Network>
  /** Most events that may wait in the inbox, for `/readyz`. */
  readonly inboxCapacity: number
  /** Where clients reach the server, for the OpenAPI document; empty for wherever they asked. */
  readonly baseUrl: string
  /** Answers `/healthz` and `/readyz` and nothing else: the process works in the background. */
  readonly healthOnly?: boolean
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

const NO_HEADERS: AnswerHeaders = {}

/** One request on its way, and what is learnt of it there. */
class Exchange {
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
      ...this.rateLimit
    }
  }
}

const wrongMethod = (allow: string): ApiError =>
  new ApiError({ code: "method_not_allowed", message: `This path answers ${allow}`, headers: { allow } })

/** Between finding the endpoint and running it: may this request have it? */
const makeGate = Effect.fnUntraced(function* (trustedProxies: ReadonlyArray<Network>) {
  const authenticator = yield* Authenticator
  const directory = yield* WorkspaceDirectory
  const limiter = yield* RateLimiter
  const addressOf = clientAddresses(trustedProxies)

  return Effect.fnUntraced(function* (exchange: Exchange, { scope }: Route, id: string, endpoint: Endpoint) {
    const { message, response, query } = exchange
    const address = addressOf(message)
    const identity = yield* authenticator.authenticate(message.headers.authorization, address)
    const { workspaceId } = identity
    exchange.workspaceId = workspaceId
    const profile = yield* asApiError(directory.find(workspaceId))
    if (profile === undefined) {
      return yield* new ApiError({ code: "unauthenticated", message: "The API key's workspace is gone" })
    }
    const limit = profile.limits.requests_per_minute
    if (profile.allowlist.length > 0 && !isWithin(address, profile.allowlist)) {
      // It costs the workspace nothing: a key in the wrong hands must not use up its requests.
      if (limit !== null) exchange.rateLimit = rateLimitHeaders(yield* limiter.look(workspaceId, limit))
      return yield* new ApiError({
        code: "ip_not_allowed",
        message: `The workspace's keys may not be used from ${address.text}`
      })
    }
    if (limit !== null) {
      const state = yield* limiter.take(workspaceId, limit)
      exchange.rateLimit = rateLimitHeaders(state)
      if (!state.allowed) {
        return yield* new ApiError({
          code: "rate_limited",
          message: `More than ${limit} requests a minute; try again in ${state.nextSeconds} s`,
          headers: { "retry-after": String(state.nextSeconds) }
        })
      }
    }
    if (scope !== null && !identity.scopes.includes(scope)) {
      return yield* new ApiError({
        code: "insufficient_scope",
        message: `The API key lacks the scope ${scope}`
      })
    }
    return yield* endpoint({ message, response, query, id, address, identity, profile })
  })
})

/** The answer to whatever went wrong. What nobody expected is logged with its cause, and the client is told the request's id. */
const failed = (cause: Cause.Cause<ApiError>, { requestId, message }: Exchange): Effect.Effect<Answer> => {
  const { accept } = message.headers
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return Effect.succeed(errorAnswer(error.value, accept))
  const internal = new ApiError({
    code: "internal",
    message: `Something went wrong; this is request ${requestId}`
  })
  return Effect.logError("A request failed unexpectedly", cause).pipe(
    Effect.annotateLogs({ requestId }),
    Effect.as(errorAnswer(internal, accept))
  )
}

/** Makes the request handler, for every path and method. */
export const makeHttpApp = Effect.fnUntraced(function* (config: HttpAppConfig) {
  const endpoints: Record<string, Endpoint> = {
    ...(yield* makeEventEndpoints),
    ...(yield* makeAnchorEndpoints),
    ...(yield* makeProofEndpoints),
    ...(yield* makeAlertEndpoints),
    ...(yield* makeWebhookEndpoints),
    ...(yield* makeMemberEndpoints),
    ...(yield* makeLogStreamEndpoints),
    ...(yield* makeManagementEndpoints)
  }
  const documentation = yield* makeDocumentation(config.baseUrl)
  const readiness = yield* makeReadiness(config.inboxCapacity)
  const gate = yield* makeGate(config.trustedProxies)
  const draining = yield* Draining
  const random = yield* Randomness
  const log = makeRequestLog()
  const newId = () => toHex(random.bytes(12))
  const alive = Effect.succeed(jsonAnswer({ status: "ok" }))

  const route = (exchange: Exchange): Effect.Effect<Answer, ApiError> => {
    const found = match(exchange.request.method, exchange.path)
    if (found.kind === "wrong_method") return Effect.fail(wrongMethod(found.allow))
    if (found.kind === "nothing") {
      return Effect.fail(
        documentation.has(exchange.path)
          ? wrongMethod("GET, HEAD")
          : new ApiError({ code: "not_found", message: "There is nothing at this path" })
      )
    }
    const { name, template } = found.route
    if (name === "healthz") return alive
    if (name === "readyz") return readiness
    exchange.route = template
    if (config.healthOnly === true) {
      return Effect.fail(
        new ApiError({
          code: "not_found",
          message: "This process works in the background and takes no requests"
        })
      )
    }
    // The connection is closed with the answer, so that the client's next request finds another server.
    if (Ref.getUnsafe(draining)) {
      return Effect.fail(unavailable("The server is shutting down", 5, { connection: "close" }))
    }
    const endpoint = endpoints[name]
    if (endpoint === undefined) return Effect.die(new Error(`the contract's ${name} has no endpoint`))
    return gate(exchange, found.route, found.id, endpoint)
  }

  const isHealth = ({ path }: Exchange) => path === "/healthz" || path === "/readyz"

  const answer = (exchange: Exchange): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    Clock.clockWith((clock) => {
      const finish = (given: Answer) => {
        const response = toResponse(given, exchange.headers)
        if (isHealth(exchange)) return Effect.succeed(response)
        const { requestId, workspaceId, request } = exchange
        const millis = clock.currentTimeMillisUnsafe() - exchange.begun
        const line = {
          method: request.method,
          route: exchange.route,
          status: given.status,
          millis,
          requestId,
          workspaceId
        }
        return Effect.as(log(line), response)
      }
      return Effect.matchCauseEffect(route(exchange), {
        onSuccess: finish,
        onFailure: (cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.flatMap(failed(cause, exchange), finish)
      })
    })

  const page = (exchange: Exchange) => {
    const { method } = exchange.request
    return method === "GET" || method === "HEAD" ? documentation.get(exchange.path) : undefined
  }

  const app: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  > = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Clock.clockWith((clock) => {
      const exchange = new Exchange(request, clock.currentTimeMillisUnsafe(), newId)
      const documented = page(exchange)
      return documented === undefined
        ? answer(exchange)
        : Effect.map(documented, HttpServerResponse.setHeaders(exchange.headers))
    })
  )
  // A client that goes away ends its request, a long verification included.
  return Effect.interruptible(app)
})

/** Serves the contract on the `HttpServer`. */
export const layer = (config: HttpAppConfig) =>
  Layer.unwrap(Effect.map(makeHttpApp(config), (app) => HttpServer.serve(app)))
