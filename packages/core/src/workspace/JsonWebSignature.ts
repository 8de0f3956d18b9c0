/**
 * The form of signed tokens: JWS in compact serialisation (RFC 7515 section 7.1) with HMAC-SHA256 (`HS256`,
 * RFC 7518 section 3.2), and nothing else. The signature itself is the `TokenSigner`'s.
 *
 * A token has only one spelling: each of its three parts is base64url without padding (RFC 7515 appendix C)
 * whose unused bits are zero. The token does not choose the algorithm: a header with another one is rejected
 * before any key is read. Libraries of JWS are more lenient, so this stands before them.
 */
import { Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

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
export interface ParsedToken {
  /** The token, in its only spelling. */
  readonly text: string
  /** The id of the key that it claims to be signed with. */
  readonly keyId: string
  readonly payload: Uint8Array
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
  return known === undefined ? undefined : { text: token, keyId: known.kid, payload }
}

/** The payload of a token as text; `undefined` if it is not UTF-8. */
export const payloadText = ({ payload }: ParsedToken): string | undefined => decodeText(payload)
