/**
 * Signing in at an identity provider by OpenID Connect: the authorization code flow (OpenID Connect Core
 * section 3.1) with PKCE (RFC 7636), state, nonce and the issuer of the callback (RFC 9207).
 */
import type { TokenSigner } from "@cairn/core/workspace"
import { Context, Effect, Layer } from "effect"
import type { OpenIdConnectSettings } from "../../settings/SignInSettings.ts"
import type { PersonClaims } from "./PersonClaims.ts"
import { type Callback, makeProvider, type Provider } from "./Provider.ts"
import { OpenIdConnectFailed } from "./ProviderFault.ts"
import { providerIncidents } from "./ProviderIncidents.ts"
import { type SignInTickets, signInTickets } from "./SignInTicket.ts"

/** Where the provider sends people back to, below the service's address. */
export const CALLBACK_PATH = "/sign-in/oidc/callback"

/** How long the provider may take for all requests of a sign-in's beginning, or of its end. */
const LIMIT_MILLIS = 10_000
/** Longest query of a callback, in characters. */
const LONGEST_QUERY = 8_192
/** The parameters of a callback (RFC 6749 sections 4.1.2 and 4.1.2.1, RFC 9207 section 2). */
const NAMES = ["code", "state", "iss", "error"] as const
/** Parameters of callbacks of other flows, which the library rejects as if the provider were at fault. */
const OF_OTHER_FLOWS = ["id_token", "token", "response"]
/** What is kept of where a person wanted to go: a path as a browser writes it, short enough for a cookie. */
const RETURN_TO = /^[\x21-\x7e]{1,1000}$/

/** A sign-in that has begun. */
export interface StartedSignIn {
  /** The provider's page, to which the browser goes. */
  readonly url: string
  /** What the browser keeps until it is back, in a cookie that no script reads, for `TICKET_SECONDS`. */
  readonly ticket: string
}

/** Who has signed in, and where the person wanted to go. */
export interface FinishedSignIn extends PersonClaims {
  readonly returnTo: string | null
}

/** What comes back with the browser. */
interface ReturnedSignIn {
  /** The callback's address; only its query is looked at. */
  readonly callbackUrl: string
  readonly ticket: string | undefined
}

/** Signing in at the provider. */
interface OpenIdConnectShape {
  /** What people call the provider; null if there is none. */
  readonly name: string | null
  /** The origin that the provider sends people back to; null if there is none. */
  readonly origin: string | null
  /**
   * Begins a sign-in. `returnTo` comes back with its end; one that is longer than 1,000 characters, or has
   * others than an address has, is left out. It comes from the browser: the caller checks, before it
   * redirects, that it stays within the service.
   */
  readonly start: (wanted: {
    readonly returnTo: string | null
  }) => Effect.Effect<StartedSignIn, OpenIdConnectFailed>
  /**
   * Ends a sign-in: checks that the callback is this browser's and the provider's, exchanges its code, and
   * verifies what the provider says. The provider takes a code once.
   */
  readonly finish: (returned: ReturnedSignIn) => Effect.Effect<FinishedSignIn, OpenIdConnectFailed>
}

/** What signing in needs. */
interface OpenIdConnectContext {
  readonly settings: OpenIdConnectSettings
  readonly provider: Provider
  readonly tickets: SignInTickets
}

const failed = (reason: OpenIdConnectFailed["reason"], detail: string) =>
  new OpenIdConnectFailed({ reason, detail })

/**
 * Reads a callback; undefined if it has a parameter twice (RFC 6749 section 3.1), neither a code nor an
 * error, or what only callbacks of other flows have.
 */
export const readCallback = (callbackUrl: string): Callback | undefined => {
  const [, query = ""] = /^[^?#]*\?([^#]*)/.exec(callbackUrl) ?? []
  if (query.length > LONGEST_QUERY) return undefined
  const parameters = new URLSearchParams(query)
  const isTwice = NAMES.some((name) => parameters.getAll(name).length > 1)
  if (isTwice || OF_OTHER_FLOWS.some((name) => parameters.has(name))) return undefined
  const of = (name: (typeof NAMES)[number]) => parameters.get(name) ?? undefined
  const [code = "", error] = [of("code"), of("error")]
  return code === "" && error === undefined ? undefined : { query, state: of("state"), iss: of("iss"), error }
}

const start = Effect.fn("OpenIdConnect.start")(function* (
  { settings, provider, tickets }: OpenIdConnectContext,
  returnTo: string | null
) {
  const challenge = provider.challenge()
  const url = yield* provider.authorizationUrl(challenge)
  const ticket = yield* tickets.make({
    ...challenge,
    issuer: settings.issuer,
    return_to: returnTo !== null && RETURN_TO.test(returnTo) ? returnTo : null
  })
  return { url, ticket }
})

const finish = Effect.fn("OpenIdConnect.finish")(function* (
  { settings, provider, tickets }: OpenIdConnectContext,
  { callbackUrl, ticket }: ReturnedSignIn
) {
  const { return_to: returnTo, ...challenge } = yield* tickets.read(ticket, settings.issuer)
  const callback = readCallback(callbackUrl)
  if (callback === undefined) return yield* failed("callback_invalid", "the callback is none")
  if (callback.state !== challenge.state) return yield* failed("state", "the callback has another state")
  const person = yield* provider.person(callback, challenge)
  return { ...person, returnTo }
})

/** How the provider is reached. */
export interface OpenIdConnectConfig {
  /** Null for no provider. */
  readonly settings: OpenIdConnectSettings | null
  /** Where clients reach the server, without a slash at the end. */
  readonly baseUrl: string
  /** Newest first, each the base64 of 32 bytes. */
  readonly secretKeys: ReadonlyArray<string>
  /** How long the provider may take; ten seconds unless set. */
  readonly limitMillis?: number
}

/** Signing in at the provider. */
export class OpenIdConnect extends Context.Service<OpenIdConnect, OpenIdConnectShape>()(
  "@cairn/server/OpenIdConnect"
) {
  static readonly layer = ({
    settings,
    baseUrl,
    secretKeys,
    limitMillis = LIMIT_MILLIS
  }: OpenIdConnectConfig): Layer.Layer<OpenIdConnect, never, TokenSigner> =>
    Layer.effect(
      OpenIdConnect,
      Effect.gen(function* () {
        if (settings === null) {
          const none = Effect.fail(failed("not_configured", "there is no identity provider"))
          return OpenIdConnect.of({ name: null, origin: null, start: () => none, finish: () => none })
        }
        const { href: redirectUri, origin } = new URL(`${baseUrl}${CALLBACK_PATH}`)
        const watch = yield* providerIncidents
        const provider = yield* makeProvider({ settings, redirectUri, limitMillis }, watch)
        const tickets = yield* signInTickets(secretKeys)
        const context: OpenIdConnectContext = { settings, provider, tickets }
        return OpenIdConnect.of({
          name: settings.name,
          origin,
          start: ({ returnTo }) => start(context, returnTo),
          finish: (returned) => finish(context, returned)
        })
      })
    )
}
