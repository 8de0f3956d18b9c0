/** The contract of the port `Checkpoints`, as tests. */
import { type CheckpointKey, Checkpoints, type IssuedCheckpoint } from "@cairn/core/checkpoint"
import type { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { makeWorkspaces, NOON, type StorageOptions } from "./StorageSteps.ts"

const keyOf = (number: number, name = "cairn/contract"): CheckpointKey => ({
  number,
  name,
  publicKey: `public ${number} ${name}`,
  sealedSeed: `sealed ${number}`,
  createdAt: NOON + number
})

const checkpointOf = (size: number, keyNumber = 1): IssuedCheckpoint => ({
  size,
  root: String(size % 10).repeat(64),
  keyNumber,
  note: `note\n${size}\n\n\u2014 line of key ${keyNumber}\n`
})

/** Registers the contract of `Checkpoints` for the storage called `name`. */
export const checkpointsContract = (
  name: string,
  storage: (options: StorageOptions) => Layer.Layer<Checkpoints | ManagedWorkspaces, unknown>
): void => {
  const test = <A, E>(title: string, body: Effect.Effect<A, E, Checkpoints>) =>
    it.live(title, () =>
      Effect.suspend(() =>
        Effect.provide(Effect.andThen(makeWorkspaces("wsp_a", "wsp_b", "wsp_c"), body), storage({}))
      )
    )

  describe(`${name}: Checkpoints`, () => {
    test(
      "keys are listed newest first, as they were added",
      Effect.gen(function* () {
        const checkpoints = yield* Checkpoints
        assert.deepStrictEqual(yield* checkpoints.keys, [])
        assert.isTrue(yield* checkpoints.addKey(keyOf(1)))
        assert.isTrue(yield* checkpoints.addKey(keyOf(2)))
        assert.deepStrictEqual(yield* checkpoints.keys, [keyOf(2), keyOf(1)])
      })
    )

    test(
      "of many that add a key of the same number one does",
      Effect.gen(function* () {
        const checkpoints = yield* Checkpoints
        const names = Array.from({ length: 8 }, (_, index) => `cairn/${index}`)
        const added = yield* Effect.forEach(names, (each) => checkpoints.addKey(keyOf(1, each)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(added.filter(Boolean).length, 1)
        assert.deepStrictEqual(yield* checkpoints.keys, [keyOf(1, names[added.indexOf(true)])])
      })
    )

    test(
      "a key's seed is sealed anew, and nothing else of it changes",
      Effect.gen(function* () {
        const { addKey, keys, resealKey } = yield* Checkpoints
        yield* addKey(keyOf(1))
        yield* addKey(keyOf(2))
        yield* resealKey(1, "sealed again")
        yield* resealKey(3, "sealed for nothing")
        assert.deepStrictEqual(yield* keys, [keyOf(2), { ...keyOf(1), sealedSeed: "sealed again" }])
      })
    )

    test(
      "a log's newest checkpoint is replaced by one of the same size or larger, and never by a smaller one",
      Effect.gen(function* () {
        const { newest, issue, lastSigningKey } = yield* Checkpoints
        assert.strictEqual(yield* lastSigningKey, 0)
        assert.deepStrictEqual(yield* newest("wsp_a"), Option.none())
        yield* issue("wsp_a", checkpointOf(10))
        assert.deepStrictEqual(yield* newest("wsp_a"), Option.some(checkpointOf(10)))
        yield* issue("wsp_a", checkpointOf(9))
        assert.deepStrictEqual(yield* newest("wsp_a"), Option.some(checkpointOf(10)))
        yield* issue("wsp_a", checkpointOf(10, 2))
        assert.deepStrictEqual(yield* newest("wsp_a"), Option.some(checkpointOf(10, 2)))
        yield* issue("wsp_c", checkpointOf(10, 1))
        assert.strictEqual(yield* lastSigningKey, 2)
        yield* issue("wsp_a", checkpointOf(2 ** 40))
        assert.deepStrictEqual(yield* newest("wsp_a"), Option.some(checkpointOf(2 ** 40)))
        assert.deepStrictEqual(yield* newest("wsp_b"), Option.none())
      })
    )

    test(
      "published ones are kept by size, the first of each, and read in both directions",
      Effect.gen(function* () {
        const { publish, publishedAfter, publishedPage, publishedCount } = yield* Checkpoints
        const one = (size: number, note = `note ${size}`) => ({
          size,
          root: String(size % 10).repeat(64),
          note,
          signedAt: NOON + size
        })
        assert.strictEqual(yield* publishedCount("wsp_a"), 0)
        assert.deepStrictEqual(yield* publishedAfter("wsp_a", 0, 10), [])
        for (const size of [10, 3, 2 ** 40]) yield* publish("wsp_a", one(size))
        yield* publish("wsp_b", one(5))
        yield* publish("wsp_a", one(3, "another"))
        assert.strictEqual(yield* publishedCount("wsp_a"), 3)
        assert.deepStrictEqual(yield* publishedAfter("wsp_a", 0, 10), [one(3), one(10), one(2 ** 40)])
        assert.deepStrictEqual(yield* publishedAfter("wsp_a", 3, 1), [one(10)])
        assert.deepStrictEqual(yield* publishedAfter("wsp_a", 2 ** 40, 10), [])
        assert.deepStrictEqual(yield* publishedPage("wsp_a", { before: null, limit: 2 }), [
          one(2 ** 40),
          one(10)
        ])
        assert.deepStrictEqual(yield* publishedPage("wsp_a", { before: 10, limit: 2 }), [one(3)])
        assert.deepStrictEqual(yield* publishedPage("wsp_c", { before: null, limit: 2 }), [])
      })
    )
  })
}
