/** Why a sign-in at the identity provider fails, as `openid-client` reports it, without secrets. */
import { Schema } from "effect"
import { CallFailed } from "./ProviderFetch.ts"

/** `openid-client`, which is loaded where a provider is configured. */
export type OpenIdClient = typeof import("openid-client")

/** Nobody is signed in. */
export class OpenIdConnectFailed extends Schema.TaggedError<OpenIdConnectFailed>()("OpenIdConnectFailed", {
  /**
   * - `not_configured`: there is no provider.
   * - `ticket_missing_or_old`: this browser began no sign-in, or too long ago.
   * - `callback_invalid`: the callback is none that a provider sends.
   * - `state`: the callback belongs to another sign-in.
   * - `issuer`: the callback is another provider's (RFC 9207).
   * - `denied`: the person, or the provider, did not allow it.
   * - `code_refused`: the provider does not take the code, which was used before or is too old.
   * - `provider_error`: the provider answers with an error, or with what no provider may answer.
   * - `token_invalid`: what the provider says of the person is not for this sign-in, or not authentic.
   * - `unreachable`: the provider does not answer in time.
   */
  reason: Schema.Literals([
    "not_configured",
    "ticket_missing_or_old",
    "callback_invalid",
    "state",
    "issuer",
    "denied",
    "code_refused",
    "provider_error",
    "token_invalid",
    "unreachable"
  ]),
  /** For the operator: what exactly, on one line. */
  detail: Schema.String
}) {}

type Reason = OpenIdConnectFailed["reason"]

/** Codes of `openid-client` that say that a token, or what is said of its subject, does not hold. */
const TOKEN_CODES: ReadonlyArray<string | undefined> = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION"
]

/** An error's code in OAuth (RFC 6749 section 5.2), if it looks like one: the text comes from outside. */
export const errorCode = (text: string): string => (/^[\w.-]{1,60}$/.test(text) ? text : "an unreadable code")

const failed = (reason: Reason, detail: string) => new OpenIdConnectFailed({ reason, detail })

/** What an error of the library says: its own words, which hold nothing that was sent. */
const messageOf = ({ message, code, cause }: Error & { readonly code?: string }): string => {
  if (cause instanceof Response) return `${message}: ${cause.status}`
  if (!(cause instanceof Error)) return message
  return `${message}: ${code?.startsWith("OAUTH_") === true ? cause.message : cause.name}`
}

const ofCall = ({ kind, message }: CallFailed): OpenIdConnectFailed =>
  failed(kind === "no_answer" ? "unreachable" : "provider_error", message)

/**
 * The failure behind an error of a call to the provider. One that is no error of the library's, nor of a
 * call, is a defect of this service, and says no more than its type.
 */
export const faultOf = (client: OpenIdClient, error: unknown): OpenIdConnectFailed => {
  if (error instanceof CallFailed) return ofCall(error)
  if (error instanceof Error && error.cause instanceof CallFailed) return ofCall(error.cause)
  if (error instanceof client.ResponseBodyError) {
    const reason = error.error === "invalid_grant" ? "code_refused" : "provider_error"
    return failed(reason, `status ${error.status}, ${errorCode(error.error)}`)
  }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    return failed("provider_error", `status ${error.status} with a challenge`)
  }
  if (error instanceof client.ClientError) {
    const reason = TOKEN_CODES.includes(error.code) ? "token_invalid" : "provider_error"
    return failed(reason, messageOf(error))
  }
  return failed("provider_error", error instanceof Error ? error.name : "an unknown error")
}
