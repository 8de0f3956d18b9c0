/**
 * Base64 (RFC 4648 section 4) in its one canonical spelling: padded, no line breaks, the unused bits of the
 * last character zero (section 3.5). Otherwise one signature or hash could be written in several ways, but a
 * text that is compared or signed needs a single spelling.
 */
import { Result } from "effect"
import { Base64 } from "effect/encoding"

/** The canonical spelling of some bytes. */
export const encodeBase64 = (bytes: Uint8Array): string => Base64.encode(bytes)

/** The bytes that a canonical spelling stands for; `undefined` for any other text. */
export const decodeBase64 = (text: string): Uint8Array | undefined => {
  const decoded = Base64.decode(text)
  if (Result.isFailure(decoded) || Base64.encode(decoded.success) !== text) return undefined
  return decoded.success
}
