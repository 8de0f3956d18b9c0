/** What every way to sign in ends with: a new session in the browser, in place of the one it had. */
import { Micros } from "@cairn/core/encoding"
import type { Device, OpenedSession } from "@cairn/core/people"
import { Effect } from "effect"
import { isShutOut } from "../gate/Guard.ts"
import { countSession } from "../gate/NewSessions.ts"
import { type CookieName, clearCookie, readCookie, setCookie } from "../gate/SessionCookie.ts"
import type { Answer } from "../plumbing/Answer.ts"
import type { SignInContext } from "./SignInContext.ts"
import { goTo, type Visitor } from "./Visitor.ts"

/** What is known of the browser that signs in. */
export const deviceOf = ({ exchange, address }: Visitor): Device => ({
  clientAddress: address.ip === undefined ? null : address.text,
  userAgent: exchange.message.headers["user-agent"] ?? null
})

/** Ends the session that the browser had: a new sign-in has no use for it. */
const endFormer = Effect.fnUntraced(
  function* ({ signIn, sessions, clock, records }: SignInContext, visitor: Visitor) {
    const secret = readCookie(visitor.site, visitor.exchange.message, "cairn")
    if (secret === undefined) return
    const { session, person } = yield* signIn.check(secret)
    yield* records.ended(
      { person, session: session.id, which: "one", reason: "signed_in_again" },
      deviceOf(visitor).clientAddress
    )
    yield* sessions.end(person.id, session.id, yield* clock.reckoned)
  },
  (effect) => Effect.ignore(effect)
)

/**
 * Enters the workspace that the person was invited to, or the only one there is: so that the address is
 * confirmed at once. Where that fails, or there were too many of a minute, the next request does it.
 */
const enterOne = Effect.fnUntraced(
  function* (
    { signIn, entry, directory, limiter }: SignInContext,
    { address }: Visitor,
    opened: OpenedSession,
    invitedTo: string | null
  ) {
    const { person, session } = opened
    const [only, ...others] = yield* signIn.membershipsOf(person.address, session.method)
    const workspaceId = invitedTo ?? (others.length === 0 ? only?.workspace_id : undefined)
    const profile = workspaceId === undefined ? undefined : yield* directory.find(workspaceId)
    if (profile === undefined || isShutOut(profile, address)) return
    const found = yield* entry.find(opened, profile.workspace.id)
    yield* countSession(limiter, opened, profile.workspace.id)
    yield* entry.enter(opened, found)
  },
  (effect) => Effect.ignore(effect)
)

/** Where a sign-in leads. */
interface Destination {
  readonly returnTo: string | null
  /** The workspace of an invitation. */
  readonly invitedTo: string | null
  /** The cookie with which it was begun, which is of no more use. */
  readonly used: CookieName
}

/** Sends the browser where its person wanted to go, with the new session. */
export const arrive = Effect.fnUntraced(function* (
  context: SignInContext,
  visitor: Visitor,
  opened: OpenedSession,
  { returnTo, invitedTo, used }: Destination
): Effect.fn.Return<Answer> {
  yield* endFormer(context, visitor)
  yield* enterOne(context, visitor, opened, invitedTo)
  const { expires_at, created_at } = opened.session
  const seconds = Math.floor((expires_at - created_at) / Micros.SECOND)
  return goTo(returnTo ?? "/", [
    setCookie(visitor.site, "cairn", opened.secret, seconds),
    clearCookie(visitor.site, used)
  ])
})
