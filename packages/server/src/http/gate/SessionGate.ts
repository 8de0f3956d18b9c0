/**
 * Requests with the session of a person who has signed in: which member of which workspace it is, and whether
 * it may. The role is read for each request, so that a change holds at once.
 */
import { type Permission, rolesWith } from "@cairn/core/workspace"
import { Effect } from "effect"
import { ApiError } from "../plumbing/ApiError.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import type { Route } from "../plumbing/Routes.ts"
import { subnetOf } from "./ClientAddress.ts"
import type { PersonEndpoint } from "./Endpoint.ts"
import {
  checkOpen,
  checkPermission,
  type Guard,
  isShutOut,
  profileOf,
  shutOut,
  take,
  type Wanted,
  type WayIn
} from "./Guard.ts"
import { memberIdentity, readerOf, recordedIn } from "./Identity.ts"
import { hasBody, readRequestBody } from "./RequestBody.ts"
import { isSameOrigin } from "./SameOrigin.ts"
import { readCookie, siteOf } from "./SessionCookie.ts"
import { rejectUnknown } from "./UnknownInput.ts"

type SignedIn = Parameters<Guard["entry"]["enter"]>[0]

/** Requests a minute of one person. */
const PERSON_REQUESTS_PER_MINUTE = 600

/** Which workspace a request with a session is for. */
const WORKSPACE_HEADER = "x-cairn-workspace"

/** Whom a page shows: a browser has one session, and somebody else may have signed in in another tab. */
const PERSON_HEADER = "x-cairn-person"

/** Fails for a request that a page of another person has made. */
const checkPerson = ({ message }: Exchange, { person }: SignedIn): Effect.Effect<void, ApiError> => {
  const shown = message.headers[PERSON_HEADER]
  return shown === undefined || shown === person.id
    ? Effect.void
    : Effect.fail(
        new ApiError({
          code: "other_person",
          message: `Somebody else has signed in in this browser: ${person.address}. Load the page again`
        })
      )
}

/** What a workspace's id may be; no other text is looked up. */
const ID = /^[\x21-\x7e]{1,128}$/

/** The secret of a request's session; undefined if it has none. */
export const sessionSecret = (baseUrl: string, { message }: Exchange): string | undefined =>
  readCookie(siteOf(baseUrl, message), message, "cairn")

const isUnsafe = ({ method }: Exchange): boolean => method !== "GET" && method !== "HEAD"

/** The session of a request, once it is known that it comes from a page of the service. */
const signedInBy = Effect.fnUntraced(function* (guard: Guard, exchange: Exchange, secret: string) {
  if (isUnsafe(exchange) && !isSameOrigin(guard.baseUrl, exchange.message)) {
    return yield* new ApiError({
      code: "cross_origin",
      message: "A page of another origin may not do this with a person's session"
    })
  }
  const subnet = subnetOf(guard.addressOf(exchange.message))
  const signedIn = yield* guard.checkSession(secret, subnet)
  yield* checkPerson(exchange, signedIn)
  yield* take(guard, exchange, `person ${signedIn.person.id}`, PERSON_REQUESTS_PER_MINUTE)
  return signedIn
})

/** The name of a permission beside the roles that have it. */
const withRoles = (permission: Permission): string =>
  `${permission}, which ${rolesWith(permission).join(", ")} ${rolesWith(permission).length === 1 ? "has" : "have"}`

/** How long who only reads waits for a store that hangs, when the workspace sees the session first. */
const ENTRY_PATIENCE = "2 seconds"

/** Lets a session into a workspace. Who only reads comes in although that cannot be written now. */
const enter = (
  { entry }: Guard,
  exchange: Exchange,
  ...[signedIn, found]: Parameters<Guard["entry"]["enter"]>
) => {
  const entered = entry.enter(signedIn, found)
  return isUnsafe(exchange)
    ? entered
    : Effect.catchTags(Effect.timeoutOption(entered, ENTRY_PATIENCE), {
        ClockAhead: () => Effect.void,
        InboxFull: () => Effect.void,
        StorageUnavailable: () => Effect.void
      })
}

