/**
 * The steps of each request: route, client address, key, allowlist, rate limit, scope, body, endpoint; and
 * the headers of every response.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { EndpointName, PersonEndpointName } from "@cairn/api"
import type { Network } from "@cairn/core/encoding"
import { Randomness, toHex } from "@cairn/core/hashing"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Clock, Effect, Layer, Option, Ref, type Scope } from "effect"
import { HttpServer, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type HttpMeters, makeHttpMeters } from "../metrics/HttpMeters.ts"
import { METRICS_PATH, type MetricsPage, makeMetricsPage } from "../metrics/MetricsPage.ts"
import type { RoleRule } from "../settings/RoleMapping.ts"
import type { Sampling } from "../settings/TelemetrySettings.ts"
import { TurnWatch } from "../thread/TurnWatch.ts"
import { makeRequestTraces, type RequestTraces } from "../trace/RequestTraces.ts"
import { CHECK_PATH, ConsolePage } from "./endpoints/ConsolePage.ts"
import { type Documentation, makeDocumentation } from "./endpoints/Documentation.ts"
import { type Endpoints, makeEndpoints } from "./endpoints/Endpoints.ts"
import { embedderOf, isOwnFrame, ViewerPage } from "./endpoints/ViewerPage.ts"
import { challenge } from "./gate/Challenge.ts"
import { clientAddresses } from "./gate/ClientAddress.ts"
import { makeCrossOrigin, preflight } from "./gate/CrossOrigin.ts"
import { type ForwardedNotice, makeForwardedNotice } from "./gate/ForwardedNotice.ts"
import { type Gate, makeGate, makeGuard } from "./gate/Gate.ts"
import { isPlainHttp } from "./gate/SessionCookie.ts"
import { makePromptIngest } from "./PromptIngest.ts"
import { type Answer, toResponse } from "./plumbing/Answer.ts"
import { ApiError, errorAnswer, unavailable } from "./plumbing/ApiError.ts"
import { encodeAnswer } from "./plumbing/Compression.ts"
import { unlessKnown } from "./plumbing/Conditional.ts"
import { Draining, type Stage } from "./plumbing/Draining.ts"
import { Exchange } from "./plumbing/Exchange.ts"
import { makeRequestLog, type RequestLog } from "./plumbing/RequestLog.ts"
import { match } from "./plumbing/Routes.ts"
import { readTraceParent } from "./plumbing/TraceContext.ts"
import { makeSignInRoutes, type SignInRoutes } from "./signin/SignInRoutes.ts"
import { goTo } from "./signin/Visitor.ts"

/** Settings of the HTTP side. */
export interface HttpAppConfig {
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: ReadonlyArray<Network>
  /** Most events that may wait in the inbox, for `/readyz`. */
  readonly inboxCapacity: number
  /**
   * Where clients reach the server, for the OpenAPI document and `Location`; empty for the address of each
   * request.
   */
  readonly baseUrl: string
  /** Newest first, each the base64 of 32 bytes: what positions are sealed with. */
  readonly secretKeys: ReadonlyArray<string>
  /** Token for `/metrics`; without one the path is as any that leads nowhere. */
  readonly metricsToken?: string
  /** Which requests are traced; none unless it is given. */
  readonly sampling?: Sampling | null
  /** What roles the identity provider's groups and addresses give. */
  readonly roles: ReadonlyArray<RoleRule>
  /** Milliseconds that a link to sign in waits at most before it is made; two seconds unless set. */
  readonly linkDelay?: number
  /** Responds to `/healthz` and `/readyz` and nothing else: the process works in the background. */
  readonly healthOnly?: boolean
}

const wrongMethod = (allow: string): ApiError =>
  new ApiError({ code: "method_not_allowed", message: `This path answers ${allow}`, headers: { allow } })

/** Where the files of exports are, which only their links lead to. */
const FILE_PATH = /^\/files\/exports\/([A-Za-z0-9_-]{1,64})$/

/** The trace that a request is part of: its own, or that of its client. */
const traceIdOf = ({ span, message }: Exchange): string | undefined =>
  span?.traceId ?? readTraceParent(message.headers.traceparent)?.traceId

/**
 * The response to a failure. An unexpected one is logged with its cause, and the client gets the request's
 * id.
 */
