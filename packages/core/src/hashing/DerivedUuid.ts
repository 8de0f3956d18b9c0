/** Ids derived from a text, so that the same text always gives the same id. */
import type { Sha256Shape } from "./Sha256.ts"

/** A version 8 UUID (RFC 9562 section 5.8): the first 122 free bits of the SHA-256 of `text`. */
export const derivedUuid = (sha256: Sha256Shape, text: string): string => {
  const hex = sha256.hex(text)
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
