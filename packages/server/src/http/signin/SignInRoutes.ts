/**
 * The pages on which people sign in and out, and see where they have. They work without scripts, and every
 * change is a form that only the service's own pages send.
 */
import type { Network } from "@cairn/core/encoding"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { ClockGuard } from "@cairn/core/log"
import { MemberInvitations, ProviderMemberships, Setup, WorkspaceEntry } from "@cairn/core/management"
import { Sessions, SignIn } from "@cairn/core/people"
import { Effect, Option } from "effect"
import { SetupLinkFile } from "../../secret/SetupLinkFile.ts"
import type { RoleRule } from "../../settings/RoleMapping.ts"
import { CHECK_PATH, ConsolePage, isConsolePath } from "../endpoints/ConsolePage.ts"
import { clientAddresses } from "../gate/ClientAddress.ts"
import { isPlainHttp, readCookie } from "../gate/SessionCookie.ts"
import { WorkspaceDirectory } from "../gate/WorkspaceDirectory.ts"
import { RateLimiter } from "../limits/RateLimiter.ts"
import type { Answer } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { accountForms } from "./AccountForms.ts"
import { byLinkForms } from "./ByLink.ts"
import { byProviderPages } from "./ByProvider.ts"
import { CALLBACK_PATH, OpenIdConnect } from "./OpenIdConnect.ts"
import {
  failedPage,
  type Hint,
  lostPage,
  needsHttpsPage,
  refusedOriginPage,
  STYLE_SHEET,
  signInPage,
  tooManyRequestsPage
} from "./pages/index.ts"
import { returnPath } from "./ReturnPath.ts"
import { makeSessionRecords } from "./SessionRecords.ts"
import { setupForms } from "./SetupForms.ts"
import { type SignInContext, waysOf } from "./SignInContext.ts"
import { SignInMailer } from "./SignInMailer.ts"
import { goTo, pageAnswer, type Visitor, visitorOf } from "./Visitor.ts"

/** What answers at a path and method. */
export type Page = (visitor: Visitor) => Effect.Effect<Answer, ApiError>

/** The pages at a path: what is read there, and what its forms do. */
export interface Pages {
  readonly get?: Page
  readonly post?: Page
}

const HINTS: ReadonlyArray<Hint> = [
  "signed_out",
  "session_ended",
  "session_expired",
  "session_idle",
  "sign_in_first"
]

/** The page to sign in. */
const entrance =
  (context: SignInContext): Page =>
  (visitor) =>
    Effect.gen(function* () {
      const { why, to } = yield* readQuery(visitor.exchange.query, (query) => ({
        why: query.choice("why", HINTS),
        to: query.text("return", 2_000)
      }))
      return pageAnswer(
        signInPage({ ...visitor, ...waysOf(context, returnPath(to)), address: null, notice: why ?? null })
      )
    })

/**
 * The console, for those who have signed in, at the page that the address names; the others sign in first,
 * and come back to it.
 */
const console =
  (context: SignInContext): Page =>
  ({ site, exchange }) =>
    Effect.gen(function* () {
      const secret = readCookie(site, exchange.message, "cairn")
      const known = secret === undefined ? Option.none() : yield* Effect.option(context.signIn.check(secret))
      const { path, query } = exchange
      if (Option.isSome(known)) return context.console.page ?? goTo("/account")
      if (path === "/") return goTo("/sign-in")
      const here = query === "" ? path : `${path}?${query}`
      return goTo(`/sign-in?why=sign_in_first&return=${encodeURIComponent(here)}`)
    })

const isRead = ({ method }: Exchange): boolean => method === "GET" || method === "HEAD"

/** The page that a form is on. */
const pageBefore = (path: string): string => (path.startsWith("/account") ? "/account" : "/sign-in")

/** A failure as a page: what a person can do about it. */
const asPage =
  ({ exchange, ...visit }: Visitor) =>
  (error: ApiError): Effect.Effect<Answer, ApiError> => {
    const { code, headers } = error
    if (code === "cross_origin") return Effect.succeed(pageAnswer(refusedOriginPage(visit), 403))
    if (code === "rate_limited") {
      const seconds = Number(headers?.["retry-after"])
      const page = tooManyRequestsPage({
        ...visit,
        retryAfterSeconds: Number.isFinite(seconds) ? seconds : null
      })
      const answer = pageAnswer(page, 429)
      return Effect.succeed({ ...answer, headers: { ...answer.headers, ...headers } })
    }
    if (code === "unavailable") {
      const answer = pageAnswer(failedPage({ ...visit, requestId: exchange.requestId }), 503)
      return Effect.succeed({ ...answer, headers: { ...answer.headers, ...headers } })
    }
    // A query that no page of the service has made: without it the page is what was meant.
    if (code === "invalid_parameter")
      return Effect.succeed(goTo(isRead(exchange) ? exchange.path : pageBefore(exchange.path)))
    return Effect.fail(error)
  }

/** What stands for every path of the console. */
const CONSOLE = "/"

