/**
 * `SecretBox` over Node's AES-256-GCM (NIST SP 800-38D).
 *
 * A sealed secret is `v1.`, the key's id, a dot and the base64url of nonce (12 bytes), ciphertext and tag (16
 * bytes). Everything before the second dot, and the owner's id, are authenticated with it. Nonces are random:
 * one key is good for 2^32 secrets (section 8.3).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { SecretBox, type SecretBoxShape, SecretUnreadable } from "@cairn/core/hashing"
import { Layer, Result, Schema } from "effect"

const ALGORITHM = "aes-256-gcm"
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/

/** The text is not a list of keys. The error does not contain the keys. */
export class InvalidSecretKeys extends Schema.TaggedError<InvalidSecretKeys>()("InvalidSecretKeys", {
  /** The position of the first invalid one, from 1. */
  place: Schema.Number
}) {
  /** What a key must be. */
  override get message(): string {
    return `secret key ${this.place} must be the base64 of 32 bytes`
  }
}

/** Reads keys, newest first, as base64 separated by commas. */
export const decodeSecretKeys = (
  text: string
): Result.Result<ReadonlyArray<Uint8Array>, InvalidSecretKeys> => {
  const keys = text.split(",").map((part) => Buffer.from(part.trim(), "base64"))
  const wrong = text.split(",").findIndex((part, index) => {
    const key = keys[index]
    // Node ignores what is not base64, so the canonical spelling is required.
    return key?.length !== KEY_BYTES || key.toString("base64") !== part.trim()
  })
  return wrong === -1 ? Result.succeed(keys) : Result.fail(new InvalidSecretKeys({ place: wrong + 1 }))
}

/** Identifies a key without revealing it. */
export const secretKeyId = (key: Uint8Array): string =>
  createHash("sha256").update("cairn.secret-key.v1\n").update(key).digest("hex").slice(0, 8)

/** A box with these keys, newest first; each is 32 bytes. */
export const makeSecretBox = (newest: Uint8Array, ...older: ReadonlyArray<Uint8Array>): SecretBoxShape => {
  const keys = new Map([newest, ...older].map((key) => [secretKeyId(key), key]))
  const current = `v1.${secretKeyId(newest)}`
  const authenticated = (prefix: string, owner: string) => Buffer.from(`${prefix}\n${owner}`, "utf8")
  return {
    seal: (secret, owner) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, newest, nonce).setAAD(authenticated(current, owner))
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
      return `${current}.${Buffer.concat([nonce, text, cipher.getAuthTag()]).toString("base64url")}`
    },
    open: (sealed, owner) => {
      const [, id, encoded] = SEALED.exec(sealed) ?? []
      const bytes = Buffer.from(encoded ?? "", "base64url")
      if (id === undefined || bytes.length < NONCE_BYTES + TAG_BYTES)
        return Result.fail(new SecretUnreadable({ keyId: id ?? null, reason: "malformed" }))
      const key = keys.get(id)
      if (key === undefined) return Result.fail(new SecretUnreadable({ keyId: id, reason: "unknown_key" }))
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES
      })
        .setAAD(authenticated(`v1.${id}`, owner))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      return Result.try({
        try: () =>
          Buffer.concat([
            decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
            decipher.final()
          ]).toString("utf8"),
        catch: () => new SecretUnreadable({ keyId: id, reason: "not_authentic" })
      })
    },
    isCurrent: (sealed) => sealed.startsWith(`${current}.`)
  }
}

/** The box as a service. */
export const layerSecretBox = (newest: Uint8Array, ...older: ReadonlyArray<Uint8Array>) =>
  Layer.succeed(SecretBox, makeSecretBox(newest, ...older))