const failed = (
  { meters }: Pick<App, "meters">,
  cause: Cause.Cause<ApiError>,
  exchange: Exchange
): Effect.Effect<Answer> => {
  const { requestId, message, vary } = exchange
  const { accept, authorization } = message.headers
  vary.add("accept")
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) {
    meters.refused(error.value)
    const given = errorAnswer(error.value, accept)
    return Effect.succeed(
      given.status === 401 ? { ...given, headers: { ...given.headers, ...challenge(authorization) } } : given
    )
  }
  const internal = new ApiError({
    code: "internal",
    message: `Something went wrong; this is request ${requestId}`
  })
  meters.refused(internal)
  const traceId = traceIdOf(exchange)
  return Effect.logError("A request failed unexpectedly", cause).pipe(
    Effect.annotateLogs({ requestId, ...(traceId === undefined ? {} : { traceId }) }),
    Effect.as(errorAnswer(internal, accept))
  )
}

/** What requests are handled with. */
interface App {
  readonly endpoints: Endpoints
  readonly viewerPage: ViewerPage["Service"]
  readonly consolePage: ConsolePage["Service"]
  readonly documentation: Documentation
  readonly metricsPage: MetricsPage
  readonly gate: Gate
  readonly signInRoutes: SignInRoutes
  readonly forwarded: ForwardedNotice
  /** Why this process takes no requests. */
  readonly closed: () => Option.Option<ApiError>
  /** Whether it has been told to stop. */
  readonly isLeaving: () => boolean
  readonly log: RequestLog
  readonly meters: HttpMeters
  readonly traces: RequestTraces | undefined
  readonly turns: (typeof TurnWatch)["Service"]
  readonly newId: () => string
  readonly addressOf: ReturnType<typeof clientAddresses>
  readonly baseUrl: string
  readonly crossOrigin: ReturnType<typeof makeCrossOrigin>
}

const inBackground = (): ApiError =>
  new ApiError({ code: "not_found", message: "This process works in the background and takes no requests" })

/** Why a process takes no requests: it works in the background, or is shutting down. */
const closedBy = (healthOnly: boolean, draining: Ref.Ref<Stage>) => (): Option.Option<ApiError> => {
  if (healthOnly) return Option.some(inBackground())
  // The connection is closed with the response, so that the client's next request finds another server.
  return Ref.getUnsafe(draining) === "closed"
    ? Option.some(unavailable("The server is shutting down", 5, { connection: "close" }))
    : Option.none()
}

const isRead = ({ method }: Exchange): boolean => method === "GET" || method === "HEAD"

const isHealth = ({ path }: Exchange): boolean => path === "/healthz" || path === "/readyz"

/** What lies at a path that the contract does not have, and is only read. */
const read = (
  { closed }: App,
  exchange: Exchange,
  get: () => Effect.Effect<Answer, ApiError>
): Effect.Effect<Answer, ApiError> =>
  isRead(exchange)
    ? Option.match(closed(), { onNone: get, onSome: Effect.fail })
    : Effect.fail(wrongMethod("GET, HEAD"))

/**
 * The endpoints whose answers may be compressed. What shows a secret, a token, a signed link or an address
 * that may hold one (keys, viewer tokens, exports, webhooks, log streams, deliveries) is not among them.
 */
const COMPRESSED: ReadonlySet<EndpointName> = new Set<EndpointName>([
  "listEvents",
  "getEvent",
  "eventHistogram",
  "eventFacets",
  "exportEvents",
  "getViewerSettings",
  "eventProof",
  "eventProofs",
  "verify",
  "getVerification",
  "listAnchors",
  "getAnchor",
  "verifyAnchor",
  "listAlerts",
  "listAlertRules",
  "backtestAlertRule",
  "tryAlertRule",
  "listMembers",
  "listCheckpoints",
  "checkpointConsistency"
])

const compressible = (given: Answer): Answer => ({ ...given, compressible: true })

const isPersonEndpoint = ({ person }: Endpoints, name: EndpointName): name is PersonEndpointName =>
  Object.hasOwn(person, name)

