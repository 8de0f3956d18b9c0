/**
 * HMAC-SHA256 (RFC 2104, FIPS 198-1) over the SHA-256 service, so that signatures are made and checked in a
 * browser too.
 */
import { toHex } from "./Randomness.ts"
import type { Sha256Shape } from "./Sha256.ts"

/** SHA-256's block, RFC 2104 section 2's B. */
const BLOCK = 64

const utf8 = new TextEncoder()

/** Strings stand for their UTF-8 bytes. */
const asBytes = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? utf8.encode(data) : data

/** `H((key ⊕ pad) ‖ data)`, which is both the inner and the outer half of the definition. */
const pass = (sha256: Sha256Shape, key: Uint8Array, pad: number, data: Uint8Array): Uint8Array => {
  const message = new Uint8Array(BLOCK + data.length)
  for (let index = 0; index < BLOCK; index++) message[index] = (key[index] ?? 0) ^ pad
  message.set(data, BLOCK)
  return sha256.bytes(message)
}

/** The 32-byte code of `data` under `key`, RFC 2104 section 2. Costs one copy of the data and two hashes. */
export const hmacSha256 = (
  sha256: Sha256Shape,
  key: string | Uint8Array,
  data: string | Uint8Array
): Uint8Array => {
  const given = asBytes(key)
  const block = given.length > BLOCK ? sha256.bytes(given) : given
  return pass(sha256, block, 0x5c, pass(sha256, block, 0x36, asBytes(data)))
}

/** The same code as 64 lower-case hexadecimal characters. */
export const hmacSha256Hex = (
  sha256: Sha256Shape,
  key: string | Uint8Array,
  data: string | Uint8Array
): string => toHex(hmacSha256(sha256, key, data))

/** Whether two texts are equal, in a time that depends on their lengths alone. */
export const equalInConstantTime = (one: string, other: string): boolean => {
  let difference = one.length ^ other.length
  for (let index = 0; index < one.length; index++) {
    difference |= one.charCodeAt(index) ^ (other.charCodeAt(index) || 0)
  }
  return difference === 0
}
