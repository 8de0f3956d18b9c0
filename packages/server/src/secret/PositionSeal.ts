/**
 * Positions of the store as clients get them: sealed, since how far the database is written tells how much
 * all tenants write together.
 *
 * A sealed position is the time at which the store was there, as 14 hexadecimal digits, a dot, and the
 * base64url of a salt (16 bytes), the position (19 bytes) and a tag (16 bytes): AES-256-GCM (NIST SP 800-38D)
 * with a key that is derived for this one text, so that servers may seal any number. The time is
 * authenticated with it. It stands outside since clients must know the newest of several answers, and by it
 * the newest is the greatest text.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto"
import { formatPosition, parsePosition, type ReachedPosition, type StorePosition } from "@cairn/core/log"
import { Option } from "effect"

const ALGORITHM = "aes-256-gcm"
const SALT_BYTES = 16
const TAG_BYTES = 16
/** Each key seals one text. */
const NONCE = Buffer.alloc(12)
/** Of the only block that a derivation has. */
const COUNTER = Buffer.from([0, 0, 0, 1])
const SEALED = /^([0-9a-f]{14})\.([A-Za-z0-9_-]{68})$/

/** Seals positions and opens them. */
export interface PositionSeal {
  readonly seal: (position: ReachedPosition) => string
  /**
   * Undefined for any text that is no sealed position; `unknown` for one that none of the keys opens, such as
   * that of a key that another server has already, or this one has no longer.
   */
  readonly open: (text: string) => StorePosition | "unknown" | undefined
}

const bytesOf = (position: StorePosition): Buffer =>
  Buffer.from(formatPosition(position).slice(2).replaceAll("-", ""), "hex")

const positionOf = (bytes: Buffer): StorePosition | undefined => {
  const hex = bytes.toString("hex")
  return parsePosition(`1-${hex.slice(0, 16)}-${hex.slice(16, 24)}-${hex.slice(24)}`)
}

/** The keys that those of single texts are derived from, one for each secret key (RFC 5869). */
const positionKeysOf = (secretKeys: ReadonlyArray<string>): ReadonlyArray<Uint8Array> =>
  secretKeys.map(
    (key) => new Uint8Array(hkdfSync("sha256", Buffer.from(key, "base64"), "", "cairn.position.v1", 32))
  )

/** The key of one text, by the one-step derivation of NIST SP 800-56C (section 4.1). */
const keyFor = (key: Uint8Array, salt: Uint8Array): Buffer =>
  hash("sha256", Buffer.concat([COUNTER, key, salt]), "buffer")

const openWith = (key: Uint8Array, time: string, bytes: Buffer): Option.Option<Buffer> => {
  const decipher = createDecipheriv(ALGORITHM, keyFor(key, bytes.subarray(0, SALT_BYTES)), NONCE, {
    authTagLength: TAG_BYTES
  })
    .setAAD(Buffer.from(time))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  const opened = decipher.update(bytes.subarray(SALT_BYTES, -TAG_BYTES))
  return Option.liftThrowable(() => Buffer.concat([opened, decipher.final()]))()
}

/**
 * The seal of the secret keys, newest first, each the base64 of 32 bytes. The newest seals; what older ones
 * sealed still opens.
 */
export const makePositionSeal = (secretKeys: ReadonlyArray<string>): PositionSeal => {
  const keys = positionKeysOf(secretKeys)
  const [newest] = keys
  if (newest === undefined) throw new Error("there is no secret key")
  return {
    seal: (position) => {
      const time = position.at.toString(16).padStart(14, "0")
      const salt = randomBytes(SALT_BYTES)
      const cipher = createCipheriv(ALGORITHM, keyFor(newest, salt), NONCE).setAAD(Buffer.from(time))
      const text = [cipher.update(bytesOf(position)), cipher.final()]
      return `${time}.${Buffer.concat([salt, ...text, cipher.getAuthTag()]).toString("base64url")}`
    },
    open: (text) => {
      const [, time, encoded] = SEALED.exec(text) ?? []
      if (time === undefined || encoded === undefined) return undefined
      const bytes = Buffer.from(encoded, "base64url")
      for (const key of keys) {
        const opened = openWith(key, time, bytes)
        if (Option.isSome(opened)) return positionOf(opened.value)
      }
      return "unknown"
    }
  }
}
