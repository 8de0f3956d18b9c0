/** Port: makes and checks the signatures of tokens. */
import { Context, type Effect } from "effect"
import type { ParsedToken } from "./JsonWebSignature.ts"

/** What is signed, and with what. */
interface TokenRequest {
  /** The `kid` of the header. */
  readonly keyId: string
  readonly key: Uint8Array
  readonly payload: string
}

/**
 * Contract:
 *
 * - A token is a JWS in compact serialisation (RFC 7515 section 7.1) with `HS256` (RFC 7518 section 3.2),
 *   whose header is `{"alg":"HS256","kid":…,"typ":"JWT"}`, in this order. It is in the one spelling that
 *   `parseToken` takes.
 * - `isAuthentic` tells whether the token was signed with this key, in a time that does not depend on how
 *   much of the signature is right. It reads neither the claims nor the id of the key: that the token has not
 *   expired, and that the key is the one that it names, is for the caller to check. A token comes from
 *   `parseToken`, so that no other spelling of one gets here.
 * - Keys have 32 bytes or more. An implementation may remember what it makes of a key by the identity of the
 *   array: a caller keeps the array while it uses the key, and does not change what is in it.
 */
interface TokenSignerShape {
  readonly sign: (request: TokenRequest) => Effect.Effect<string>
  readonly isAuthentic: (token: ParsedToken, key: Uint8Array) => Effect.Effect<boolean>
}

/** The signatures of tokens. */
export class TokenSigner extends Context.Service<TokenSigner, TokenSignerShape>()(
  "@cairn/core/TokenSigner"
) {}
