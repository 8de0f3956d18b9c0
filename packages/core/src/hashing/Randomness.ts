/** Cryptographic randomness as a service, so that tests can choose it. */
import { Context, Layer } from "effect"

/** A synchronous source of unpredictable bytes, for event ids, salts and keys. */
export interface RandomnessShape {
  /** `count` random bytes. */
  readonly bytes: (count: number) => Uint8Array
}

/** Bytes are requested 4 KiB at a time: one call to Web Crypto costs as much as making forty ids. */
const POOL = 4096

/** Web Crypto's generator, present in Node and in every browser, on plain `http` too. */
export const webCryptoRandomness = (): RandomnessShape => {
  const pool = new Uint8Array(POOL)
  let used = POOL
  return {
    bytes: (count) => {
      if (count > POOL) return crypto.getRandomValues(new Uint8Array(count))
      if (used + count > POOL) {
        crypto.getRandomValues(pool)
        used = 0
      }
      used += count
      return pool.slice(used - count, used)
    }
  }
}

/** The source of randomness. */
export class Randomness extends Context.Service<Randomness, RandomnessShape>()("@cairn/core/Randomness") {
  static readonly layer = Layer.sync(Randomness, webCryptoRandomness)
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Lower-case hexadecimal, two characters a byte. */
export const toHex = (bytes: Uint8Array): string => {
  let text = ""
  for (let index = 0; index < bytes.length; index++) text += HEX[bytes[index] as number]
  return text
}

/**
 * A random UUID: of version 4 (RFC 9562 section 5.4), or of version 8 (section 5.8) where its maker means
 * something by that.
 */
export const uuid = (random: RandomnessShape, version: 4 | 8 = 4): string => {
  const bytes = random.bytes(16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4)
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  let text = ""
  for (let index = 0; index < bytes.length; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text += "-"
    text += HEX[bytes[index] as number]
  }
  return text
}