/** The member of the workspace that a request names, for who has signed in. */
const decideMember = Effect.fnUntraced(function* (
  guard: Guard,
  { exchange, route }: Wanted,
  signedIn: SignedIn
) {
  const workspaceId = exchange.message.headers[WORKSPACE_HEADER]
  if (typeof workspaceId !== "string" || !ID.test(workspaceId)) {
    return yield* new ApiError({
      code: "invalid_parameter",
      message: "X-Cairn-Workspace: must name the workspace by its id; GET /api/v1/me lists yours"
    })
  }
  const found = yield* asApiError(guard.entry.find(signedIn, workspaceId))
  const profile = yield* profileOf(guard, exchange, workspaceId, "member")
  const address = guard.addressOf(exchange.message)
  if (isShutOut(profile, address)) return yield* shutOut("console", address)
  yield* checkOpen(profile, route)
  const identity = memberIdentity(found.member)
  return { found, identity, viewer: null, profile, reader: recordedIn(profile, readerOf(identity)) }
})

const admitMember = Effect.fnUntraced(function* (guard: Guard, wanted: Wanted, secret: string) {
  const { exchange, route } = wanted
  const signedIn = yield* signedInBy(guard, exchange, secret)
  const admission = yield* decideMember(guard, wanted, signedIn)
  const { found, identity, profile } = admission
  const { id: workspaceId } = profile.workspace
  if (!found.hasEntered) yield* guard.newSessions(signedIn, workspaceId)
  yield* asApiError(enter(guard, exchange, signedIn, found))
  yield* checkPermission(identity, route.permission, withRoles)
  // What is read costs the workspace nothing, and what is refused neither: its programs do not wait for those
  // of its people who may change nothing.
  const limit = profile.limits.requests_per_minute
  const isCounted = route.changes || route.permission === "events:write"
  if (limit !== null && isCounted) yield* take(guard, exchange, workspaceId, limit)
  return admission
})

const memberAgain = Effect.fnUntraced(function* (
  guard: Guard,
  wanted: Wanted,
  check: ReturnType<Guard["signIn"]["check"]>
) {
  const signedIn = yield* asApiError(check)
  const admission = yield* decideMember(guard, wanted, signedIn)
  yield* checkPermission(admission.identity, wanted.route.permission, withRoles)
  return admission
})

/** Lets a member in, by the session with this secret. */
export const bySession = (guard: Guard, wanted: Wanted, secret: string): WayIn => ({
  admit: admitMember(guard, wanted, secret),
  again: memberAgain(guard, wanted, guard.signIn.check(secret)),
  still: memberAgain(guard, wanted, guard.signIn.look(secret)),
  holdsNanos: 0n
})

/** Admits a person to what is about itself. */
export const admitPerson = Effect.fnUntraced(function* (
  guard: Guard,
  exchange: Exchange,
  route: Route,
  id: string,
  endpoint: PersonEndpoint
) {
  const { authorization } = exchange.message.headers
  const secret = authorization === undefined ? sessionSecret(guard.baseUrl, exchange) : undefined
  if (secret === undefined) {
    return yield* new ApiError({
      code: "unauthenticated",
      message: "This is about the person who has signed in; it takes a session and no key"
    })
  }
  const before = yield* signedInBy(guard, exchange, secret)
  yield* rejectUnknown(exchange.query, route)
  yield* readRequestBody(exchange, route)
  const { session, person } = hasBody(exchange) ? yield* asApiError(guard.signIn.check(secret)) : before
  return yield* endpoint({
    query: exchange.query,
    id,
    session,
    person,
    address: guard.addressOf(exchange.message),
    now: yield* guard.clock.reckoned
  })
})
