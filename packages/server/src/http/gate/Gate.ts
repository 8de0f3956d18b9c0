/**
 * Between finding the endpoint and running it: whether this request is admitted, and whether it still is once
 * its body is there.
 */
import { AccessEvents } from "@cairn/core/access"
import type { Network } from "@cairn/core/encoding"
import type { ViewerScope } from "@cairn/core/event"
import { ClockGuard } from "@cairn/core/log"
import { WorkspaceEntry } from "@cairn/core/management"
import { SignIn } from "@cairn/core/people"
import { scopeOf, ViewerTokens } from "@cairn/core/workspace"
import { Effect } from "effect"
import { RateLimiter } from "../limits/RateLimiter.ts"
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
  type Admission,
  answerBy,
  checkOpen,
  checkPermission,
  type Guard,
  isPermitted,
  isShutOut,
  profileOf,
  showLimit,
  shutOut,
  take,
  takePromptly,
  type Wanted,
  type WayIn
} from "./Guard.ts"
import { recordedIn, recordedReader, viewerIdentity, viewerReader } from "./Identity.ts"
import { makeNewSessions } from "./NewSessions.ts"
import { readRequestBody } from "./RequestBody.ts"
import { makeSessionCheck } from "./SessionCheck.ts"
import { admitPerson, bySession, sessionSecret } from "./SessionGate.ts"
import { rejectUnknown } from "./UnknownInput.ts"
import { WorkspaceDirectory } from "./WorkspaceDirectory.ts"

/**
 * Requests a minute with one viewer token: a reader who scrolls fast makes some four a second. It does not
 * count against the workspace.
 */
export const VIEWER_REQUESTS_PER_MINUTE = 300

/** Requests a minute that one key makes and may not make, before it is asked to wait. */
const REFUSED_REQUESTS_PER_MINUTE = 600

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
const byViewerToken = (guard: Guard, { exchange, route }: Wanted, token: string): WayIn => {
  const decide = Effect.gen(function* () {
    const checked = yield* asApiError(guard.viewers.check(token))
    const profile = yield* profileOf(guard, exchange, checked.workspaceId, "viewer token")
    yield* checkOpen(profile, route)
    const viewer: ViewerScope = { tenantId: checked.tenantId, actorId: checked.actorId }
    return {
      identity: viewerIdentity(checked),
      viewer,
      profile,
      reader: recordedIn(profile, viewerReader(viewer))
    }
  })
  const admit = Effect.gen(function* () {
    const admission = yield* decide
    yield* take(guard, exchange, `viewer ${admission.identity.id}`, VIEWER_REQUESTS_PER_MINUTE)
    const exports = route.permission === "exports:create"
    const isWithin = route.access === "key_or_viewer"
    if (isWithin && (!exports || isPermitted(admission.identity, route.permission))) return admission
    return yield* new ApiError({
      code: "insufficient_scope",
      message: isWithin
        ? "The viewer token may not export; one that was made with export: true may"
        : "A viewer token reads events and nothing else",
      headers: permissionChallenge(route.permission)
    })
  })
  return { admit, again: decide, still: decide, holdsNanos: 0n }
}

/** What is known of a key holds for a second or two in any case, and sending events is to cost little. */
export const KEY_HOLDS_NANOS = 250_000_000n

const decideKey = Effect.fnUntraced(function* (guard: Guard, { exchange, route }: Wanted) {
  const { message } = exchange
  const address = guard.addressOf(message)
  const identity = yield* guard.authenticator.authenticate(message.headers.authorization, address)
  const { workspaceId } = identity
  const profile = yield* profileOf(guard, exchange, workspaceId, "API key")
  if (isShutOut(profile, address)) {
    // It costs the workspace nothing: a key in the wrong hands must not use up its requests.
    yield* showLimit(guard, exchange, workspaceId, profile)
    return yield* shutOut("keys", address)
  }
  yield* checkOpen(profile, route)
  return { identity, viewer: null, profile, reader: recordedReader(identity, profile) }
})

/**
 * Counts a request that a key may not make against the key alone: it must not use up what the workspace's
 * other programs have.
 */
const countRefused = Effect.fnUntraced(function* (
  guard: Guard,
  exchange: Exchange,
  { identity: { id, workspaceId }, profile }: Admission
) {
  yield* take(guard, exchange, `refused ${id}`, REFUSED_REQUESTS_PER_MINUTE)
  yield* showLimit(guard, exchange, workspaceId, profile)
})