/** Makes the pages. */
const makePages = (context: SignInContext): ReadonlyMap<string, Pages> => {
  const byLink = byLinkForms(context)
  const byProvider = byProviderPages(context)
  const account = accountForms(context)
  const setup = setupForms(context)
  return new Map<string, Pages>([
    [CONSOLE, { get: console(context) }],
    ["/sign-in", { get: entrance(context) }],
    ["/sign-in/email", { post: byLink.ask }],
    ["/sign-in/link", { get: byLink.open, post: byLink.spend }],
    ["/sign-in/oidc", { get: byProvider.start }],
    [CALLBACK_PATH, { get: byProvider.finish }],
    ["/set-up", { get: setup.open, post: setup.finish }],
    ["/sign-out", { post: account.signOut }],
    ["/account", { get: account.show }],
    ["/account/sessions/end", { post: account.endOne }],
    ["/account/sessions/end-others", { post: account.endOthers }]
  ])
}

const styleSheet: Answer = {
  status: 200,
  body: STYLE_SHEET.text,
  contentType: "text/css; charset=utf-8",
  headers: { "cache-control": "public, max-age=31536000, immutable" },
  compressible: true
}

const wrongMethod = ({ get, post }: Pages): ApiError => {
  const allow = [...(get === undefined ? [] : ["GET", "HEAD"]), ...(post === undefined ? [] : ["POST"])].join(
    ", "
  )
  return new ApiError({
    code: "method_not_allowed",
    message: `This path answers ${allow}`,
    headers: { allow }
  })
}

/** A path without slashes at its end. */
const withoutSlashes = (path: string): string => {
  let end = path.length
  while (path[end - 1] === "/") end--
  return path.slice(0, end)
}

/** Whether somebody follows a link or types an address, as far as the browser says. */
const isByPerson = ({ message: { headers } }: Exchange): boolean =>
  headers["sec-fetch-mode"] === undefined
    ? headers.accept?.startsWith("text/html,application/xhtml+xml") === true
    : headers["sec-fetch-mode"] === "navigate"

/** The pages of people, by their paths. */
export interface SignInRoutes {
  /** What answers a request; undefined if its path is none of these. */
  readonly find: (exchange: Exchange) => Effect.Effect<Answer, ApiError> | undefined
  /**
   * What a person sees at an address with nothing at it, or the page that was meant; undefined for a program,
   * and for what is not a page's address.
   */
  readonly lost: (exchange: Exchange) => Answer | undefined
}

/** Settings of the pages. */
export interface SignInRoutesConfig {
  readonly trustedProxies: ReadonlyArray<Network>
  /** Where clients reach the service, as configured; empty where it is not. */
  readonly baseUrl: string
  /** What roles the identity provider's groups and addresses give. */
  readonly roles: ReadonlyArray<RoleRule>
  /** Milliseconds that a link waits at most before it is made; two seconds unless set. */
  readonly linkDelay?: number
}

/** Makes the pages. */
export const makeSignInRoutes = Effect.fnUntraced(function* ({
  trustedProxies,
  baseUrl,
  roles,
  linkDelay = 2_000
}: SignInRoutesConfig) {
  const context: SignInContext = {
    provider: yield* OpenIdConnect,
    roles,
    memberships: yield* ProviderMemberships,
    setup: yield* Setup,
    invitations: yield* MemberInvitations,
    setupLinkFile: yield* SetupLinkFile,
    mailer: yield* SignInMailer,
    records: yield* makeSessionRecords,
    signIn: yield* SignIn,
    sessions: yield* Sessions,
    entry: yield* WorkspaceEntry,
    sha256: yield* Sha256,
    random: yield* Randomness,
    linkDelay,
    scope: yield* Effect.scope,
    console: yield* ConsolePage,
    directory: yield* WorkspaceDirectory,
    limiter: yield* RateLimiter,
    clock: yield* ClockGuard,
    addressOf: clientAddresses(trustedProxies),
    baseUrl
  }
  const pages = makePages(context)
  const routes: SignInRoutes = {
    find: (exchange) => {
      if (exchange.path === STYLE_SHEET.path) return Effect.succeed(styleSheet)
      const found = pages.get(isConsolePath(exchange.path) ? CONSOLE : exchange.path)
      if (found === undefined) return undefined
      exchange.route = isConsolePath(exchange.path) ? CONSOLE : exchange.path
      const isPost = exchange.method === "POST"
      const page = isRead(exchange) ? found.get : isPost ? found.post : undefined
      const visitor = visitorOf(context, exchange)
      if (visitor.site.kind === "insecure" || isPlainHttp(baseUrl, exchange.message)) {
        const port = exchange.message.socket.localPort ?? 0
        const reachedAt = baseUrl.startsWith("https://") ? baseUrl : null
        return Effect.succeed(pageAnswer(needsHttpsPage({ ...visitor, port, reachedAt }), 403))
      }
      // A form's address that was typed, or came back by the browser's history.
      if (page === undefined && isRead(exchange)) return Effect.succeed(goTo(pageBefore(exchange.path)))
      if (page === undefined) return Effect.fail(wrongMethod(found))
      return Effect.catch(page(visitor), asPage(visitor))
    },
    lost: (exchange) => {
      if (exchange.path.startsWith("/api/") || !isRead(exchange) || !isByPerson(exchange)) return undefined
      exchange.vary.add("sec-fetch-mode").add("accept")
      const meant = withoutSlashes(exchange.path)
      if (pages.get(meant)?.get !== undefined || meant === CHECK_PATH) return goTo(meant)
      return pageAnswer(lostPage(visitorOf(context, exchange)), 404)
    }
  }
  return routes
})
