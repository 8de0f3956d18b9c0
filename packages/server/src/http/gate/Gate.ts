/** Between finding the endpoint and running it: whether this request is admitted. */
import type { IncomingMessage } from "node:http"
import type { Network } from "@cairn/core/encoding"
import type { ViewerScope } from "@cairn/core/event"
import { ClockGuard } from "@cairn/core/log"
import { ViewerTokens } from "@cairn/core/workspace"
import { Effect } from "effect"
import { RateLimiter, rateLimitHeaders } from "../limits/RateLimiter.ts"
import type { Answer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import type { Route } from "../plumbing/Routes.ts"
import { Authenticator, type Identity } from "./Authenticator.ts"
import { scopeChallenge } from "./Challenge.ts"
import { type ClientAddress, clientAddresses, isWithin } from "./ClientAddress.ts"
import type { Endpoint, LinkEndpoint } from "./Endpoint.ts"
import { rejectUnknown } from "./UnknownInput.ts"
import { WorkspaceDirectory } from "./WorkspaceDirectory.ts"

/**
 * Requests a minute with one viewer token: a reader who scrolls fast makes some four a second. It does not
 * count against the workspace.
 */
export const VIEWER_REQUESTS_PER_MINUTE = 300

/** What does the work of a route: with a key or token, and with a signed link. */
export interface Opened {
  readonly endpoint: Endpoint
  /** For a signed link, where the route takes one. */
  readonly linked: LinkEndpoint | undefined
}

const VIEWER_TOKEN = /^bearer +([^\s.]*\.\S*) *$/i

/** The viewer token of a request; an API key has no dot. */
export const readViewerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : VIEWER_TOKEN.exec(authorization)?.[1]

const SIGNATURE = /(?:^|&)signature=/

/** What lets a request through, or rejects it. */
export type Gate = (
  exchange: Exchange,
  route: Route,
  id: string,
  opened: Opened
) => Effect.Effect<Answer, ApiError>

/** What a request is admitted by. */
interface Guard {
  readonly authenticator: Authenticator["Service"]
  readonly viewers: ViewerTokens["Service"]
  readonly directory: WorkspaceDirectory["Service"]
  readonly clock: ClockGuard["Service"]
  readonly limiter: RateLimiter["Service"]
  readonly addressOf: (message: IncomingMessage) => ClientAddress
}

/** A request for an endpoint. */
interface Wanted {
  readonly exchange: Exchange
  readonly route: Route
  readonly id: string
  readonly endpoint: Endpoint
}

/** Counts the request, and fails when the minute's are used up. */
const take = Effect.fnUntraced(function* (
  { limiter }: Guard,
  exchange: Exchange,
  key: string,
  limit: number
) {
  const state = yield* limiter.take(key, limit)
  exchange.rateLimit = rateLimitHeaders(state)
  if (state.allowed) return
  return yield* new ApiError({
    code: "rate_limited",
    message: `More than ${limit} requests a minute; try again in ${state.nextSeconds} s`,
    headers: { "retry-after": String(state.nextSeconds) }
  })
})

const profileOf = Effect.fnUntraced(function* (
  { directory }: Guard,
  exchange: Exchange,
  workspaceId: string,
  holder: string
) {
  exchange.workspaceId = workspaceId
  const profile = yield* asApiError(directory.find(workspaceId))
  return (
    profile ??
    (yield* new ApiError({ code: "unauthenticated", message: `The ${holder}'s workspace is gone` }))
  )
})

/** A viewer token comes from a browser anywhere, so the allowlist does not apply. */
const admitViewer = Effect.fnUntraced(function* (
  guard: Guard,
  { exchange, route, id, endpoint }: Wanted,
  token: string
) {
  const { message, response, query } = exchange
  const { workspaceId, tokenId, tenantId, actorId } = yield* asApiError(guard.viewers.check(token))
  const profile = yield* profileOf(guard, exchange, workspaceId, "viewer token")
  yield* take(guard, exchange, `viewer ${tokenId}`, VIEWER_REQUESTS_PER_MINUTE)
  if (route.access !== "key_or_viewer") {
    return yield* new ApiError({
      code: "insufficient_scope",
      message: "A viewer token reads events and nothing else",
      headers: scopeChallenge(route.scope)
    })
  }
  yield* rejectUnknown(exchange, route)
  const identity: Identity = { keyId: tokenId, keyName: null, workspaceId, scopes: [] }
  const viewer: ViewerScope = { tenantId, actorId }
  return yield* endpoint({
    message,
    response,
    query,
    id,
    address: guard.addressOf(message),
    identity,
    viewer,
    profile,
    now: yield* guard.clock.reckoned
  })
})

const admitKey = Effect.fnUntraced(function* (guard: Guard, { exchange, route, id, endpoint }: Wanted) {
  const { message, response, query } = exchange
  const { scope } = route
  const address = guard.addressOf(message)
  const identity = yield* guard.authenticator.authenticate(message.headers.authorization, address)
  const { workspaceId } = identity
  const profile = yield* profileOf(guard, exchange, workspaceId, "API key")
  const limit = profile.limits.requests_per_minute
  if (profile.allowlist.length > 0 && !isWithin(address, profile.allowlist)) {
    // It costs the workspace nothing: a key in the wrong hands must not use up its requests.
    if (limit !== null) exchange.rateLimit = rateLimitHeaders(yield* guard.limiter.look(workspaceId, limit))
    return yield* new ApiError({
      code: "ip_not_allowed",
      message: `The workspace's keys may not be used from ${address.text}`
    })
  }
  if (limit !== null) yield* take(guard, exchange, workspaceId, limit)
  if (scope !== null && !identity.scopes.includes(scope)) {
    return yield* new ApiError({
      code: "insufficient_scope",
      message: `The API key lacks the scope ${scope}`,
      headers: scopeChallenge(scope)
    })
  }
  yield* rejectUnknown(exchange, route)
  const now = yield* guard.clock.reckoned
  return yield* endpoint({ message, response, query, id, address, identity, viewer: null, profile, now })
})

/** Makes the gate. */
export const makeGate = Effect.fnUntraced(function* (trustedProxies: ReadonlyArray<Network>) {
  const guard: Guard = {
    authenticator: yield* Authenticator,
    viewers: yield* ViewerTokens,
    directory: yield* WorkspaceDirectory,
    clock: yield* ClockGuard,
    limiter: yield* RateLimiter,
    addressOf: clientAddresses(trustedProxies)
  }
  const gate: Gate = (exchange, route, id, { endpoint, linked }) => {
    if (linked !== undefined && route.access === "key_or_link" && SIGNATURE.test(exchange.query)) {
      return Effect.andThen(rejectUnknown(exchange, route), linked({ id, query: exchange.query }))
    }
    const token = readViewerToken(exchange.message.headers.authorization)
    const wanted = { exchange, route, id, endpoint }
    return token === undefined ? admitKey(guard, wanted) : admitViewer(guard, wanted, token)
  }
  return gate
})
