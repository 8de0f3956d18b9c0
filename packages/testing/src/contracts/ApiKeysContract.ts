/** The contract of the port `ApiKeys`, as tests. */

import { type ApiKey, ApiKeyNotFound, ApiKeys } from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { makeWorkspace, NOON, type StorageLayer, storageTest } from "./StorageSteps.ts"

const apiKey = (
  workspace_id: string,
  name: string,
  created_at: number,
  fields: Partial<ApiKey> = {}
): ApiKey => ({
  id: `key_${name}`,
  public_id: `id_${name}`,
  workspace_id,
  name,
  scopes: ["ingest", "read"],
  hash: "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234",
  created_by: `mem_${name}`,
  created_at,
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
  ...fields
})

/** Registers the contract of `ApiKeys` for the storage called `name`. */
export const apiKeysContract = (name: string, storage: StorageLayer): void => {
  const test = storageTest(storage)
  describe(`${name}: ApiKeys`, () => {
    test(
      "a key is read as it was created",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const full = apiKey(workspaceId, "full", NOON, {
          name: 'it\'s \u{1F511} "key"',
          scopes: ["admin", "viewer", "export", "read", "ingest"],
          last_used_at: NOON + 1,
          expires_at: NOON + 2
        })
        const bare = apiKey(workspaceId, "bare", NOON + 1, { name: null, scopes: [] })
        yield* keys.create(full)
        yield* keys.create(bare)
        assert.deepStrictEqual(yield* keys.get(workspaceId, full.id), Option.some(full))
        assert.deepStrictEqual(yield* keys.get(workspaceId, bare.id), Option.some(bare))
        assert.deepStrictEqual(yield* keys.findByPublicId(full.public_id), Option.some(full))
      })
    )

    test(
      "a public id is found by its exact spelling only",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        yield* keys.create(apiKey(yield* makeWorkspace, "AbCd", NOON))
        for (const publicId of [
          "id_abcd",
          "ID_ABCD",
          "id_AbC",
          "id_AbCd ",
          "id%AbCd",
          "%",
          "id_AbCd\0",
          ""
        ]) {
          assert.deepStrictEqual(yield* keys.findByPublicId(publicId), Option.none(), publicId)
        }
      })
    )

    test(
      "a public id names one key for good, even when that is revoked",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const elsewhere = yield* makeWorkspace
        const first = apiKey(workspaceId, "first", NOON)
        yield* keys.create(first)
        const again = { ...apiKey(elsewhere, "second", NOON + 1), public_id: first.public_id }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(keys.create(again))))
        const revoked = yield* keys.revoke(workspaceId, first.id, NOON + 2)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(keys.create(again))))
        assert.deepStrictEqual(yield* keys.findByPublicId(first.public_id), Option.some(revoked))
        assert.deepStrictEqual(yield* keys.list(elsewhere), [])
      })
    )

    test(
      "a workspace sees its own keys, newest first",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const elsewhere = yield* makeWorkspace
        const [b, a, c] = [
          apiKey(workspaceId, "b", NOON),
          apiKey(workspaceId, "a", NOON + 1),
          apiKey(workspaceId, "c", NOON + 2)
        ]
        const other = apiKey(elsewhere, "other", NOON)
        for (const key of [b, a, c, other]) yield* keys.create(key)
        assert.deepStrictEqual(yield* keys.list(workspaceId), [c, a, b])
        assert.deepStrictEqual(yield* keys.list(elsewhere), [other])
        assert.deepStrictEqual(yield* keys.get(workspaceId, other.id), Option.none())
      })
    )

    test(
      "a revoked key stays, with the time of its first revocation",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const key = apiKey(workspaceId, "key", NOON)
        const other = apiKey(workspaceId, "other", NOON + 1)
        yield* keys.create(key)
        yield* keys.create(other)
        const expected = { ...key, revoked_at: NOON + 5 }
        assert.deepStrictEqual(yield* keys.revoke(workspaceId, key.id, NOON + 5), expected)
        assert.deepStrictEqual(yield* keys.revoke(workspaceId, key.id, NOON + 9), expected)
        assert.deepStrictEqual(yield* keys.findByPublicId(key.public_id), Option.some(expected))
        assert.deepStrictEqual(yield* keys.list(workspaceId), [other, expected])
      })
    )

    test(
      "a key of another workspace cannot be revoked",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const elsewhere = yield* makeWorkspace
        const key = apiKey(workspaceId, "key", NOON)
        yield* keys.create(key)
        const error = yield* Effect.flip(keys.revoke(elsewhere, key.id, NOON + 1))
        assert.deepStrictEqual(error, new ApiKeyNotFound({ keyId: key.id }))
        assert.deepStrictEqual(yield* keys.get(workspaceId, key.id), Option.some(key))
        const missing = yield* Effect.flip(keys.revoke(workspaceId, "key_none", NOON + 1))
        assert.deepStrictEqual(missing, new ApiKeyNotFound({ keyId: "key_none" }))
      })
    )

    test(
      "revocations are told from a moment on, over all workspaces",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const elsewhere = yield* makeWorkspace
        const early = apiKey(workspaceId, "early", NOON)
        const late = apiKey(elsewhere, "late", NOON)
        const alive = apiKey(workspaceId, "alive", NOON)
        for (const key of [early, late, alive]) yield* keys.create(key)
        yield* keys.revoke(workspaceId, early.id, NOON + 10)
        yield* keys.revoke(elsewhere, late.id, NOON + 20)
        assert.sameMembers([...(yield* keys.restrictedSince(NOON + 10))], [early.id, late.id])
        assert.deepStrictEqual(yield* keys.restrictedSince(NOON + 11), [late.id])
        assert.deepStrictEqual(yield* keys.restrictedSince(NOON + 21), [])
      })
    )

    test(
      "ends are brought forward and never back, and that is told like a revocation",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const elsewhere = yield* makeWorkspace
        const endless = apiKey(workspaceId, "endless", NOON)
        const later = { ...apiKey(workspaceId, "later", NOON + 1), expires_at: NOON + 200 }
        const sooner = { ...apiKey(workspaceId, "sooner", NOON + 2), expires_at: NOON + 50 }
        const unnamed = apiKey(workspaceId, "unnamed", NOON + 3)
        const foreign = apiKey(elsewhere, "foreign", NOON)
        const all = [endless, later, sooner, unnamed, foreign]
        for (const key of all) yield* keys.create(key)
        const named = [endless, later, sooner, foreign].map(({ id }) => id)
        yield* keys.shorten(workspaceId, named, NOON + 100, NOON + 10)
        const shortened = [endless, later].map((key) => ({ ...key, expires_at: NOON + 100 }))
        for (const key of [...shortened, sooner, unnamed])
          assert.deepStrictEqual(yield* keys.get(workspaceId, key.id), Option.some(key))
        assert.deepStrictEqual(yield* keys.get(elsewhere, foreign.id), Option.some(foreign))
        assert.sameMembers([...(yield* keys.restrictedSince(NOON + 10))], [endless.id, later.id])
        yield* keys.revoke(workspaceId, later.id, NOON + 20)
        assert.deepStrictEqual(yield* keys.restrictedSince(NOON + 11), [later.id])
        yield* keys.shorten(workspaceId, named, NOON + 100, NOON + 30)
        yield* keys.shorten(workspaceId, [], NOON, NOON + 30)
        assert.isEmpty(yield* keys.restrictedSince(NOON + 21))
      })
    )

    test(
      "a hash is replaced with another of the same secret, once",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const [key, other] = [apiKey(workspaceId, "key", NOON), apiKey(workspaceId, "other", NOON + 1)]
        for (const one of [key, other]) yield* keys.create(one)
        yield* keys.rehash(key.id, key.hash, "first")
        yield* keys.rehash(key.id, key.hash, "second")
        const after = yield* keys.get(workspaceId, key.id)
        assert.deepStrictEqual(Option.getOrThrow(after), { ...key, hash: "first" })
        assert.deepStrictEqual(Option.getOrThrow(yield* keys.get(workspaceId, other.id)), other)
      })
    )

    test(
      "the time of the last use is noted, for keys that exist",
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const workspaceId = yield* makeWorkspace
        const [a, b, c] = [
          apiKey(workspaceId, "a", NOON),
          apiKey(workspaceId, "b", NOON + 1),
          apiKey(workspaceId, "c", NOON + 2)
        ]
        for (const key of [a, b, c]) yield* keys.create(key)
        yield* keys.touch(new Map())
        yield* keys.touch(
          new Map([
            [a.id, NOON + 5],
            ["key_none", NOON + 6],
            [c.id, NOON + 7]
          ])
        )
        const expected = [{ ...c, last_used_at: NOON + 7 }, b, { ...a, last_used_at: NOON + 5 }]
        assert.deepStrictEqual(yield* keys.list(workspaceId), expected)
      })
    )
  })
}
