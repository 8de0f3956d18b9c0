import { Checkpoints, checkpointKeyOwner } from "@cairn/core/checkpoint"
import { SecretBox } from "@cairn/core/hashing"
import { SecretRotation } from "@cairn/core/management"
import { LogStreams, Webhooks } from "@cairn/core/outbound"
import { makeSecretBox } from "@cairn/storage-sql"
import { MemoryStorage } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import { addStream, addWebhook, makeWorkspace, platform, WORKSPACE } from "../fixtures/Workspace.ts"

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

describe("SecretRotation", () => {
  it.effect("seals everything anew with the newest key, once", () =>
    Effect.gen(function* () {
      const { open } = makeSecretBox(key(2))
      const withBox = (...keys: readonly [Uint8Array, ...Array<Uint8Array>]) =>
        Effect.provideService(SecretBox, makeSecretBox(...keys))
      yield* makeWorkspace
      const add = Effect.gen(function* () {
        yield* addWebhook("whk_1", "https://example.com", [
          ["new", null],
          ["old", 5]
        ])
        yield* addStream("str_1", { type: "splunk_hec" }, {}, { token: "token" })
        yield* addStream("str_2", { type: "file", path: "a" })
        yield* (yield* Checkpoints).addKey({
          number: 1,
          name: "cairn/test",
          publicKey: "public",
          sealedSeed: (yield* SecretBox).seal("seed", checkpointKeyOwner(1)),
          createdAt: 0
        })
      })
      yield* withBox(key(1))(add)
      const rotate = Effect.flatMap(SecretRotation, (rotation) => rotation.rotate).pipe(
        Effect.provide(SecretRotation.layer),
        withBox(key(2), key(1))
      )
      assert.deepStrictEqual(yield* rotate, { resealed: 4, current: 0 })
      const webhook = Option.getOrThrow(yield* Effect.flatMap(Webhooks, ({ get }) => get(WORKSPACE, "whk_1")))
      assert.deepStrictEqual(
        webhook.secrets.map(({ sealed, expires_at }) => [open(sealed, "whk_1"), expires_at]),
        [
          [Result.succeed("new"), null],
          [Result.succeed("old"), 5]
        ]
      )
      const stream = Option.getOrThrow(
        yield* Effect.flatMap(LogStreams, ({ get }) => get(WORKSPACE, "str_1"))
      )
      assert.deepStrictEqual(open(stream.sealed ?? "", "str_1"), Result.succeed('{"token":"token"}'))
      const [checkpointKey] = yield* (yield* Checkpoints).keys
      assert.deepStrictEqual(
        open(checkpointKey?.sealedSeed ?? "", checkpointKeyOwner(1)),
        Result.succeed("seed")
      )
      assert.deepStrictEqual(yield* rotate, { resealed: 0, current: 4 })
    }).pipe(
      Effect.provide(
        Layer.merge(
          Layer.suspend(() => MemoryStorage.layer()),
          platform
        )
      )
    )
  )
})
