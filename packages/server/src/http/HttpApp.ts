/** Every request's way: route, client address, key, allowlist, rate limit, scope, endpoint; and every answer's headers. */
import { Randomness, toHex } from "@cairn/core"
import { Cause, Clock, Effect, Layer, Option, Ref, type Scope } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { TurnWatch } from "../thread/TurnWatch.ts"
import { makeAlertEndpoints } from "./endpoints/AlertEndpoints.ts"
import { makeAnchorEndpoints } from "./endpoints/AnchorEndpoints.ts"
import { makeDocumentation } from "./endpoints/Documentation.ts"
import { makeEventEndpoints } from "./endpoints/EventEndpoints.ts"
import { makeExportEndpoints } from "./endpoints/ExportEndpoints.ts"
import { makeLogStreamEndpoints } from "./endpoints/LogStreamEndpoints.ts"
import { makeManagementEndpoints } from "./endpoints/ManagementEndpoints.ts"
import { makeMemberEndpoints } from "./endpoints/MemberEndpoints.ts"
import { makeProofEndpoints } from "./endpoints/ProofEndpoints.ts"
import { makeReadiness } from "./endpoints/Readiness.ts"
import { makeViewerEndpoints } from "./endpoints/ViewerEndpoints.ts"
import { ViewerPage } from "./endpoints/ViewerPage.ts"
import { makeWebhookEndpoints } from "./endpoints/WebhookEndpoints.ts"
import type { Network } from "./gate/ClientAddress.ts"
import type { Endpoint, LinkEndpoint } from "./gate/Endpoint.ts"
import { makeGate } from "./gate/Gate.ts"
import { type Answer, jsonAnswer, toResponse } from "./plumbing/Answer.ts"
import { ApiError, errorAnswer, unavailable } from "./plumbing/ApiError.ts"
import { Draining } from "./plumbing/Draining.ts"
import { Exchange } from "./plumbing/Exchange.ts"
import { makeRequestLog } from "./plumbing/RequestLog.ts"
import { match } from "./plumbing/Routes.ts"

export { Draining } from "./plumbing/Draining.ts"

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

const wrongMethod = (allow: string): ApiError =>
  new ApiError({ code: "method_not_allowed", message: `This path answers ${allow}`, headers: { allow } })

/** Where the files of exports are, which only their links lead to. */
const FILE_PATH = /^\/files\/exports\/([A-Za-z0-9_-]{1,64})$/

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
  const exports = yield* makeExportEndpoints
  const linked: Record<string, LinkEndpoint> = exports.linked
  const endpoints: Record<string, Endpoint> = {
    ...(yield* makeEventEndpoints),
    ...(yield* makeAnchorEndpoints),
    ...(yield* makeProofEndpoints),
    ...exports.endpoints,
    ...(yield* makeViewerEndpoints),
    ...(yield* makeAlertEndpoints),
    ...(yield* makeWebhookEndpoints),
    ...(yield* makeMemberEndpoints),
    ...(yield* makeLogStreamEndpoints),
    ...(yield* makeManagementEndpoints)
  }
  const viewerPage = yield* ViewerPage
  const documentation = yield* makeDocumentation(config.baseUrl)
  const readiness = yield* makeReadiness(config.inboxCapacity)
  const gate = yield* makeGate(config.trustedProxies)
  const draining = yield* Draining
  const random = yield* Randomness
  const log = makeRequestLog()
  const turns = yield* TurnWatch
  const newId = () => toHex(random.bytes(12))
  const alive = Effect.succeed(jsonAnswer({ status: "ok" }))

  /** Why this process takes no requests. */
  const closed = (): Option.Option<ApiError> => {
    if (config.healthOnly === true) {
      return Option.some(
        new ApiError({
          code: "not_found",
          message: "This process works in the background and takes no requests"
        })
      )
    }
    // The connection is closed with the answer, so that the client's next request finds another server.
    return Ref.getUnsafe(draining)
      ? Option.some(unavailable("The server is shutting down", 5, { connection: "close" }))
      : Option.none()
  }

  const route = (exchange: Exchange): Effect.Effect<Answer, ApiError> => {
    const { path, request } = exchange
    const file = FILE_PATH.exec(path)?.[1]
    if (file !== undefined) {
      exchange.route = "/files/exports/:id"
      if (request.method !== "GET" && request.method !== "HEAD") return Effect.fail(wrongMethod("GET, HEAD"))
      const refusal = closed()
      return Option.isSome(refusal)
        ? Effect.fail(refusal.value)
        : exports.exportFile({ id: file, query: exchange.query })
    }
    const shown = path.startsWith("/viewer") ? viewerPage.find(path, exchange.query) : undefined
    if (shown !== undefined) {
      exchange.route = "/viewer"
      if (request.method !== "GET" && request.method !== "HEAD") return Effect.fail(wrongMethod("GET, HEAD"))
      const refusal = closed()
      return Option.isSome(refusal) ? Effect.fail(refusal.value) : shown
    }
    const found = match(request.method, path)
    if (found.kind === "wrong_method") return Effect.fail(wrongMethod(found.allow))
    if (found.kind === "nothing") {
      return Effect.fail(
        documentation.has(path)
          ? wrongMethod("GET, HEAD")
          : new ApiError({ code: "not_found", message: "There is nothing at this path" })
      )
    }
    const { name, template } = found.route
    if (name === "healthz") return alive
    if (name === "readyz") return readiness
    exchange.route = template
    const refusal = closed()
    if (Option.isSome(refusal)) return Effect.fail(refusal.value)
    const endpoint = endpoints[name]
    if (endpoint === undefined) return Effect.die(new Error(`the contract's ${name} has no endpoint`))
    return gate(exchange, found.route, found.id, { endpoint, linked: linked[name] })
  }

  const isHealth = ({ path }: Exchange) => path === "/healthz" || path === "/readyz"

  const answer = (exchange: Exchange): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    Clock.clockWith((clock) => {
      turns.touched(exchange)
      // A body is parsed in the turn in which its last byte comes.
      if (exchange.request.method !== "GET") exchange.message.once("end", () => turns.touched(exchange))
      const finish = (given: Answer) => {
        turns.touched(exchange)
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
