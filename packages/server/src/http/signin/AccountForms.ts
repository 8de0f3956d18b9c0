/** The page of a person who has signed in, and its forms: signing out, and ending sessions. */
import type { StorageUnavailable } from "@cairn/core/log"
import type { Person, Session, SessionRefused } from "@cairn/core/people"
import { Effect } from "effect"
import { clearCookie, readCookie } from "../gate/SessionCookie.ts"
import type { Answer } from "../plumbing/Answer.ts"
import type { ApiError } from "../plumbing/ApiError.ts"
import { readFormText } from "../plumbing/Body.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { deviceOf } from "./Arrival.ts"
import {
  accountPage,
  type Done,
  failedPage,
  type Hint,
  type ShownMembership,
  signedOutPage
} from "./pages/index.ts"
import type { SignInContext } from "./SignInContext.ts"
import { goTo, limited, ownPageOnly, pageAnswer, type Visitor } from "./Visitor.ts"

/** Requests of a minute by one network: a whole office may look at once. */
const ACCOUNT_PER_MINUTE = 300

const DONE: ReadonlyArray<Done> = ["session_ended", "others_ended"]

/** Why the person is asked to sign in, by what became of the session. */
const WHY: Readonly<Record<SessionRefused["reason"], Hint>> = {
  unknown: "sign_in_first",
  ended: "session_ended",
  expired: "session_expired",
  idle: "session_idle"
}

interface SignedIn {
  readonly session: Session
  readonly person: Person
}

/** The session of the browser and its person; why there is none otherwise, or undefined without a cookie. */
const sessionOf = (
  { signIn }: SignInContext,
  { site, exchange }: Visitor
): Effect.Effect<SignedIn | Hint | undefined, StorageUnavailable> => {
  const secret = readCookie(site, exchange.message, "cairn")
  return secret === undefined
    ? Effect.undefined
    : Effect.catchTag(signIn.check(secret), "SessionRefused", ({ reason }) => Effect.succeed(WHY[reason]))
}

/**
 * Runs a page for who has signed in, with the form that `read` reads; everybody else is sent to sign in
 * first. The session is looked at when the form is there, which may have been long on its way.
 */
const withSession =
  (
    context: SignInContext,
    run: (visitor: Visitor, signedIn: SignedIn, form: string) => Effect.Effect<Answer, ApiError>,
    read: (visitor: Visitor) => Effect.Effect<string, ApiError> = () => Effect.succeed("")
  ) =>
  (visitor: Visitor) =>
    Effect.gen(function* () {
      yield* limited(context, visitor, "account", ACCOUNT_PER_MINUTE)
      const form = yield* read(visitor)
      const found = yield* asApiError(sessionOf(context, visitor))
      if (typeof found === "object") return yield* run(visitor, found, form)
      const cookies = found === undefined ? [] : [clearCookie(visitor.site, "cairn")]
      return goTo(`/sign-in?why=${found ?? "sign_in_first"}&return=/account`, cookies)
    })

const membershipsOf = Effect.fnUntraced(function* (
  { signIn, directory }: SignInContext,
  { person, session }: SignedIn
) {
  const shown: Array<ShownMembership> = []
  const memberships = yield* signIn.membershipsOf(person.address, session.method)
  for (const { workspace_id, role, expires_at } of memberships) {
    const profile = yield* directory.find(workspace_id)
    if (profile !== undefined) shown.push({ workspace: profile.workspace.name, role, expires_at })
  }
  return shown
})

const show = (context: SignInContext) =>
  withSession(
    context,
    Effect.fnUntraced(function* (visitor, signedIn) {
      const { session, person } = signedIn
      const done = yield* readQuery(visitor.exchange.query, (query) => query.choice("done", DONE))
      const now = yield* context.clock.reckoned
      const sessions = yield* context.sessions.ofPerson(person.id)
      const page = accountPage({
        ...visitor,
        address: person.address,
        memberships: yield* membershipsOf(context, signedIn),
        sessions: sessions.filter((one) => context.signIn.isValid(one, now)),
        current: session.id,
        done: done ?? null
      })
      return pageAnswer(page)
    }, asApiError)
  )

const endOne = (context: SignInContext) =>
  withSession(
    context,
    Effect.fnUntraced(function* (visitor, { session, person }, form) {
      const id = yield* readQuery(form, (fields) => fields.text("session", 100) ?? "")
      yield* context.records.ended(
        { person, session: id, which: "one", reason: "chosen" },
        deviceOf(visitor).clientAddress
      )
      yield* context.sessions.end(person.id, id, yield* context.clock.reckoned)
      return id === session.id ? goTo("/sign-in?why=signed_out") : goTo("/account?done=session_ended")
    }, asApiError),
    (visitor) => Effect.andThen(ownPageOnly(context, visitor), readFormText(visitor.exchange.message))
  )

const endOthers = (context: SignInContext) =>
  withSession(
    context,
    Effect.fnUntraced(function* (visitor, { session, person }) {
      yield* ownPageOnly(context, visitor)
      yield* context.records.ended(
        { person, session: session.id, which: "others", reason: "chosen" },
        deviceOf(visitor).clientAddress
      )
      yield* context.signIn.endAll(person.address, session.id)
      return goTo("/account?done=others_ended")
    }, asApiError)
  )

/** Ends the session of the browser; where that fails, the browser has it no longer at least. */
const signOut = (context: SignInContext) =>
  Effect.fnUntraced(function* (visitor: Visitor) {
    yield* ownPageOnly(context, visitor)
    const cookies = [clearCookie(visitor.site, "cairn")]
    const ended = Effect.gen(function* () {
      const found = yield* sessionOf(context, visitor)
      if (typeof found === "object") {
        const { person, session } = found
        yield* context.records.ended(
          { person, session: session.id, which: "one", reason: "signed_out" },
          deviceOf(visitor).clientAddress
        )
        yield* context.sessions.end(person.id, session.id, yield* context.clock.reckoned)
      }
      return pageAnswer(signedOutPage(visitor), 200, cookies)
    })
    const { requestId } = visitor.exchange
    return yield* asApiError(ended).pipe(
      Effect.catch(({ headers }) => {
        const answer = pageAnswer(failedPage({ ...visitor, requestId }), 503, cookies)
        return Effect.succeed({ ...answer, headers: { ...answer.headers, ...headers } })
      })
    )
  })

/** The page and its forms. */
export const accountForms = (context: SignInContext) => ({
  show: show(context),
  endOne: endOne(context),
  endOthers: endOthers(context),
  signOut: signOut(context)
})
