import { type ConsumerPosition, type ConsumerRow, Consumers } from "@cairn/core/consumer"
import { MemoryStorage } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { makeRememberedRows } from "../../src/consumer/RememberedRows.ts"

const row = (key: string, value = "1"): ConsumerRow => ({ key, value, expiresAt: null })

/** A consumer of two workspaces, what it remembers, and which keys it has asked the store for. */
const begin = Effect.gen(function* () {
  const consumers = yield* Consumers
  const asked: Array<string> = []
  const remembered = makeRememberedRows({
    rows: (key, keys) => {
      asked.push(...keys)
      return consumers.rows(key, keys)
    }
  })
  const open = (workspaceId = "wsp_1") => consumers.open({ workspaceId, consumer: "alerts" }, 0, 0)
  const commit = (position: ConsumerPosition, rows: ReadonlyArray<ConsumerRow>) =>
    Effect.map(
      consumers.commit(position, {
        sequence: position.sequence + 1,
        rows,
        raised: [],
        deliveries: [],
        expiredBy: null,
        at: 0
      }),
      (moved) => {
        remembered.committed(position, rows, moved)
        return moved
      }
    )
  return { consumers, remembered, asked, open, commit }
})

const test = <A, E>(says: string, effect: Effect.Effect<A, E, Consumers>): void =>
  it.effect(says, () =>
    Effect.provide(
      effect,
      Layer.suspend(() => MemoryStorage.layer())
    )
  )

describe("what a consumer remembers", () => {
  test(
    "is read once, those rows too that are not there, and is known once it was committed",
    Effect.gen(function* () {
      const { remembered, asked, open, commit } = yield* begin
      const first = yield* open()
      assert.deepStrictEqual(yield* remembered.read(first, ["a", "b"]), [])
      const second = Option.getOrThrow(yield* commit(first, [row("a")]))
      assert.deepStrictEqual(yield* remembered.read(second, ["a", "b", "c"]), [row("a")])
      const third = Option.getOrThrow(yield* commit(second, [row("a", "2"), row("c")]))
      assert.deepStrictEqual(yield* remembered.read(third, ["c", "b", "a"]), [row("c"), row("a", "2")])
      assert.deepStrictEqual(asked, ["a", "b", "c"])
    })
  )

  for (const [who, step] of [
    ["another process commits", "commit"],
    ["an operator replays", "replay"]
  ] as const) {
    test(
      `is read again after ${who}`,
      Effect.gen(function* () {
        const { consumers, remembered, asked, open, commit } = yield* begin
        const position = Option.getOrThrow(yield* commit(yield* open(), [row("a")]))
        if (step === "replay") yield* consumers.replay(position, 0, 0)
        else {
          yield* consumers.commit(position, {
            sequence: 5,
            rows: [row("a", "theirs")],
            raised: [],
            deliveries: [],
            expiredBy: null,
            at: 0
          })
          assert.isTrue(Option.isNone(yield* commit(position, [row("a", "ours")])))
        }
        const expected = step === "replay" ? [] : [row("a", "theirs")]
        assert.deepStrictEqual(yield* remembered.read(yield* open(), ["a"]), expected)
        assert.deepStrictEqual(asked, ["a"])
      })
    )
  }

  test(
    "is nothing that was only to be committed",
    Effect.gen(function* () {
      const { consumers, remembered, open, commit } = yield* begin
      const position = yield* open()
      yield* remembered.read(position, ["a"])
      yield* consumers.pause(position, 0)
      assert.isTrue(Option.isNone(yield* commit(position, [row("a")])))
      yield* consumers.resume(position, 0)
      assert.deepStrictEqual(yield* remembered.read(yield* open(), ["a"]), [])
    })
  )

  test(
    "is forgotten where it grows large, that of the workspace that was used last at the end",
    Effect.gen(function* () {
      const { remembered, asked, open, commit } = yield* begin
      const large = "x".repeat(3_000_000)
      const one = Option.getOrThrow(yield* commit(yield* open("wsp_1"), [row("a", large)]))
      const other = Option.getOrThrow(yield* commit(yield* open("wsp_2"), [row("a", large)]))
      yield* remembered.read(other, ["a"])
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(yield* remembered.read(one, ["a"]), [row("a", large)])
      assert.deepStrictEqual(asked, ["a"])
    })
  )
})