/**
 * The admission of a request with an API key, by what is in memory: undefined unless everything that it
 * depends on is there and speaks for it. Then nothing has been counted.
 */
export const admitPromptly = (guard: Guard, exchange: Exchange, route: Route): Admission | undefined => {
  const { authorization } = exchange.message.headers
  if (authorization === undefined || readViewerToken(authorization) !== undefined) return undefined
  const identity = guard.authenticator.recall(authorization)
  const profile = identity && guard.directory.recall(identity.workspaceId)
  if (identity === undefined || profile === undefined) return undefined
  if (isShutOut(profile, guard.addressOf(exchange.message))) return undefined
  if (profile.workspace.closed_at !== null || !isPermitted(identity, route.permission)) return undefined
  const { workspaceId } = identity
  if (!takePromptly(guard, exchange, workspaceId, profile.limits.requests_per_minute)) return undefined
  exchange.workspaceId = workspaceId
  return { identity, viewer: null, profile, reader: recordedReader(identity, profile) }
}

const admitLookedUp = Effect.fnUntraced(function* (guard: Guard, wanted: Wanted) {
  const { exchange, route } = wanted
  const admission = yield* decideKey(guard, wanted)
  const { identity, profile } = admission
  yield* checkPermission(identity, route.permission, scopeOf).pipe(
    Effect.tapError(() => countRefused(guard, exchange, admission))
  )
  const limit = profile.limits.requests_per_minute
  if (limit !== null) yield* take(guard, exchange, identity.workspaceId, limit)
  return admission
})

const admitKey = (guard: Guard, wanted: Wanted): Effect.Effect<Admission, ApiError> =>
  Effect.suspend(() => {
    const admission = admitPromptly(guard, wanted.exchange, wanted.route)
    return admission === undefined ? admitLookedUp(guard, wanted) : Effect.succeed(admission)
  })

/** The way in by an API key. */
export const byKey = (guard: Guard, wanted: Wanted): WayIn => ({
  admit: admitKey(guard, wanted),
  again: decideKey(guard, wanted),
  still: decideKey(guard, wanted),
  holdsNanos: KEY_HOLDS_NANOS
})

/** How a request comes in: an `Authorization` header says more than a cookie. */
const wayOf = (guard: Guard, wanted: Wanted): WayIn => {
  const { authorization } = wanted.exchange.message.headers
  const token = readViewerToken(authorization)
  if (token !== undefined) return byViewerToken(guard, wanted, token)
  const session = authorization === undefined ? sessionSecret(guard.baseUrl, wanted.exchange) : undefined
  return session === undefined ? byKey(guard, wanted) : bySession(guard, wanted, session)
}

/** Makes what requests are admitted by; `baseUrl` is where clients reach the service, as configured. */
export const makeGuard = Effect.fnUntraced(function* (
  trustedProxies: ReadonlyArray<Network>,
  baseUrl: string
) {
  const limiter = yield* RateLimiter
  const guard: Guard = {
    authenticator: yield* Authenticator,
    viewers: yield* ViewerTokens,
    signIn: yield* SignIn,
    checkSession: yield* makeSessionCheck,
    newSessions: makeNewSessions(limiter),
    entry: yield* WorkspaceEntry,
    directory: yield* WorkspaceDirectory,
    clock: yield* ClockGuard,
    limiter,
    access: yield* AccessEvents,
    addressOf: clientAddresses(trustedProxies),
    baseUrl
  }
  return guard
})

/** Makes the gate. */
export const makeGate = (guard: Guard): Gate => {
  const gate: Gate = (exchange, route, id, opened) => {
    if ("person" in opened) return admitPerson(guard, exchange, route, id, opened.person)
    const { endpoint, linked } = opened
    if (linked !== undefined && route.access === "key_or_link" && SIGNATURE.test(exchange.query)) {
      const { message, query } = exchange
      return rejectUnknown(query, route).pipe(
        Effect.andThen(readRequestBody(exchange, route)),
        Effect.andThen(guard.clock.reckoned),
        Effect.flatMap((now) => linked({ id, query, address: guard.addressOf(message), now }))
      )
    }
    const wanted = { exchange, route, id, endpoint }
    return answerBy(guard, wanted, wayOf(guard, wanted))
  }
  return gate
}
