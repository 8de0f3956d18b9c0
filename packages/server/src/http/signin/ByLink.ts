/**
 * Signing in by a link: asking for one, the page that it opens, and the button there, which spends it.
 *
 * Opening a link does nothing, since scanners of mail open links. The button works in the browser that opened
 * the page alone, which has a cookie that the page has set.
 */
import { LINK_LIFE, type SignInRefused } from "@cairn/core/people"
import { addressKey, emailFault } from "@cairn/core/workspace"
import { Effect, Option } from "effect"
import { readCookie, setCookie } from "../gate/SessionCookie.ts"
import { readFormText } from "../plumbing/Body.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { arrive, deviceOf } from "./Arrival.ts"
import { linkPage, mailSentPage, type Refusal, refusalPage, signInPage } from "./pages/index.ts"
import { returnPath } from "./ReturnPath.ts"
import { type SignInContext, waysOf } from "./SignInContext.ts"
import { limited, ownPageOnly, pageAnswer, type Visitor } from "./Visitor.ts"

/** Mails asked for within a minute by one network: an office signs in by other ways at nine o'clock. */
const MAILS_PER_MINUTE = 20
/** Links opened or used within a minute by one network. Their secrets cannot be guessed. */
const LINKS_PER_MINUTE = 120
/** Longest field that is read, in characters. */
const LONGEST = 2_000
/** How long the browser that opened a link may take to press the button. */
const OPENED_SECONDS = 900

/** What the browser has that opened a link: derived from its secret, which it does not give away. */
export const markOf = ({ sha256 }: SignInContext, token: string): string =>
  sha256.hex(`cairn.link.v1\n${token}`)

/** The cookie's name: several links may be open in one browser. */
export const cookieOf = (mark: string) => `cairn-link-${mark.slice(0, 8)}` as const

/** Sends a link, if the address is a member's; nobody learns from the answer whether it is. */
const sendLink = ({ signIn, mailer }: SignInContext, address: string, returnTo: string | null) =>
  Effect.flatMap(signIn.requestLink(address, returnTo), (made) =>
    Option.isNone(made) ? Effect.void : mailer.send(made.value)
  ).pipe(
    Effect.catch((error) =>
      Effect.logWarning("A link to sign in was not sent").pipe(
        Effect.annotateLogs({ reason: error.operation })
      )
    )
  )

/**
 * Runs what only a member's address makes necessary: after a time of its own, so that neither the answer nor
 * the service's next ones tell whose addresses these are. A server that stops does it at once.
 */
const behindTheAnswer = ({ random, linkDelay }: SignInContext, work: Effect.Effect<void>) => {
  const [part = 0] = random.bytes(1)
  return Effect.ensuring(Effect.sleep((part / 255) * linkDelay), work)
}

/** Asks for a link. */
const ask = Effect.fnUntraced(function* (context: SignInContext, visitor: Visitor) {
  yield* ownPageOnly(context, visitor)
  yield* limited(context, visitor, "mail", MAILS_PER_MINUTE)
  const form = yield* readFormText(visitor.exchange.message)
  const { email, to } = yield* readQuery(form, (fields) => ({
    email: (fields.text("email", LONGEST) ?? "").trim(),
    to: fields.text("return", LONGEST)
  }))
  const returnTo = returnPath(to)
  const ways = waysOf(context, returnTo)
  if (!context.mailer.sends || emailFault(email) !== undefined) {
    const notice = context.mailer.sends ? "address_invalid" : null
    return pageAnswer(signInPage({ ...visitor, ...ways, address: email.slice(0, 254), notice }), 422)
  }
  yield* Effect.forkIn(behindTheAnswer(context, sendLink(context, email, returnTo)), context.scope)
  return pageAnswer(mailSentPage({ ...visitor, address: email, returnTo, lifetime: LINK_LIFE }))
})

const STATUS: Readonly<Partial<Record<Refusal, number>>> = {
  link_unknown: 404,
  link_expired: 410,
  link_spent: 410
}