/** An endpoint of the contract. */
const callEndpoint = (app: App, exchange: Exchange): Effect.Effect<Answer, ApiError> => {
  const { endpoints, closed, gate } = app
  const found = match(exchange.method, exchange.path)
  const allowed = found.kind === "wrong_method" ? preflight(exchange) : undefined
  if (allowed !== undefined) return Effect.succeed(allowed)
  if (found.kind === "wrong_method") return Effect.fail(wrongMethod(found.allow))
  if (found.kind === "nothing") {
    const lost = app.signInRoutes.lost(exchange)
    if (lost !== undefined) return Effect.succeed(lost)
    return Effect.fail(new ApiError({ code: "not_found", message: "There is nothing at this path" }))
  }
  const { name, template, access } = found.route
  if (name === "healthz" || name === "readyz") return endpoints.health[name](exchange.query)
  exchange.route = template
  const opened = isPersonEndpoint(endpoints, name)
    ? { person: endpoints.person[name] }
    : { endpoint: endpoints.guarded[name], linked: endpoints.linked[name] }
  const run = Effect.suspend(() =>
    Option.match(closed(), {
      onNone: () => {
        const given = gate(exchange, found.route, found.id, opened)
        return COMPRESSED.has(name) ? Effect.map(given, compressible) : given
      },
      onSome: Effect.fail
    })
  )
  return access === "key_or_viewer" ? Effect.andThen(app.crossOrigin(exchange), run) : run
}

/** The page on which anybody checks an evidence file; over http from elsewhere it could be another one. */
const checkPage = ({ consolePage, baseUrl }: App, { message }: Exchange): Effect.Effect<Answer, ApiError> => {
  if (isPlainHttp(baseUrl, message)) return Effect.succeed(goTo(`${baseUrl}${CHECK_PATH}`))
  if (consolePage.checkPage !== undefined) return Effect.succeed(consolePage.checkPage)
  const explained = "The page is not built here; the command cairn-verify checks evidence files, too"
  return Effect.fail(new ApiError({ code: "not_found", message: explained }))
}

/** The viewer's page, or what it loads; undefined if there is no such file. */
const viewerFile = ({ viewerPage, baseUrl }: App, { path, query, message: { headers } }: Exchange) =>
  viewerPage.find(path, query, {
    ownFrame: isOwnFrame(headers),
    embedder: embedderOf(query, headers, baseUrl)
  })

const route = (app: App, exchange: Exchange): Effect.Effect<Answer, ApiError> => {
  const { path, query } = exchange
  const file = FILE_PATH.exec(path)?.[1]
  if (file !== undefined) {
    exchange.route = "/files/exports/:id"
    const { message } = exchange
    const address = app.addressOf(message)
    return read(app, exchange, () => app.endpoints.exportFile({ id: file, query, message, address }))
  }
  const shown = path.startsWith("/viewer") ? viewerFile(app, exchange) : undefined
  if (shown !== undefined) {
    exchange.route = "/viewer"
    if (path === "/viewer") exchange.vary.add("sec-fetch-dest").add("sec-fetch-site").add("referer")
    return read(app, exchange, () => shown)
  }
  const consoleFile = path.startsWith("/console/") ? app.consolePage.file(path) : undefined
  if (consoleFile !== undefined) {
    exchange.route = "/console"
    return read(app, exchange, () => Effect.succeed(consoleFile))
  }
  if (path === CHECK_PATH) {
    exchange.route = CHECK_PATH
    return read(app, exchange, () => checkPage(app, exchange))
  }
  const page = app.signInRoutes.find(exchange)
  if (page !== undefined) return Option.match(app.closed(), { onNone: () => page, onSome: Effect.fail })
  if (path === METRICS_PATH) {
    exchange.route = METRICS_PATH
    // Also while the server takes no other requests.
    return isRead(exchange)
      ? app.metricsPage(exchange.message.headers.authorization)
      : Effect.fail(wrongMethod("GET, HEAD"))
  }
  const documented = app.documentation.find(path)
  if (documented !== undefined) {
    exchange.route = path === "/openapi.json" ? path : "/docs"
    // Also while the server takes no other requests.
    return isRead(exchange) ? documented : Effect.fail(wrongMethod("GET, HEAD"))
  }
  return callEndpoint(app, exchange)
}

/** The answer in the coding that its client asks for. */
const encoded = (exchange: Exchange, given: Answer): Effect.Effect<Answer> => {
  exchange.vary.add("accept-encoding")
  return encodeAnswer(given, exchange.message.headers["accept-encoding"])
}

