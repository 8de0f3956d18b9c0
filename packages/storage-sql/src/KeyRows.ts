/**
 * The rows of idempotency keys, which hold no key: a row has the first 16 bytes of the SHA-256 of the key's
 * UTF-8, and the 16 bytes of its event's id.
 *
 * 128 bits suffice. Two keys of one workspace have the same hash by chance once among 10^19 of them, and to
 * find a key with the hash of a given one takes 2^128 attempts. A client that spends 2^64 attempts on two
 * keys of its own with one hash only gets its second event answered as a duplicate of its first: the
 * workspace is a column of its own, so that no key ever meets one of another workspace.
 */
import { hash } from "node:crypto"
import { STRAY_KEYS_A_LOOK } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** Bytes of a key's hash. */
const KEY_HASH_BYTES = 16
/** Bytes of a UUID. */
const UUID_BYTES = 16
/** Characters of a UUID, and where it has hyphens. */
const UUID_CHARACTERS = 36
const HYPHENS: ReadonlySet<number> = new Set([8, 13, 18, 23])
const HYPHEN = 0x2d

/** What stands for a key, which may also be given as its UTF-8. */
export const keyHash = (key: string | Uint8Array): Uint8Array => {
  // A text of one character a byte takes half the time of a buffer.
  const digest = hash("sha256", key, "binary")
  const bytes = new Uint8Array(KEY_HASH_BYTES)
  for (let at = 0; at < KEY_HASH_BYTES; at++) bytes[at] = digest.charCodeAt(at)
  return bytes
}

/** The value of a hexadecimal digit in lower case; below 0 for any other character. */
const digitOf = (code: number): number =>
  code >= 0x30 && code <= 0x39 ? code - 0x30 : code >= 0x61 && code <= 0x66 ? code - 0x57 : -1

/** The bytes of a UUID in lower case; undefined for any other text. */
const uuidBytes = (id: string): Uint8Array | undefined => {
  if (id.length !== UUID_CHARACTERS) return undefined
  const bytes = new Uint8Array(UUID_BYTES)
  for (let at = 0, from = 0; at < UUID_BYTES; at++, from += 2) {
    if (HYPHENS.has(from) && id.charCodeAt(from++) !== HYPHEN) return undefined
    const byte = (digitOf(id.charCodeAt(from)) << 4) | digitOf(id.charCodeAt(from + 1))
    if (byte < 0) return undefined
    bytes[at] = byte
  }
  return bytes
}

/** Bytes in hexadecimal, as people see a hash. */
const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")

/**
 * The bytes of an event's id. All ids are UUIDs; what somebody else has stored as one is kept as its UTF-8.
 */
export const eventIdBytes = (id: string): Uint8Array => uuidBytes(id) ?? Buffer.from(id)

/** The id of these bytes. */
export const eventIdOf = (bytes: Uint8Array): string => {
  if (bytes.length !== UUID_BYTES) return Buffer.from(bytes).toString()
  const hex = hexOf(bytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** What a row says, with the hash as people see it. */
export interface KeyRow {
  readonly keyHash: string
  readonly eventId: string
  readonly acceptedAt: number
}

/** A row of these bytes. */
export const keyRowOf = (hash: Uint8Array, eventId: Uint8Array, acceptedAt: number): KeyRow => ({
  keyHash: hexOf(hash),
  eventId: eventIdOf(eventId),
  acceptedAt
})

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ hash: Schema.Uint8Array, event_id: Schema.Uint8Array, accepted_at: Schema.Number })
  )
)

/** The next rows of a workspace by hash: those after one, whose text may be empty, and not all if many. */
export const readKeyRows = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  workspace: number,
  after: string
) {
  const rows = yield* Effect.flatMap(
    sql`
      SELECT hash, event_id, accepted_at FROM idempotency_key
      WHERE workspace = ${workspace} AND hash > ${Buffer.from(after, "hex")}
      ORDER BY hash LIMIT ${STRAY_KEYS_A_LOOK}`,
    decodeRows
  )
  return rows.map(({ hash, event_id, accepted_at }) => keyRowOf(hash, event_id, accepted_at))
})
