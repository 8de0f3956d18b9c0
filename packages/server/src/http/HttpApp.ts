/** Every request's way: route, client address, key, allowlist, rate limit, scope, endpoint; and every answer's headers. */

import type { IncomingMessage } from "node:http"
import { ClockGuard, Inbox, Randomness, toHex } from "@cairn/core"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Clock, Context, Effect, Layer, Ref } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiError, errorResponse } from "./ApiError.ts"
import { Authenticator } from "./Authenticator.ts"
import { clientAddress, isWithin, type Network } from "./ClientAddress.ts"
import { asApiError } from "./DomainErrors.ts"
import { type Endpoint, makeEndpoints } from "./Handlers.ts"
import { RateLimiter } from "./RateLimiter.ts"
import { match } from "./Routes.ts"
import { WorkspaceDirectory } from "./WorkspaceDirectory.ts"

/** Settings of the HTTP side. */
export interface HttpAppConfig {
  /** Peers whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<Network>
  /** Most events that may wait in the inbox, for `/readyz`. */
  readonly inboxCapacity: number
}

/** Whether the server is on its way out: it finishes what it has, and takes nothing new. */
export class Draining extends Context.Service<Draining, Ref.Ref<boolean>>()("@cairn/server/Draining") {
  static readonly layer = Layer.effect(Draining, Ref.make(false))
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const SLOW_MILLIS = 1_000

const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store"
}

const ok = (status: string) =>
  HttpServerResponse.text(JSON.stringify({ status }), { contentType: "application/json" })

/** The request handler, to be served at every path. */
export const makeHttpApp = Effect.fnUntraced(function* (config: HttpAppConfig) {
  const endpoints: Record<string, Endpoint> = yield* makeEndpoints
  const authenticator = yield* Authenticator
  const directory = yield* WorkspaceDirectory
  const limiter = yield* RateLimiter
  const random = yield* Randomness
  const clock = yield* ClockGuard
  const inbox = yield* Inbox
  const draining = yield* Draining

  const readyz = Effect.gen(function* () {
    if (yield* Ref.get(draining)) {
      return yield* new ApiError({ code: "unavailable", message: "draining: the server is shutting down" })
    }
    yield* clock.now
    const depth = yield* inbox.depth
    if (depth >= config.inboxCapacity) {
      return yield* new ApiError({ code: "unavailable", message: `inbox: ${depth} events are waiting` })
    }
    return ok("ready")
  }).pipe(asApiError)

  /** Everything between finding the endpoint and running it. Gives the answer's further headers beside it. */
  const authorized = Effect.fnUntraced(function* (
    message: IncomingMessage,
    endpoint: Endpoint,
    id: string,
    query: string,
    notes: Notes
  ) {
    const address = clientAddress(message, config.trustedProxies)
    const identity = yield* authenticator.authenticate(message.headers.authorization, address)
    notes.workspaceId = identity.workspaceId
    const profile = yield* asApiError(directory.find(identity.workspaceId))
    if (profile === undefined) {
      return yield* new ApiError({ code: "unauthenticated", message: "The API key's workspace is gone" })
    }
    if (profile.allowlist.length > 0 && !isWithin(address, profile.allowlist)) {
      return yield* new ApiError({
        code: "ip_not_allowed",
        message: "This address may not use the workspace's keys"
      })
    }
    notes.headers = yield* limiter.take(identity.workspaceId, profile.limits.requests_per_minute)
    if (!identity.scopes.includes(endpoint.scope)) {
      return yield* new ApiError({
        code: "insufficient_scope",
        message: `The API key lacks the scope ${endpoint.scope}`
      })
    }
    return yield* endpoint.handle({
      message,
      query: new URLSearchParams(query),
      id,
      address,
      identity,
      profile
    })
  })

  const respond = (
    message: IncomingMessage,
    notes: Notes
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError> => {
    const target = message.url ?? "/"
    const mark = target.indexOf("?")
    const path = mark < 0 ? target : target.slice(0, mark)
    const found = match(message.method ?? "GET", path)
    if (found.kind === "nothing") {
      return Effect.fail(new ApiError({ code: "not_found", message: "There is nothing at this path" }))
    }
    if (found.kind === "wrong_method") {
      return Effect.fail(
        new ApiError({
          code: "method_not_allowed",
          message: `This path answers ${found.allow.join(", ")}`,
          headers: { Allow: found.allow.join(", ") }
        })
      )
    }
    notes.route = found.template
    if (found.name === "healthz") return Effect.succeed(ok("ok"))
    if (found.name === "readyz") return readyz
    const endpoint = endpoints[found.name]
    if (endpoint === undefined) return Effect.die(new Error(`no handler for ${found.name}`))
    return authorized(message, endpoint, found.id, mark < 0 ? "" : target.slice(mark + 1), notes)
  }

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const given = message.headers["x-request-id"]
    const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : toHex(random.bytes(12))
    const notes: Notes = { route: "", workspaceId: undefined, headers: {} }
    const begun = yield* Clock.currentTimeMillis
    const response = yield* respond(message, notes).pipe(
      Effect.catch((error: ApiError) => {
        if (error.headers?.RateLimit !== undefined) notes.headers = {}
        return Effect.succeed(errorResponse(error, message.headers.accept))
      }),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(
              Effect.logError("A request failed unexpectedly", cause).pipe(
                Effect.annotateLogs({ requestId })
              ),
              errorResponse(
                new ApiError({ code: "internal", message: `Something went wrong; request ${requestId}` }),
                message.headers.accept
              )
            )
      )
    )
    yield* report(message, notes, requestId, response.status, (yield* Clock.currentTimeMillis) - begun)
    return HttpServerResponse.setHeaders(response, { ...ALWAYS, "X-Request-Id": requestId, ...notes.headers })
  })
})

/** What is learnt about a request on its way. */
interface Notes {
  route: string
  workspaceId: string | undefined
  headers: Readonly<Record<string, string>>
}

/** One line a request at most: failures and slow ones at `info` and above, all at `debug`. */
const report = (
  message: IncomingMessage,
  notes: Notes,
  requestId: string,
  status: number,
  millis: number
) => {
  if (notes.route === "/healthz" || notes.route === "/readyz") return Effect.void
  const log = status >= 500 ? Effect.logWarning : millis > SLOW_MILLIS ? Effect.logInfo : Effect.logDebug
  return log("request").pipe(
    Effect.annotateLogs({
      method: message.method,
      route: notes.route,
      status,
      millis,
      requestId,
      ...(notes.workspaceId === undefined ? {} : { workspaceId: notes.workspaceId })
    })
  )
}
