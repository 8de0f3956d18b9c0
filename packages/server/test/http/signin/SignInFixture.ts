/** The service's side of OpenID Connect for tests: signing in by a provider that a test has started. */
import { Effect, Layer, Logger } from "effect"
import { OpenIdConnect } from "../../../src/http/signin/OpenIdConnect.ts"
import { layerTokenSigner } from "../../../src/secret/JoseTokens.ts"
import type { OpenIdConnectSettings } from "../../../src/settings/SignInSettings.ts"
import { CLIENT_SECRET } from "../../support/OidcProvider.ts"

/** Where nobody listens: the provider only sends the browser there. */
export const BASE = "http://127.0.0.1:9"

/** Keys of the service. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64")
export const OTHER_KEY = Buffer.alloc(32, 8).toString("base64")

/** Where a test differs from the ordinary. */
export interface ServiceOptions {
  readonly settings?: Partial<OpenIdConnectSettings>
  readonly secretKeys?: ReadonlyArray<string>
  readonly baseUrl?: string
  readonly limitMillis?: number
  /** Takes the lines of the log. */
  readonly log?: Array<string>
}

/** The settings for a provider. */
export const settingsFor = (
  issuer: string,
  settings: Partial<OpenIdConnectSettings> = {}
): OpenIdConnectSettings => ({
  issuer,
  clientId: "cairn",
  clientSecret: CLIENT_SECRET,
  name: "the provider",
  scopes: "openid email profile",
  groupsClaim: "groups",
  roles: [],
  trustsAddresses: false,
  ...settings
})

/** Signing in by a provider. */
export const service = (issuer: string, options: ServiceOptions = {}) => {
  const { settings, secretKeys = [SECRET_KEY], baseUrl = BASE, limitMillis, log = [] } = options
  return OpenIdConnect.layer({
    settings: settingsFor(issuer, settings),
    baseUrl,
    secretKeys,
    ...(limitMillis === undefined ? {} : { limitMillis })
  }).pipe(
    Layer.provide(layerTokenSigner),
    Layer.provideMerge(
      Logger.layer([
        Logger.make(({ message, logLevel }) => {
          log.push(`${logLevel} ${Array.isArray(message) ? message.join(" ") : String(message)}`)
        })
      ])
    )
  )
}

/** Begins a sign-in. */
export const start = (returnTo: string | null = null) =>
  Effect.flatMap(OpenIdConnect, (connect) => connect.start({ returnTo }))

/** Ends a sign-in. */
export const finish = (callbackUrl: string, ticket: string | undefined) =>
  Effect.flatMap(OpenIdConnect, (connect) => connect.finish({ callbackUrl, ticket }))

/** Why a sign-in does not end well. */
export const refusal = (callbackUrl: string, ticket: string | undefined) =>
  Effect.flip(finish(callbackUrl, ticket))

/** The parameters of an address. */
export const parametersOf = (url: string): Record<string, string> =>
  Object.fromEntries(new URL(url).searchParams)

/** An address with other parameters; undefined removes one. */
export const withParameters = (url: string, changed: Record<string, string | undefined>): string => {
  const target = new URL(url)
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) target.searchParams.delete(name)
    else target.searchParams.set(name, value)
  }
  return target.href
}