/** The response, and the line that is logged. */
const finish = (
  { log, meters, traces, turns, baseUrl, isLeaving }: App,
  exchange: Exchange,
  given: Answer,
  millis: number
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  turns.touched(exchange)
  const { created } = given
  const response = toResponse(given, {
    ...exchange.headers,
    ...(created === undefined ? {} : { location: `${baseUrl}${exchange.path}/${created}` }),
    // The client's next request finds another server, and none meets a connection that is just closed.
    ...(isLeaving() ? { connection: "close" } : {})
  })
  if (isHealth(exchange)) return Effect.succeed(response)
  meters.answered(exchange, given.status, millis)
  traces?.end(exchange, given.status)
  const { requestId, workspaceId, method } = exchange
  const line = {
    method,
    route: exchange.route,
    status: given.status,
    millis,
    requestId,
    traceId: traceIdOf(exchange),
    workspaceId
  }
  return Effect.as(log(line), response)
}

/** The response to a request, once `work` has its answer. */
const answer = (
  app: App,
  exchange: Exchange,
  work: Effect.Effect<Answer, ApiError>
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Clock.clockWith((clock) => {
    const done = (given: Answer) => {
      const end = (answered: Answer) =>
        finish(
          app,
          exchange,
          unlessKnown(exchange.message, answered),
          clock.currentTimeMillisUnsafe() - exchange.begun
        )
      return given.compressible === true ? Effect.flatMap(encoded(exchange, given), end) : end(given)
    }
    return Effect.matchCauseEffect(work, {
      onSuccess: (given) => Effect.flatMap(app.endpoints.positions.confirmed(exchange, given), done),
      onFailure: (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause as Cause.Cause<never>)
          : Effect.flatMap(failed(app, cause, exchange), done)
    })
  })

/** The response to a request that has just come. */
const answerNew = (app: App, request: HttpServerRequest.HttpServerRequest) =>
  Clock.clockWith((clock) => {
    const { turns, traces } = app
    const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
    const begun = clock.currentTimeMillisUnsafe()
    const exchange = new Exchange({ message, response, url: request.url, begun }, app.newId)
    traces?.begin(exchange)
    turns.touched(exchange)
    // A body is parsed in the turn in which its last byte comes.
    if (exchange.method !== "GET") message.once("end", () => turns.touched(exchange))
    return Effect.andThen(app.forwarded.note(message), answer(app, exchange, route(app, exchange)))
  })

/** Makes the request handler, for every path and method. */
const makeHttpApp = Effect.fnUntraced(function* (config: HttpAppConfig) {
  const random = yield* Randomness
  const draining = yield* Draining
  const viewerPage = yield* ViewerPage
  const guard = yield* makeGuard(config.trustedProxies, config.baseUrl)
  const app: App = {
    endpoints: yield* makeEndpoints(config),
    viewerPage,
    consolePage: yield* ConsolePage,
    documentation: yield* makeDocumentation(config.baseUrl),
    metricsPage: yield* makeMetricsPage(config.metricsToken ?? ""),
    gate: makeGate(guard),
    signInRoutes: yield* makeSignInRoutes(config),
    forwarded: makeForwardedNotice(config.trustedProxies),
    closed: closedBy(config.healthOnly === true, draining),
    isLeaving: () => Ref.getUnsafe(draining) !== "serving",
    log: makeRequestLog(),
    meters: yield* makeHttpMeters,
    traces: yield* makeRequestTraces(config.sampling ?? null),
    turns: yield* TurnWatch,
    newId: () => toHex(random.bytes(12)),
    addressOf: clientAddresses(config.trustedProxies),
    baseUrl: config.baseUrl,
    crossOrigin: makeCrossOrigin(viewerPage, config.baseUrl)
  }
  const prompt = yield* makePromptIngest({ ...app, guard })
  const handle: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  > = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const handed = prompt.handedOver(NodeHttpServerRequest.toIncomingMessage(request))
    return handed === undefined ? answerNew(app, request) : answer(app, handed.exchange, handed.work)
  })
  // A client that goes away ends its request, a long verification included.
  return Effect.interruptible(handle)
})

/** Serves the contract on the `HttpServer`. */
export const layer = (config: HttpAppConfig) =>
  Layer.unwrap(Effect.map(makeHttpApp(config), (app) => HttpServer.serve(app)))
