/** Between finding the endpoint and running it: whether this request is admitted. */
import { AccessEvents } from "@cairn/core/access"
import type { Network } from "@cairn/core/encoding"
import type { ViewerScope } from "@cairn/core/event"
import { ClockGuard } from "@cairn/core/log"
import { WorkspaceEntry } from "@cairn/core/management"
import { SignIn } from "@cairn/core/people"
import { scopeOf, ViewerTokens } from "@cairn/core/workspace"
import { Effect } from "effect"
import { RateLimiter, rateLimitHeaders } from "../limits/RateLimiter.ts"
import type { Answer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import type { Route } from "../plumbing/Routes.ts"
import { Authenticator } from "./Authenticator.ts"
import { permissionChallenge } from "./Challenge.ts"
import { clientAddresses } from "./ClientAddress.ts"
import type { Endpoint, LinkEndpoint, PersonEndpoint } from "./Endpoint.ts"
import {
  checkPermission,
  type Guard,
  isShutOut,
  profileOf,
  run,
  shutOut,
  take,
  type Wanted
} from "./Guard.ts"
import { recordedReader, viewerIdentity, viewerReader } from "./Identity.ts"
import { admitMember, admitPerson, sessionSecret } from "./SessionGate.ts"
import { rejectUnknown } from "./UnknownInput.ts"
import { WorkspaceDirectory } from "./WorkspaceDirectory.ts"

/**
 * Requests a minute with one viewer token: a reader who scrolls fast makes some four a second. It does not
 * count against the workspace.
 */
export const VIEWER_REQUESTS_PER_MINUTE = 300

/** What does the work of a route. */
export type Opened =
  | {
      readonly endpoint: Endpoint
      /** For a signed link, where the route takes one. */
      readonly linked: LinkEndpoint | undefined
    }
  /** About the person who has signed in. */
  | { readonly person: PersonEndpoint }

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

/** A viewer token comes from a browser anywhere, so the allowlist does not apply. */
const admitViewer = Effect.fnUntraced(function* (guard: Guard, wanted: Wanted, token: string) {
  const { exchange, route, id } = wanted
  const { message, response, query } = exchange
  const { workspaceId, tokenId, tenantId, actorId } = yield* asApiError(guard.viewers.check(token))
  const profile = yield* profileOf(guard, exchange, workspaceId, "viewer token")
  yield* take(guard, exchange, `viewer ${tokenId}`, VIEWER_REQUESTS_PER_MINUTE)
  if (route.access !== "key_or_viewer") {
    return yield* new ApiError({
      code: "insufficient_scope",
      message: "A viewer token reads events and nothing else",
      headers: permissionChallenge(route.permission)
    })
  }
  yield* rejectUnknown(exchange, route)
  const identity = viewerIdentity(tokenId, workspaceId)
  const viewer: ViewerScope = { tenantId, actorId }
  const address = guard.addressOf(message)
  const now = yield* guard.clock.reckoned
  const admitted = { message, response, query, id, address, identity, viewer, profile, now }
  return yield* run(guard, wanted, admitted, viewerReader(viewer))
})

const admitKey = Effect.fnUntraced(function* (guard: Guard, wanted: Wanted) {
  const { exchange, route, id } = wanted
  const { message, response, query } = exchange
  const address = guard.addressOf(message)
  const identity = yield* guard.authenticator.authenticate(message.headers.authorization, address)
  const { workspaceId } = identity
  const profile = yield* profileOf(guard, exchange, workspaceId, "API key")
  const limit = profile.limits.requests_per_minute
  if (isShutOut(profile, address)) {
    // It costs the workspace nothing: a key in the wrong hands must not use up its requests.
    if (limit !== null) exchange.rateLimit = rateLimitHeaders(yield* guard.limiter.look(workspaceId, limit))
    return yield* shutOut("keys", address)
  }
  if (limit !== null) yield* take(guard, exchange, workspaceId, limit)
  yield* checkPermission(identity, route.permission, scopeOf)
  yield* rejectUnknown(exchange, route)
  const now = yield* guard.clock.reckoned
  const admitted = { message, response, query, id, address, identity, viewer: null, profile, now }
  return yield* run(guard, wanted, admitted, recordedReader(identity, profile))
})

/** A request of a person, a viewer or a program: an `Authorization` header says more than a cookie. */
const admit = (guard: Guard, wanted: Wanted): Effect.Effect<Answer, ApiError> => {
  const { authorization } = wanted.exchange.message.headers
  const token = readViewerToken(authorization)
  if (token !== undefined) return admitViewer(guard, wanted, token)
  const session = authorization === undefined ? sessionSecret(guard.baseUrl, wanted.exchange) : undefined
  return session === undefined ? admitKey(guard, wanted) : admitMember(guard, wanted, session)
}

/** Makes the gate; `baseUrl` is where clients reach the service, as configured. */
export const makeGate = Effect.fnUntraced(function* (
  trustedProxies: ReadonlyArray<Network>,
  baseUrl: string
) {
  const guard: Guard = {
    authenticator: yield* Authenticator,
    viewers: yield* ViewerTokens,
    signIn: yield* SignIn,
    entry: yield* WorkspaceEntry,
    directory: yield* WorkspaceDirectory,
    clock: yield* ClockGuard,
    limiter: yield* RateLimiter,
    access: yield* AccessEvents,
    addressOf: clientAddresses(trustedProxies),
    baseUrl
  }
  const gate: Gate = (exchange, route, id, opened) => {
    if ("person" in opened) return admitPerson(guard, exchange, route, id, opened.person)
    const { endpoint, linked } = opened
    if (linked !== undefined && route.access === "key_or_link" && SIGNATURE.test(exchange.query)) {
      const { message, query } = exchange
      return rejectUnknown(exchange, route).pipe(
        Effect.andThen(guard.clock.reckoned),
        Effect.flatMap((now) => linked({ id, query, address: guard.addressOf(message), now }))
      )
    }
    return admit(guard, { exchange, route, id, endpoint })
  }
  return gate
})
