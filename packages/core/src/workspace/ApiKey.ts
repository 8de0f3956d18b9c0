/**
 * API keys: `cairn_`, 8 characters of public id, 32 of secret, 6 of CRC-32, all base62. As with GitHub's
 * tokens, the checksum lets secret scanners recognise a key and typing errors be found without a look-up.
 */
import { Context, type Effect, type Option, type Result, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { RandomnessShape } from "../hashing/Randomness.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { type CollectionFull, withinLimit } from "./WorkspaceCollection.ts"

/** What a key may do. */
export const Scope = Schema.Literals(["ingest", "read", "export", "viewer", "admin"])
export type Scope = typeof Scope.Type

/** The default scopes of a new key: all but `admin`. */
export const DEFAULT_SCOPES: ReadonlyArray<Scope> = ["ingest", "read", "export", "viewer"]

/** A key as stored; the secret itself never is. */
export const ApiKey = Schema.Struct({
  /** `key_` and a UUID. */
  id: Schema.String,
  /** The 8 public characters of the key. */
  public_id: Schema.String,
  workspace_id: Schema.String,
  name: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Scope),
  /** bcrypt hash of the whole key. */
  hash: Schema.String,
  /** Who made it: the id of a member, a key or the command; null where that is not known. */
  created_by: Schema.NullOr(Schema.String),
  /** Microseconds since the epoch, like the next three. */
  created_at: Schema.Number,
  last_used_at: Schema.NullOr(Schema.Number),
  expires_at: Schema.NullOr(Schema.Number),
  revoked_at: Schema.NullOr(Schema.Number)
})
export type ApiKey = typeof ApiKey.Type

/** Most keys of a workspace that are neither revoked nor expired. */
const MAX_API_KEYS = 100

/** Whether a key is neither revoked nor expired at `now`. */
export const isLiveKey = (
  { revoked_at, expires_at }: Pick<ApiKey, "revoked_at" | "expires_at">,
  now: Micros
): boolean => revoked_at === null && (expires_at === null || now < expires_at)

const withinKeys = withinLimit("API keys", MAX_API_KEYS, "revoke one to make room")

/** Allows one more key while fewer than {@link MAX_API_KEYS} are live at `now`. For `create`. */
export const withinLiveKeys =
  (now: Micros) =>
  (existing: ReadonlyArray<ApiKey>): Result.Result<void, CollectionFull> =>
    withinKeys(existing.filter((key) => isLiveKey(key, now)))

/** The workspace has no such key. */
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {
  keyId: Schema.String
}) {}

/**
 * Contract: when a call returns, its result is durable; a public id is never used for another key; a revoked
 * key is kept with its time of revocation and is never valid again. `list` is newest first. `create` passes
 * to `admit` the keys that the workspace has, as `WorkspaceCollection` does: a limit holds for concurrent
 * calls.
 */
interface ApiKeysShape {
  readonly create: <E = never>(
    key: ApiKey,
    admit?: (existing: ReadonlyArray<ApiKey>) => Result.Result<void, E>
  ) => Effect.Effect<void, E | StorageUnavailable>
  readonly findByPublicId: (publicId: string) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>
  readonly get: (workspaceId: string, id: string) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>
  readonly list: (workspaceId: string) => Effect.Effect<ReadonlyArray<ApiKey>, StorageUnavailable>
  /** Revoking again changes nothing. */
  readonly revoke: (
    workspaceId: string,
    id: string,
    at: Micros
  ) => Effect.Effect<ApiKey, ApiKeyNotFound | StorageUnavailable>
  /** Has these keys of a workspace end by `end`, those that end earlier excepted; noted as of `at`. */
  readonly shorten: (
    workspaceId: string,
    ids: ReadonlyArray<string>,
    end: Micros,
    at: Micros
  ) => Effect.Effect<void, StorageUnavailable>
  /** Ids of keys revoked or shortened at or after `since`, over all workspaces. */
  readonly restrictedSince: (since: Micros) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** Replaces a key's hash with another of the same secret, unless it is no longer `from`. */
  readonly rehash: (id: string, from: string, to: string) => Effect.Effect<void, StorageUnavailable>
  /** Records when keys were last used; losing such a record does no harm. */
  readonly touch: (used: ReadonlyMap<string, Micros>) => Effect.Effect<void, StorageUnavailable>
}

/** The keys. */
export class ApiKeys extends Context.Service<ApiKeys, ApiKeysShape>()("@cairn/core/ApiKeys") {}

const PREFIX = "cairn_"
const ID_LENGTH = 8
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const PATTERN = new RegExp(
  `^${PREFIX}[0-9A-Za-z]{${ID_LENGTH}}[0-9A-Za-z]{${SECRET_LENGTH}}[0-9A-Za-z]{${CHECKSUM_LENGTH}}$`
)

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

/** CRC-32 (ISO 3309, the one of zip and PNG) of ASCII text. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc = (CRC_TABLE[(crc ^ text.charCodeAt(index)) & 0xff] as number) ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}

/**
 * The checksum of everything before it: CRC-32 in base62, most significant digit first, padded with zeros.
 */
const checksum = (body: string): string => {
  let rest = crc32(body)
  let text = ""
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = BASE62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** `count` characters, each equally likely. */
const randomBase62 = (random: RandomnessShape, count: number): string => {
  let text = ""
  while (text.length < count) {
    for (const byte of random.bytes(count)) {
      // 248 = 4 × 62: using bytes beyond it would favour the first characters.
      if (byte < 248 && text.length < count) text += BASE62.charAt(byte % 62)
    }
  }
  return text
}

/** A new key and its public id. 32 base62 characters of secret hold 190 bits. */
export const generateApiKey = (
  random: RandomnessShape
): { readonly key: string; readonly publicId: string } => {
  const publicId = randomBase62(random, ID_LENGTH)
  const body = PREFIX + publicId + randomBase62(random, SECRET_LENGTH)
  return { key: body + checksum(body), publicId }
}

/** The public id in a key; `undefined` if the text has not the form and checksum of a key. */
export const apiKeyPublicId = (key: string): string | undefined => {
  if (!PATTERN.test(key)) return undefined
  const body = key.slice(0, -CHECKSUM_LENGTH)
  return checksum(body) === key.slice(-CHECKSUM_LENGTH)
    ? key.slice(PREFIX.length, PREFIX.length + ID_LENGTH)
    : undefined
}
