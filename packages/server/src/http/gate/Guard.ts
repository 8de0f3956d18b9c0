/** What requests are admitted by, and the steps that every way in shares. */
import type { IncomingMessage } from "node:http"
import type { AccessEvents, Reader } from "@cairn/core/access"
import { type ClockGuard, LogClosed } from "@cairn/core/log"
import type { WorkspaceEntry } from "@cairn/core/management"
import type { SignIn } from "@cairn/core/people"
import type { Permission, ViewerTokens } from "@cairn/core/workspace"
import { Clock, Effect } from "effect"
import { type RateLimiter, rateLimitHeaders } from "../limits/RateLimiter.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import type { Route } from "../plumbing/Routes.ts"
import type { Authenticator } from "./Authenticator.ts"
import { permissionChallenge } from "./Challenge.ts"
import { type ClientAddress, isWithin } from "./ClientAddress.ts"
import { type AuthorizedRequest, addressOf, type Endpoint } from "./Endpoint.ts"
import type { Identity } from "./Identity.ts"
import type { makeNewSessions } from "./NewSessions.ts"
import { hasBody, readRequestBody } from "./RequestBody.ts"
import type { makeSessionCheck } from "./SessionCheck.ts"
import { rejectUnknown } from "./UnknownInput.ts"
import type { WorkspaceDirectory, WorkspaceProfile } from "./WorkspaceDirectory.ts"

/** What a request is admitted by. */
export interface Guard {
  readonly authenticator: Authenticator["Service"]
  readonly viewers: ViewerTokens["Service"]
  readonly signIn: SignIn["Service"]
  readonly checkSession: Effect.Success<typeof makeSessionCheck>
  readonly newSessions: ReturnType<typeof makeNewSessions>
  readonly entry: WorkspaceEntry["Service"]
  readonly directory: WorkspaceDirectory["Service"]
  readonly clock: ClockGuard["Service"]
  readonly limiter: RateLimiter["Service"]
  readonly access: AccessEvents["Service"]
  readonly addressOf: (message: IncomingMessage) => ClientAddress
  /** Where clients reach the service, as configured; empty where it is not. */
  readonly baseUrl: string
}

/** A request for an endpoint of a workspace. */
export interface Wanted {
  readonly exchange: Exchange
  readonly route: Route
  readonly id: string
  readonly endpoint: Endpoint
}

/** Who a request is admitted as, and what for. */
export interface Admission extends Pick<AuthorizedRequest, "identity" | "viewer" | "profile"> {
  /** Null for those whose reads the workspace does not record. */
  readonly reader: Reader | null
}

/** What lets a request in: a key, a session or a viewer token. */
export interface WayIn {
  /** Looks before the body is read, and counts the request. */
  readonly admit: Effect.Effect<Admission, ApiError>
  /** Looks once more, at what is so by then; counts nothing. */
  readonly again: Effect.Effect<Admission, ApiError>
  /** The same, and is no use of what lets it in. */
  readonly still: Effect.Effect<unknown, ApiError>
  /** How long a body may take after which nobody looks again. */
  readonly holdsNanos: bigint
}

/** Counts the request, and fails when the minute's are used up. */
export const take = Effect.fnUntraced(function* (
  { limiter }: Pick<Guard, "limiter">,
  exchange: Exchange,
  key: string,
  limit: number,
  what = "requests"
) {
  const state = yield* limiter.take(key, limit)
  exchange.rateLimit = rateLimitHeaders(state)
  if (state.allowed) return
  return yield* new ApiError({
    code: "rate_limited",
    limit: "request_rate",
    message: `More than ${limit} ${what} a minute; try again in ${state.nextSeconds} s`,
    headers: { "retry-after": String(state.nextSeconds) }
  })
})

/**
 * The same without an Effect, where there is no limit or this process counts alone: whether the request may
 * go on. If not, nothing was counted, and `take` says what then.
 */
export const takePromptly = (
  { limiter }: Pick<Guard, "limiter">,
  exchange: Exchange,
  key: string,
  limit: number | null
): boolean => {
  if (limit === null) return true
  const state = limiter.take.promptly?.(key, limit)
  if (state?.allowed !== true) return false
  exchange.rateLimit = rateLimitHeaders(state)
  return true
}

/** Shows the workspace's requests of the minute, and counts none. */
export const showLimit = Effect.fnUntraced(function* (
  { limiter }: Pick<Guard, "limiter">,
  exchange: Exchange,
  workspaceId: string,
  { limits: { requests_per_minute: limit } }: WorkspaceProfile
) {
  if (limit !== null) exchange.rateLimit = rateLimitHeaders(yield* limiter.look(workspaceId, limit))
})

/**
 * Runs an endpoint; a change to its end, although the client goes away: between its event and the change lies
 * nothing but a crash. A read may end with its client.
 */
