/** The identity provider: its metadata, and the calls of OpenID Connect to it. */
import { Cache, Clock, Effect, Exit, Ref } from "effect"
import type { Configuration, ExportedJWKSCache, IDToken, ServerMetadata } from "openid-client"
import type { OpenIdConnectSettings } from "../../settings/SignInSettings.ts"
import { needsUserInfo, personClaims } from "./PersonClaims.ts"
import { errorCode, faultOf, type OpenIdClient, OpenIdConnectFailed } from "./ProviderFault.ts"
import { boundedFetch } from "./ProviderFetch.ts"
import type { ProviderIncidents } from "./ProviderIncidents.ts"

/** For how long a provider's metadata are used before they are read again. */
const METADATA_FOR = "1 hour"

/** How the provider is used. */
export interface ProviderOptions {
  readonly settings: OpenIdConnectSettings
  /** Where the provider sends people back to. */
  readonly redirectUri: string
  /** How long the beginning of a sign-in may take, and how long its end, all requests together. */
  readonly limitMillis: number
}

/** A provider whose metadata are known. */
interface Known {
  readonly client: OpenIdClient
  readonly metadata: ServerMetadata
  /** Its keys, as far as they were needed. */
  readonly keys: Ref.Ref<ExportedJWKSCache | undefined>
}

/** What is sent to the provider with a person, and asked of what comes back. */
export interface Challenge {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** What comes back with the browser: the query of a callback, and what it says. */
export interface Callback {
  readonly query: string
  readonly state: string | undefined
  readonly iss: string | undefined
  readonly error: string | undefined
}

const failed = (reason: OpenIdConnectFailed["reason"], detail: string) =>
  new OpenIdConnectFailed({ reason, detail })

/** Runs a call; interruption, and the end of its time, abort its requests. */
const call = <A>(
  client: OpenIdClient,
  limitMillis: number,
  run: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, OpenIdConnectFailed> =>
  Effect.tryPromise({ try: run, catch: (error) => faultOf(client, error) }).pipe(
    Effect.timeoutOrElse({
      duration: limitMillis,
      orElse: () => Effect.fail(failed("unreachable", "no answer in time"))
    })
  )

/**
 * HTTP Basic, which every provider has to take (OpenID Connect Core section 9), unless it says that it takes
 * only the other way.
 */
const authenticationOf = (
  client: OpenIdClient,
  { clientSecret }: OpenIdConnectSettings,
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata
) => {
  if (clientSecret === null) return client.None()
  const onlyPost = methods?.includes("client_secret_post") && !methods.includes("client_secret_basic")
  return onlyPost ? client.ClientSecretPost(clientSecret) : client.ClientSecretBasic(clientSecret)
}

/** The library's configuration for the requests of one call. */
const configurationOf = (
  { client, metadata }: Known,
  { settings }: ProviderOptions,
  signal: AbortSignal,
  keys: ExportedJWKSCache | undefined
): Configuration => {
  const authentication = authenticationOf(client, settings, metadata)
  const configuration = new client.Configuration(metadata, settings.clientId, undefined, authentication)
  configuration[client.customFetch] = boundedFetch(signal)
  // The settings allow it on this machine alone, and so does boundedFetch.
  if (settings.issuer.startsWith("http://")) client.allowInsecureRequests(configuration)
  // The library would rely on TLS for tokens that come from the provider directly.
  client.enableNonRepudiationChecks(configuration)
  if (keys !== undefined) client.setJwksCache(configuration, keys)
  return configuration
}

const sameUrl = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href

/**
 * Reads the metadata (OpenID Connect Discovery section 4). The library lets providers for many tenants name
 * another issuer there; here nobody's tenant may stand for another's.
 */
const discover = Effect.fnUntraced(function* (client: OpenIdClient, options: ProviderOptions) {
  const { issuer, clientId } = options.settings
  const metadata = yield* call(client, options.limitMillis, async (signal) => {
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      execute: issuer.startsWith("http://") ? [client.allowInsecureRequests] : [],
      [client.customFetch]: boundedFetch(signal)
    })
    return found.serverMetadata()
  }).pipe(
    Effect.mapError((error) =>
      error.reason === "token_invalid" ? failed("provider_error", error.detail) : error
    )
  )
  if (!sameUrl(metadata.issuer, issuer))
    return yield* failed("provider_error", "its metadata name another issuer")
  const known: Known = { client, metadata, keys: yield* Ref.make<ExportedJWKSCache | undefined>(undefined) }
  return known
})

