/**
 * Salts of bcrypt that tell nearly every wrong API key without bcrypt.
 *
 * bcrypt takes some 60 ms of a core, so comparing every wrong key would let anybody who knows a key's public
 * id keep its owner waiting. A salt only has to be different for each key. So five of its 22 characters, 30
 * bits, are of the SHA-256 of the key: one wrong key of 10⁹ passes. That takes 30 bits from a thief of the
 * database who has to guess 190; what proves a key is still its bcrypt hash alone.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

/** bcrypt's base64. */
const ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
/** How a salt with a fingerprint begins. By chance, a random one does with a probability of 2⁻³⁶. */
const MARK = "Cairn1"
/** What follows: the fingerprint, and characters at random; the last one holds two bits only. */
const FINGERPRINT = 5
const RANDOM = 10
const LAST = ".Oeu"

const MARKED = new RegExp(`^\\$2b\\$\\d\\d\\$${MARK}(.{${FINGERPRINT}})`)

const characters = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => ALPHABET.charAt(byte & 63)).join("")

const fingerprintOf = (secret: string): string =>
  characters(createHash("sha256").update(`cairn.key.v1\n${secret}`).digest().subarray(0, FINGERPRINT))

/** A new salt for a key, with the cost of its hash: what `bcrypt.hash` takes as its second argument. */
export const markedSalt = (secret: string, cost: number): string => {
  const random = randomBytes(RANDOM + 1)
  const last = LAST.charAt((random[RANDOM] ?? 0) & 3)
  const salt = `${MARK}${fingerprintOf(secret)}${characters(random.subarray(0, RANDOM))}${last}`
  return `$2b$${String(cost).padStart(2, "0")}$${salt}`
}

/** Whether a hash has another salt, as earlier versions stored. */
export const isUnmarked = (hash: string): boolean => !MARKED.test(hash)

/**
 * What a hash says of a secret without bcrypt: `wrong`, `likely`, or `unknown` if its salt is not a marked
 * one.
 */
export const suspect = (secret: string, hash: string): "wrong" | "likely" | "unknown" => {
  const stored = MARKED.exec(hash)?.[1]
  if (stored === undefined) return "unknown"
  return timingSafeEqual(Buffer.from(stored), Buffer.from(fingerprintOf(secret))) ? "likely" : "wrong"
}
