/**
 * Signed tokens: JWS in compact serialisation (RFC 7515 section 7.1) with HMAC-SHA256 (`HS256`, RFC 7518
 * section 3.2), and nothing else.
 *
 * A token has only one spelling: each of its three parts is base64url without padding (RFC 7515 appendix C)
 * whose unused bits are zero. The token does not choose the algorithm: a header with another one is rejected
 * before any key is read.
 */
import { Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { equalInConstantTime, hmacSha256, hmacSha256Hex } from "../hashing/HmacSha256.ts"
import { toHex } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"

/**
 * What the header must contain. Other members are ignored, except `crit`, which must be understood (RFC 7515
 * section 4.1.11).
 */
const Header = Schema.fromJsonString(
  Schema.Struct({
    alg: Schema.Literal("HS256"),
    kid: Schema.String,
    crit: Schema.optionalKey(Schema.Never)
  })
)
const decodeHeader = Schema.decodeUnknownOption(Header)

/** A parsed token; nothing in it is verified yet. */
interface ParsedToken {
  /** The id of the key that it claims to be signed with. */
  readonly keyId: string
  readonly payload: Uint8Array
  /** The text that is signed: ASCII. */
  readonly signed: string
  /** 32 bytes if the signature is valid. */
  readonly signature: Uint8Array
}

/** Longest token that is parsed, in characters. */
const LONGEST = 8_192

/** The bytes of a part in its only spelling; `undefined` for any other text. */
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

/** Parses a token; `undefined` if it is none, or not `HS256`. */
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

/** Whether the token was signed with this key. A wrong signature takes as long as the right one. */
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

/** The payload of a token as text; `undefined` if it is not UTF-8. */
export const payloadText = ({ payload }: ParsedToken): string | undefined => decodeText(payload)
