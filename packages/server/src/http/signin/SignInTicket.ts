/**
 * What the browser keeps while its person is at the identity provider: a signed token in a cookie, so that
 * the service itself stores nothing, and any process can take the callback.
 *
 * The callback is good only for the browser that began the sign-in. Otherwise an attacker could send somebody
 * the address of a callback and so sign that person in to the attacker's account (RFC 6749 section 10.12).
 */
import { hkdfSync } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { parseToken, payloadText, TokenSigner } from "@cairn/core/workspace"
import { Effect, Option, Schema } from "effect"
import { secretKeyIds } from "../../secret/SecretKeys.ts"
import { OpenIdConnectFailed } from "./ProviderFault.ts"

/** For how long a ticket is good: people look for their second factor. */
export const TICKET_SECONDS = 600

/** What a ticket says beside its times. */
const TicketContent = Schema.Struct({
  /** The provider that the person was sent to. */
  issuer: Schema.String,
  state: Schema.String,
  nonce: Schema.String,
  /** PKCE's (RFC 7636 section 4.1). */
  verifier: Schema.String,
  /** Where the person wanted to go; null for the first page. */
  return_to: Schema.NullOr(Schema.String)
})
type TicketContent = typeof TicketContent.Type

/** The claims of a ticket. Times are Unix seconds. */
const TicketClaims = Schema.Struct({
  iss: Schema.Literal("cairn"),
  aud: Schema.Literal("cairn:sign-in"),
  iat: Schema.Int,
  exp: Schema.Int,
  ...TicketContent.fields
})
type TicketClaims = typeof TicketClaims.Type

const decodeClaims = Schema.decodeUnknownOption(Schema.fromJsonString(TicketClaims))

/** The keys that sign tickets, one for each secret key (RFC 5869), by the ids of those. */
const ticketKeysOf = (secretKeys: ReadonlyArray<string>): ReadonlyMap<string, Uint8Array> => {
  const ids = secretKeyIds(secretKeys)
  return new Map(
    secretKeys.map((key, index) => [
      ids[index] ?? "",
      new Uint8Array(hkdfSync("sha256", Buffer.from(key, "base64"), "", "cairn.sign-in.v1", 32))
    ])
  )
}

const refused = (detail: string) => new OpenIdConnectFailed({ reason: "ticket_missing_or_old", detail })

/**
 * Makes and reads tickets with the secret keys, newest first, each the base64 of 32 bytes. The newest signs;
 * tickets that older ones signed are still good.
 */
export const signInTickets = Effect.fnUntraced(function* (secretKeys: ReadonlyArray<string>) {
  const signer = yield* TokenSigner
  const keys = ticketKeysOf(secretKeys)
  const [newest] = keys
  if (newest === undefined) return yield* Effect.die(new Error("there is no secret key"))
  const [keyId, key] = newest
  return {
    /** A ticket for {@link TICKET_SECONDS}. */
    make: Effect.fnUntraced(function* (content: TicketContent) {
      const iat = Math.floor((yield* Micros.now) / Micros.SECOND)
      const exp = iat + TICKET_SECONDS
      const claims: TicketClaims = { iss: "cairn", aud: "cairn:sign-in", iat, exp, ...content }
      return yield* signer.sign({ keyId, key, payload: JSON.stringify(claims) })
    }),
    /** What a ticket says, if it is one of this service's for this provider and not too old. */
    read: Effect.fnUntraced(function* (ticket: string | undefined, issuer: string) {
      if (ticket === undefined) return yield* refused("there is no ticket")
      const parsed = parseToken(ticket)
      const claims = parsed === undefined ? Option.none() : decodeClaims(payloadText(parsed))
      if (parsed === undefined || Option.isNone(claims)) return yield* refused("the ticket is malformed")
      const used = keys.get(parsed.keyId)
      if (used === undefined) return yield* refused("the ticket is of an unknown key")
      if (!(yield* signer.isAuthentic(parsed, used))) return yield* refused("the ticket is not authentic")
      if ((yield* Micros.now) >= claims.value.exp * Micros.SECOND) return yield* refused("the ticket is old")
      if (claims.value.issuer !== issuer) return yield* refused("the ticket is for another provider")
      const content: TicketContent = claims.value
      return content
    })
  }
})

/** The tickets. */
export type SignInTickets = Effect.Success<ReturnType<typeof signInTickets>>