const carriedOut = (
  { route, endpoint }: Pick<Wanted, "route" | "endpoint">,
  request: AuthorizedRequest
): ReturnType<Endpoint> => {
  const given = Effect.suspend(() => endpoint(request))
  return route.changes ? Effect.uninterruptible(given) : given
}

/**
 * Runs an endpoint, and accounts for what it has read before that is answered. `reader` is null for those
 * whose reads the workspace does not record.
 */
export const run = (
  { access }: Pick<Guard, "access">,
  wanted: Pick<Wanted, "route" | "endpoint">,
  request: AuthorizedRequest,
  reader: Reader | null
): ReturnType<Endpoint> => {
  const { reads } = wanted.route
  const given = carriedOut(wanted, request)
  if (reads === null || reader === null) return given
  const { identity, address, now, id } = request
  return Effect.tap(given, () =>
    asApiError(
      access.note({
        workspaceId: identity.workspaceId,
        kind: reads,
        reader,
        address: addressOf(address),
        at: now,
        exportId: reads === "downloads" ? id : null
      })
    )
  )
}

/**
 * Answers a request. Who may not is refused before the body is read; and since the client decides how long
 * that takes, it is looked at again when the body has come: access that has ended meanwhile counts no more.
 */
export const answerBy = Effect.fnUntraced(function* (guard: Guard, wanted: Wanted, way: WayIn) {
  const { exchange, route } = wanted
  const { query } = exchange
  const before = yield* way.admit
  yield* rejectUnknown(query, route)
  const time = yield* Clock.Clock
  const begun = time.monotonicTimeNanosUnsafe()
  const body = yield* readRequestBody(exchange, route)
  const holds = !hasBody(exchange) || time.monotonicTimeNanosUnsafe() - begun < way.holdsNanos
  const admit = holds ? Effect.succeed(before) : way.again
  return yield* answerRead(guard, wanted, { admit, still: () => way.still }, body)
})

/** What an endpoint gets of a request that is admitted, once its body is there. */
export const authorized = (
  { addressOf }: Pick<Guard, "addressOf">,
  { exchange: { message, response, query, span }, id }: Pick<Wanted, "exchange" | "id">,
  { identity, viewer, profile }: Admission,
  { body, now, stillAdmitted }: Pick<AuthorizedRequest, "body" | "now" | "stillAdmitted">
): AuthorizedRequest => ({
  response,
  query,
  body,
  id,
  address: addressOf(message),
  identity,
  viewer,
  profile,
  stillAdmitted,
  now,
  span
})

/** The same, once the body is there: `admit` is what it is admitted by then. */
export const answerRead = Effect.fnUntraced(function* (
  guard: Guard,
  wanted: Wanted,
  { admit, still }: { readonly admit: WayIn["again"]; readonly still: AuthorizedRequest["stillAdmitted"] },
  body: string
) {
  const admission = yield* admit
  const now = yield* guard.clock.reckoned
  const request = authorized(guard, wanted, admission, { body, now, stillAdmitted: still })
  return yield* run(guard, wanted, request, admission.reader)
})

/** The workspace of a request, whose `holder` names what leads to it. */
export const profileOf = Effect.fnUntraced(function* (
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

/**
 * Fails for a request that would change something of a workspace whose log was closed: it is read from then
 * on.
 */
export const checkOpen = (
  { workspace: { closed_at } }: WorkspaceProfile,
  { changes, permission }: Route
): Effect.Effect<void, ApiError> =>
  closed_at === null || !(changes || permission === "events:write")
    ? Effect.void
    : asApiError(Effect.fail(new LogClosed({ closedAt: closed_at })))

/** Whether a workspace may not be used from an address. */
export const isShutOut = ({ allowlist }: WorkspaceProfile, address: ClientAddress): boolean =>
  allowlist.length > 0 && !isWithin(address, allowlist)

/** The error for an address from which a workspace may not be used, by `what`. */
export const shutOut = (what: string, { text }: ClientAddress): ApiError =>
  new ApiError({ code: "ip_not_allowed", message: `The workspace's ${what} may not be used from ${text}` })

/** Whether an identity has the permission that an endpoint needs, if it needs one. */
export const isPermitted = ({ allows }: Identity, permission: Permission | null): boolean =>
  permission === null || allows(permission)

/** Fails for an identity without the permission that the endpoint needs. */
export const checkPermission = (
  identity: Identity,
  permission: Permission | null,
  name: (permission: Permission) => string
): Effect.Effect<void, ApiError> =>
  permission === null || isPermitted(identity, permission)
    ? Effect.void
    : Effect.fail(
        new ApiError({
          code: "insufficient_scope",
          message: `The ${identity.lacks(permission)} ${name(permission)}`,
          headers: permissionChallenge(permission)
        })
      )
