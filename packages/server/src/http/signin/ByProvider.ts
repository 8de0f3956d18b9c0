/** Signing in at the identity provider: leaving for it, and coming back. */
import { Effect } from "effect"
import { rolesFor } from "../../settings/RoleMapping.ts"
import { clearCookie, readCookie, setCookie } from "../gate/SessionCookie.ts"
import { asApiError } from "../plumbing/DomainErrors.ts"
import { readQuery } from "../plumbing/QueryParameters.ts"
import { arrive, deviceOf } from "./Arrival.ts"
import { refused } from "./ByLink.ts"
import type { FinishedSignIn } from "./OpenIdConnect.ts"
import type { OpenIdConnectFailed } from "./ProviderFault.ts"
import type { Refusal } from "./pages/index.ts"
import { returnPath } from "./ReturnPath.ts"
import type { SignInContext } from "./SignInContext.ts"
import { TICKET_SECONDS } from "./SignInTicket.ts"
import { goTo, limited, type Visitor } from "./Visitor.ts"

/** Begun or ended within a minute by one network: a whole office may come at nine o'clock. */
const SIGN_INS_PER_MINUTE = 300

/** What the page says of each failure; the log says exactly what it was. */
const REFUSALS: Readonly<Record<OpenIdConnectFailed["reason"], Refusal>> = {
  not_configured: "provider_unreachable",
  ticket_missing_or_old: "took_too_long",
  callback_invalid: "provider_denied",
  state: "took_too_long",
  issuer: "provider_denied",
  denied: "provider_denied",
  code_refused: "took_too_long",
  provider_error: "provider_unreachable",
  token_invalid: "provider_denied",
  unreachable: "provider_unreachable"
}

/** Sends the browser to the provider. */
const start = Effect.fnUntraced(function* (context: SignInContext, visitor: Visitor) {
  yield* limited(context, visitor, "provider", SIGN_INS_PER_MINUTE)
  const { to, moved } = yield* readQuery(visitor.exchange.query, (query) => ({
    to: query.text("return", 2_000),
    moved: query.choice("moved", ["1"])
  }))
  const back = context.provider.origin
  const isElsewhere = back !== null && back !== `http://${visitor.host}`
  if (visitor.site.kind === "loopback" && moved === undefined && isElsewhere) {
    // The provider leads back to one name of this machine: the cookie has to be of that name too.
    const query = new URLSearchParams({ moved: "1", ...(to === undefined ? {} : { return: to }) })
    return goTo(`${back}/sign-in/oidc?${query}`)
  }
  const { url, ticket } = yield* context.provider.start({ returnTo: returnPath(to) })
  return goTo(url, [setCookie(visitor.site, "cairn-oidc", ticket, TICKET_SECONDS)])
})

/** Signs in who the provider says it is, once the person's memberships are what the provider says. */
const signInAs = Effect.fnUntraced(function* (
  { roles, memberships, signIn }: SignInContext,
  claims: FinishedSignIn,
  visitor: Visitor
) {
  const given = rolesFor(roles, claims)
  // Nothing is changed for an account that is not the person's after all.
  const person = yield* signIn.identify(claims, given.length > 0)
  yield* memberships.apply({ address: person.address, name: claims.name }, given)
  return yield* signIn.byAccount(person, deviceOf(visitor))
})

/** Takes the browser back from the provider. */
const finish = Effect.fnUntraced(function* (context: SignInContext, visitor: Visitor) {
  yield* limited(context, visitor, "provider", SIGN_INS_PER_MINUTE)
  const { exchange, site } = visitor
  const claims = yield* context.provider.finish({
    callbackUrl: exchange.url,
    ticket: readCookie(site, exchange.message, "cairn-oidc")
  })
  const opened = yield* signInAs(context, claims, visitor).pipe(
    Effect.catchTag(
      "SignInRefused",
      Effect.fnUntraced(function* ({ reason }) {
        const { address } = claims
        const at = yield* context.clock.reckoned
        if (address !== null)
          yield* context.records.refused(
            { address, method: "oidc", reason, at },
            deviceOf(visitor).clientAddress
          )
        return refused(context, visitor, reason, { address })
      })
    )
  )
  if ("status" in opened) return opened
  return yield* arrive(context, visitor, opened, {
    returnTo: returnPath(claims.returnTo),
    invitedTo: null,
    used: "cairn-oidc"
  })
})

/** The pages. */
export const byProviderPages = (context: SignInContext) => {
  const refuse = (visitor: Visitor, refusal: Refusal) => {
    const answer = refused(context, visitor, refusal)
    return Effect.succeed({ ...answer, cookies: [clearCookie(visitor.site, "cairn-oidc")] })
  }
  return {
    start: (visitor: Visitor) =>
      start(context, visitor).pipe(
        Effect.catchTag("OpenIdConnectFailed", ({ reason }) => refuse(visitor, REFUSALS[reason])),
        asApiError
      ),
    finish: (visitor: Visitor) =>
      finish(context, visitor).pipe(
        Effect.catchTag("OpenIdConnectFailed", ({ reason }) => refuse(visitor, REFUSALS[reason])),
        asApiError
      )
  }
}
