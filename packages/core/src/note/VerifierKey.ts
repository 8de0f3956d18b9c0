/**
 * Verifier keys (C2SP signed-note, "verifier keys"): a key's name, id, type and public key in one line of
 * text, `name+id+base64(type ‖ public key)`, for an auditor to keep.
 *
 * ```
 * example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k
 * ```
 */
import { Result, Schema } from "effect"
import { decodeBase64, encodeBase64 } from "../encoding/StrictBase64.ts"
import { ED25519_KEY_BYTES } from "../hashing/Ed25519.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"

/**
 * What a key signs: `ed25519` signs the text of a note, `cosignature/v1` (C2SP tlog-cosignature) signs a time
 * and the text.
 */
export type VerifierKeyType = "ed25519" | "cosignature/v1"

/** A public key and its name in notes. */
export interface VerifierKey {
  readonly name: string
  /** Eight lower-case hexadecimal characters, see `noteKeyId`. */
  readonly keyId: string
  readonly type: VerifierKeyType
  /** 32 bytes. */
  readonly publicKey: Uint8Array
}

/** The text is no verifier key, or a key of an unsupported type. */
export class MalformedVerifierKey extends Schema.TaggedError<MalformedVerifierKey>()("MalformedVerifierKey", {
  text: Schema.String,
  /** `key_id`: the id does not follow from name, type and key, so one of them was changed. */
  reason: Schema.Literals(["form", "name", "base64", "unsupported_type", "key_length", "key_id"])
}) {}

/** Signature type identifier bytes, C2SP signed-note. */
const TYPE_BYTES: Readonly<Record<VerifierKeyType, number>> = { ed25519: 0x01, "cosignature/v1": 0x04 }

/** Whether a key can have this name: not empty, no Unicode space, no plus sign, no control character. */
const isKeyName = (name: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a note has no control character.
  name.isWellFormed() && /^[^\p{White_Space}+\u0000-\u001f]+$/u.test(name)

const tagged = (type: VerifierKeyType, publicKey: Uint8Array): Uint8Array =>
  Uint8Array.of(TYPE_BYTES[type], ...publicKey)

/**
 * The id of a key, `SHA-256(name ‖ 0x0A ‖ type ‖ public key)[:4]` (C2SP signed-note), as eight lower-case
 * hexadecimal characters. It distinguishes keys but proves nothing: an attacker can find another key with the
 * same id. Costs one SHA-256.
 */
const noteKeyId = (
  sha256: Sha256Shape,
  name: string,
  type: VerifierKeyType,
  publicKey: Uint8Array
): string => {
  const prefix = new TextEncoder().encode(`${name}\n`)
  const key = tagged(type, publicKey)
  const hashed = new Uint8Array(prefix.length + key.length)
  hashed.set(prefix)
  hashed.set(key, prefix.length)
  return sha256.hex(hashed).slice(0, 8)
}

/** A key from its parts. */
export const makeVerifierKey = (
  sha256: Sha256Shape,
  name: string,
  publicKey: Uint8Array,
  type: VerifierKeyType = "ed25519"
): Result.Result<VerifierKey, MalformedVerifierKey> => {
  if (!isKeyName(name)) return Result.fail(new MalformedVerifierKey({ text: name, reason: "name" }))
  if (publicKey.length !== ED25519_KEY_BYTES) {
    return Result.fail(new MalformedVerifierKey({ text: name, reason: "key_length" }))
  }
  return Result.succeed({ name, keyId: noteKeyId(sha256, name, type, publicKey), type, publicKey })
}

/** Reads a key from its line. Costs one SHA-256. */
export const parseVerifierKey = (
  sha256: Sha256Shape,
  text: string
): Result.Result<VerifierKey, MalformedVerifierKey> =>
  Result.gen(function* () {
    const refuse = (reason: MalformedVerifierKey["reason"]) =>
      Result.fail(new MalformedVerifierKey({ text, reason }))
    const [, name, keyId, base64] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text) ?? []
    if (name === undefined || keyId === undefined || base64 === undefined) return yield* refuse("form")
    const bytes = decodeBase64(base64)
    if (bytes === undefined) return yield* refuse("base64")
    const type = (["ed25519", "cosignature/v1"] as const).find((known) => TYPE_BYTES[known] === bytes[0])
    if (type === undefined) return yield* refuse("unsupported_type")
    const key = yield* Result.mapError(
      makeVerifierKey(sha256, name, bytes.slice(1), type),
      ({ reason }) => new MalformedVerifierKey({ text, reason })
    )
    return key.keyId === keyId ? key : yield* refuse("key_id")
  })

/** The key as its line; {@link parseVerifierKey} reads it back. */
export const formatVerifierKey = ({ name, keyId, type, publicKey }: VerifierKey): string =>
  `${name}+${keyId}+${encodeBase64(tagged(type, publicKey))}`