/** The address that a person is sent to (OpenID Connect Core section 3.1.2.1). */
const authorizationUrl = async (
  known: Known,
  options: ProviderOptions,
  { state, nonce, verifier }: Challenge,
  signal: AbortSignal
): Promise<string> => {
  const { client } = known
  const url = client.buildAuthorizationUrl(configurationOf(known, options, signal, undefined), {
    redirect_uri: options.redirectUri,
    scope: options.settings.scopes,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256"
  })
  return url.href
}

/**
 * Whether a callback is this provider's (RFC 9207 section 2.4), and no refusal (RFC 6749 section 4.1.2.1).
 * What another provider says must not be believed, and its code must not be sent to this one.
 */
const checkSender = (
  { issuer, authorization_response_iss_parameter_supported: isNamed }: ServerMetadata,
  { iss, error }: Callback
): Effect.Effect<void, OpenIdConnectFailed> => {
  if (iss === undefined ? isNamed === true : iss !== issuer)
    return Effect.fail(failed("issuer", "the callback is of another issuer, or of none"))
  if (error === undefined) return Effect.void
  const reason = error === "access_denied" ? "denied" : "provider_error"
  return Effect.fail(failed(reason, `the callback says ${errorCode(error)}`))
}

/** Exchanges the code for the ID token, which the library checks, and asks for more where it is needed. */
const exchange = async (
  { client }: Known,
  { settings, redirectUri }: ProviderOptions,
  configuration: Configuration,
  query: string,
  { state, nonce, verifier }: Challenge
): Promise<{ readonly idToken: IDToken | undefined; readonly userInfo: unknown }> => {
  const callback = new URL(redirectUri)
  callback.search = query
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true
  })
  const idToken = tokens.claims()
  const { userinfo_endpoint } = configuration.serverMetadata()
  const asks = idToken !== undefined && userinfo_endpoint !== undefined && needsUserInfo(settings, idToken)
  const userInfo = asks
    ? await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub)
    : undefined
  return { idToken, userInfo }
}

const redeem = Effect.fnUntraced(function* (
  known: Known,
  options: ProviderOptions,
  limitMillis: number,
  query: string,
  challenge: Challenge
) {
  const { client } = known
  const keys = yield* Ref.get(known.keys)
  const { idToken, userInfo, found } = yield* call(client, limitMillis, async (signal) => {
    const configuration = configurationOf(known, options, signal, keys)
    const answer = await exchange(known, options, configuration, query, challenge)
    return { ...answer, found: client.getJwksCache(configuration) }
  })
  yield* Ref.set(known.keys, found)
  // The library asks for it only beside several audiences (OpenID Connect Core section 3.1.3.7).
  if (idToken?.azp !== undefined && idToken.azp !== options.settings.clientId)
    return yield* failed("token_invalid", "the ID token was made for another client")
  const claims = personClaims(options.settings, idToken, userInfo)
  return yield* Effect.mapError(Effect.fromOption(claims), () =>
    failed("token_invalid", "the ID token names no account")
  )
})

const monotonicMillis = Effect.map(Clock.Clock, (clock) =>
  Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
)

/** The provider of these settings. Nothing is asked of it before the first sign-in. */
export const makeProvider = Effect.fnUntraced(function* (options: ProviderOptions, watch: ProviderIncidents) {
  const client = yield* Effect.promise(() => import("openid-client"))
  const cache = yield* Cache.makeWith((_: string) => watch("its metadata", discover(client, options)), {
    capacity: 1,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? METADATA_FOR : 0)
  })
  /** Callers that ask while the metadata are read wait for the same answer; a failure is not kept. */
  const known = Cache.get(cache, options.settings.issuer)
  return {
    /** What distinguishes a new sign-in. */
    challenge: (): Challenge => ({
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier()
    }),
    authorizationUrl: Effect.fnUntraced(function* (challenge: Challenge) {
      const found = yield* known
      return yield* call(client, options.limitMillis, (signal) =>
        authorizationUrl(found, options, challenge, signal)
      )
    }),
    /** The person of a callback that is of the sign-in with this challenge. */
    person: Effect.fnUntraced(function* (callback: Callback, challenge: Challenge) {
      const begun = yield* monotonicMillis
      const found = yield* known
      yield* checkSender(found.metadata, callback)
      const left = Math.max(0, begun + options.limitMillis - (yield* monotonicMillis))
      return yield* watch("its tokens", redeem(found, options, left, callback.query, challenge))
    })
  }
})

/** What is asked of a provider. */
export type Provider = Effect.Success<ReturnType<typeof makeProvider>>
