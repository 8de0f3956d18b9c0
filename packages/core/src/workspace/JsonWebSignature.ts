/**
 * Signed tokens: JWS in compact serialisation (RFC 7515 section 7.1) with HMAC-SHA256 (`HS256`, RFC 7518
 * section 3.2), and nothing else.
 *
 * A token has one spelling: each of its three parts is base64url without padding (RFC 7515 appendix C) whose
 * unused bits are zero. The algorithm is not the token's to choose: a header that names another is refused
 * before any key is looked at.
 */
import { Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { equalInConstantTime, hmacSha256, hmacSha256Hex } from "../hashing/HmacSha256.ts"
import { toHex } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"

/**
 * What must stand in the header. Other members mean nothing here, except `crit`, which asks to be understood
 * (RFC 7515 section 4.1.11).
 */
const Header = Schema.fromJsonString(
  Schema.Struct({
    alg: Schema.Literal("HS256"),
    kid: Schema.String,
    crit: Schema.optionalKey(Schema.Never)
  })
)
const decodeHeader = Schema.decodeUnknownOption(Header)

/** A token taken apart; nothing about it is to be believed yet. */
interface ParsedToken {
  /** Which key it says it was signed with. */
  readonly keyId: string
  readonly payload: Uint8Array
  /** What the signature is of: ASCII. */
  readonly signed: string
  /** 32 bytes if it is one. */
  readonly signature: Uint8Array
}

/** Longest token that is looked at, in characters. */
const LONGEST = 8_192

/** The bytes of a part in its one spelling; `undefined` for any other text. */
const decodePart = (part: string): Uint8Array | undefined => {
  const bytes = Result.getOrUndefined(Base64Url.decode(part))
  return bytes !== undefined && Base64Url.encode(bytes) === part ? bytes : undefined
}

const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Takes a token apart; `undefined` when it is none, or not of `HS256`. */
export const parseToken = (token: string): ParsedToken | undefined => {
  if (token.length > LONGEST) return undefined
  const parts = token.split(".")
  const [head = "", body = "", mac = ""] = parts
  const [header, payload, signature] = [decodePart(head), decodePart(body), decodePart(mac)]
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined)
    return undefined
  const known = Option.getOrUndefined(decodeHeader(decodeText(header)))
  return known === undefined ? undefined : { keyId: known.kid, payload, signed: `${head}.${body}`, signature }
}

/** Whether the token was signed with this key. Takes as long for a wrong signature as for the right one. */
export const isSignedWith = (
  sha256: Sha256Shape,
  key: Uint8Array,
  { signed, signature }: ParsedToken
): boolean => equalInConstantTime(toHex(signature), hmacSha256Hex(sha256, key, signed))

/** Signs a payload. `key` has 32 bytes or more (RFC 7518 section 3.2). */
export const signToken = (sha256: Sha256Shape, key: Uint8Array, keyId: string, payload: string): string => {
  const header = JSON.stringify({ alg: "HS256", kid: keyId, typ: "JWT" })
  const signed = `${Base64Url.encode(header)}.${Base64Url.encode(payload)}`
  return `${signed}.${Base64Url.encode(hmacSha256(sha256, key, signed))}`
}

/** The payload of a token as text; `undefined` when it is no UTF-8. */
export const payloadText = ({ payload }: ParsedToken): string | undefined => decodeText(payload)