/** Says why nobody is signed in. */
export const refused = (
  context: SignInContext,
  visitor: Visitor,
  refusal: Refusal,
  {
    address = null,
    returnTo = null
  }: { readonly address?: string | null; readonly returnTo?: string | null } = {}
) =>
  pageAnswer(
    refusalPage({ ...visitor, ...waysOf(context, returnTo), refusal, address }),
    STATUS[refusal] ?? 403
  )

const tokenOf = (text: string) => readQuery(text, (fields) => fields.text("token", LONGEST) ?? "")

/** Where an invitation leads, and as what. */
const invitationOf = Effect.fnUntraced(function* (
  { signIn, directory }: SignInContext,
  address: string,
  workspaceId: string | null
) {
  if (workspaceId === null) return null
  const member = (yield* signIn.membershipsOf(address, "mail")).find(
    (one) => one.workspace_id === workspaceId
  )
  const profile = yield* directory.find(workspaceId)
  return member === undefined || profile === undefined
    ? null
    : { workspace: profile.workspace.name, role: member.role }
})

/** The address of who has signed in in the browser, if it is another one, as far as that can be read. */
const otherThan = ({ signIn }: SignInContext, { site, exchange }: Visitor, address: string) => {
  const secret = readCookie(site, exchange.message, "cairn")
  if (secret === undefined) return Effect.succeed(null)
  return Effect.match(signIn.check(secret), {
    onFailure: () => null,
    onSuccess: ({ person }) => (addressKey(person.address) === addressKey(address) ? null : person.address)
  })
}

/** The page that a link opens. */
const open = Effect.fnUntraced(function* (context: SignInContext, visitor: Visitor) {
  yield* limited(context, visitor, "link", LINKS_PER_MINUTE)
  const token = yield* tokenOf(visitor.exchange.query)
  const link = yield* context.signIn.findLink(token)
  const invitation = yield* invitationOf(context, link.address, link.workspace_id)
  const mark = markOf(context, token)
  const cookie = setCookie(visitor.site, cookieOf(mark), mark, OPENED_SECONDS)
  const signedIn = yield* otherThan(context, visitor, link.address)
  const view = { ...visitor, address: link.address, signedIn, token, invitation }
  return pageAnswer(linkPage(view), 200, [cookie])
})

/** Spends a link, by its button. */
const spend = Effect.fnUntraced(function* (context: SignInContext, visitor: Visitor) {
  yield* ownPageOnly(context, visitor)
  yield* limited(context, visitor, "link", LINKS_PER_MINUTE)
  const token = yield* tokenOf(yield* readFormText(visitor.exchange.message))
  const mark = markOf(context, token)
  if (readCookie(visitor.site, visitor.exchange.message, cookieOf(mark)) !== mark)
    return refused(context, visitor, "took_too_long")
  const device = deviceOf(visitor)
  const opened = yield* context.signIn
    .byLink(token, device)
    .pipe(
      Effect.tapErrorTag("SignInRefused", ({ reason }) =>
        Effect.flatMap(context.clock.reckoned, (now) =>
          context.records.linkRefused(token, reason, now, device.clientAddress)
        )
      )
    )
  const { return_to, workspace_id } = opened.link
  return yield* arrive(context, visitor, opened, {
    returnTo: returnPath(return_to),
    invitedTo: workspace_id,
    used: cookieOf(mark)
  })
})

/** The pages and forms. */
export const byLinkForms = (context: SignInContext) => {
  const orRefused = (visitor: Visitor) => (error: SignInRefused) =>
    Effect.succeed(refused(context, visitor, error.reason))
  return {
    ask: (visitor: Visitor) => ask(context, visitor),
    open: (visitor: Visitor) =>
      open(context, visitor).pipe(Effect.catchTag("SignInRefused", orRefused(visitor)), asApiError),
    spend: (visitor: Visitor) =>
      spend(context, visitor).pipe(Effect.catchTag("SignInRefused", orRefused(visitor)), asApiError)
  }
}
