/**
 * Setting the service up: the page that a set-up link opens, and its form, which makes the first owner.
 *
 * As with the links that sign in, opening one does nothing, and the form works in the browser alone that
 * opened it.
 */
import { Micros } from "@cairn/core/encoding"
import { type AlreadySetUp, SETUP_LINK, type SetupFault, type SetupInput } from "@cairn/core/management"
import { SETUP_LIFE, type SignInRefused } from "@cairn/core/people"
import type { Member } from "@cairn/core/workspace"
import { Effect } from "effect"
import { readCookie, setCookie } from "../gate/SessionCookie.ts"
import { readFormText } from "../plumbing/Body.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { arrive, deviceOf } from "./Arrival.ts"
import { cookieOf, markOf } from "./ByLink.ts"
import { type SetupRefusal, setupPage, setupRefusedPage } from "./pages/index.ts"
import type { SignInContext } from "./SignInContext.ts"
import { limited, ownPageOnly, pageAnswer, type Visitor } from "./Visitor.ts"

/** Requests of a minute by one network. The secrets of links cannot be guessed. */
const SETUPS_PER_MINUTE = 60
/** Longest field that is read, in characters: longer than any may be, so that the form says what is wrong. */
const LONGEST = 20_000

const EMPTY: SetupInput = { workspaceName: "", workspaceId: null, email: "", name: "" }

const STATUS: Readonly<Record<SetupRefusal, number>> = {
  unknown: 404,
  expired: 410,
  spent: 410,
  done: 410,
  other_browser: 403
}

/** Says why nothing was set up. */
const refused = (visitor: Visitor, refusal: SetupRefusal) =>
  pageAnswer(setupRefusedPage({ ...visitor, refusal, lifetime: SETUP_LIFE }), STATUS[refusal])

const REFUSALS: Readonly<Partial<Record<SignInRefused["reason"], SetupRefusal>>> = {
  link_expired: "expired",
  link_spent: "spent"
}

/** The page for what a link refuses. */
const answerTo = (visitor: Visitor) => (error: SignInRefused | AlreadySetUp) =>
  Effect.succeed(
    refused(visitor, error._tag === "AlreadySetUp" ? "done" : (REFUSALS[error.reason] ?? "unknown"))
  )

/** The form, with what was entered and what is wrong with it. */
const form = Effect.fnUntraced(function* (
  { setup }: SignInContext,
  visitor: Visitor,
  token: string,
  entered?: { readonly values: SetupInput; readonly faults: ReadonlyArray<SetupFault> }
) {
  const { workspaces, owner } = yield* setup.look(token)
  // What was done before a crash, so that the same is sent again.
  const done =
    owner === null
      ? EMPTY
      : { ...EMPTY, workspaceId: owner.workspace_id, email: owner.email, name: owner.name ?? "" }
  const { values, faults } = entered ?? { values: done, faults: [] }
  return setupPage({ ...visitor, token, workspaces, values, faults })
})

/** The page that a link opens. */
const open = Effect.fnUntraced(function* (context: SignInContext, visitor: Visitor) {
  yield* limited(context, visitor, "set-up", SETUPS_PER_MINUTE)
  const token = yield* readQuery(visitor.exchange.query, (query) => query.text("token", LONGEST) ?? "")
  const page = yield* form(context, visitor, token)
  const mark = markOf(context, token)
  const cookie = setCookie(visitor.site, cookieOf(mark), mark, SETUP_LIFE / Micros.SECOND)
  return pageAnswer(page, 200, [cookie])
})

/** The file is of no use any more; one that stays holds a link that does nothing. */
const removeFile = ({ setupLinkFile }: SignInContext) =>
  setupLinkFile === null
    ? Effect.void
    : Effect.catch(setupLinkFile.remove, ({ message }) =>
        Effect.logWarning("The file with the set-up link, which is used, stays").pipe(
          Effect.annotateLogs({ reason: message })
        )
      )

/** The owner is there, whatever becomes of the mail, which can be sent again. */
const sendConfirmation = ({ invitations }: SignInContext, visitor: Visitor, owner: Member) =>
  invitations
    .confirm({ ...SETUP_LINK, address: deviceOf(visitor).clientAddress }, owner)
    .pipe(
      Effect.catch(({ message }) =>
        Effect.logWarning("The mail that confirms the first owner's address was not sent").pipe(
          Effect.annotateLogs({ reason: message })
        )
      )
    )

/** Makes the owner, by the button. */
const finish = Effect.fnUntraced(function* (context: SignInContext, visitor: Visitor) {
  yield* ownPageOnly(context, visitor)
  yield* limited(context, visitor, "set-up", SETUPS_PER_MINUTE)
  const sent = yield* readFormText(visitor.exchange.message)
  const { token, values } = yield* readQuery(sent, (fields) => {
    const text = (name: string) => (fields.text(name, LONGEST) ?? "").trim()
    const values: SetupInput = {
      workspaceName: text("workspace_name"),
      workspaceId: fields.text("workspace_id", LONGEST) ?? null,
      email: text("email"),
      name: text("name")
    }
    return { token: text("token"), values }
  })
  const mark = markOf(context, token)
  if (readCookie(visitor.site, visitor.exchange.message, cookieOf(mark)) !== mark)
    return refused(visitor, "other_browser")
  return yield* context.setup.finish(token, values, deviceOf(visitor)).pipe(
    Effect.flatMap(({ opened, owner }) =>
      removeFile(context).pipe(
        Effect.andThen(sendConfirmation(context, visitor, owner)),
        Effect.andThen(
          arrive(context, visitor, opened, {
            returnTo: null,
            invitedTo: owner.workspace_id,
            used: cookieOf(mark)
          })
        )
      )
    ),
    Effect.catchTag("SetupIncomplete", ({ faults }) =>
      Effect.map(form(context, visitor, token, { values, faults }), (page) => pageAnswer(page, 422))
    )
  )
})

/** The page and its form. */
export const setupForms = (context: SignInContext) => ({
  open: (visitor: Visitor) =>
    open(context, visitor).pipe(
      Effect.catchTag(["SignInRefused", "AlreadySetUp"], answerTo(visitor)),
      asApiError
    ),
  finish: (visitor: Visitor) =>
    finish(context, visitor).pipe(
      Effect.catchTag(["SignInRefused", "AlreadySetUp"], answerTo(visitor)),
      asApiError
    )
})
