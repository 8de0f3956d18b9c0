/** Many workspaces of one database, each with a key, made without the half second that a command takes. */
import { createHash } from "node:crypto"
import { Micros } from "@cairn/core/encoding"
import { Randomness, uuid } from "@cairn/core/hashing"
import { Workspaces } from "@cairn/core/log"
import { ApiKeys, generateApiKey, layerWorkspaces } from "@cairn/core/workspace"
import { hash } from "bcrypt"
import { Effect, Layer, Result } from "effect"
import type { LogDatabase } from "./databases/LogDatabase.ts"
import type { Tenant } from "./ServerUnderTest.ts"

/** bcrypt's base64. */
const ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/**
 * A salt with the fingerprint of its key, as the server makes them: it checks a few keys at a time that have
 * another, and hashes each of them again, for longer than a load lasts. The cost is the least that bcrypt
 * takes: a server checks each key once, and that is not what is measured.
 */
const saltOf = (key: string): string => {
  const digest = createHash("sha256").update(`cairn.key.v1\n${key}`).digest()
  const characters = Array.from(digest.subarray(0, 15), (byte) => ALPHABET.charAt(byte & 63)).join("")
  return `$2b$04$Cairn1${characters}.`
}

const make = Effect.fnUntraced(function* (index: number) {
  const random = yield* Randomness
  const workspaces = yield* Workspaces
  const keys = yield* ApiKeys
  const now = yield* Micros.now
  const workspaceId = `wsp_${uuid(random)}`
  yield* workspaces.create({ id: workspaceId, name: `Bench ${index}`, created_at: now })
  const { key, publicId } = generateApiKey(random)
  const stored = {
    id: `key_${uuid(random)}`,
    public_id: publicId,
    workspace_id: workspaceId,
    name: null,
    scopes: ["ingest", "read"] as const,
    hash: yield* Effect.promise(() => hash(key, saltOf(key))),
    created_by: null,
    created_at: now,
    last_used_at: null,
    expires_at: null,
    revoked_at: null
  }
  yield* keys.create(stored, () => Result.void)
  return { workspaceId, key }
})

/** Makes this many. */
export const manyTenants = (database: LogDatabase, count: number): Promise<ReadonlyArray<Tenant>> =>
  Effect.runPromise(
    Effect.forEach(Array.from({ length: count }), (_, index) => make(index)).pipe(
      Effect.provide(
        layerWorkspaces.pipe(Layer.provideMerge(Layer.merge(database.storage, Randomness.layer)))
      )
    )
  )
