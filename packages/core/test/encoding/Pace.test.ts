import { contentSize, makePace, TURN_SIZE } from "@cairn/core/encoding"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { piecesOf } from "../../src/encoding/Pace.ts"

const generated = generatedTests(import.meta.url)

const sizeOf = (size: number) => size

/** The turn of the event loop in which each item was done. */
const turnsOf = (items: ReadonlyArray<number>, pace = makePace()) =>
  Effect.gen(function* () {
    let turn = 0
    let next = setImmediate(function count() {
      turn++
      next = setImmediate(count)
    })
    const turns = yield* pace.map(items, sizeOf, () => turn)
    clearImmediate(next)
    return turns
  })

describe("a pace", () => {
  it.live("does what is small at once, as a map of an array", () =>
    Effect.gen(function* () {
      const { map } = makePace()
      assert.deepStrictEqual(Effect.runSync(map([1, 2, TURN_SIZE - 3], sizeOf, (size) => 2 * size)), [
        2,
        4,
        2 * (TURN_SIZE - 3)
      ])
      assert.deepStrictEqual(yield* map([], sizeOf, sizeOf), [])
    })
  )

  it.live("does what is large in several turns, in order", () =>
    Effect.gen(function* () {
      const half = TURN_SIZE / 2
      const turns = yield* turnsOf([half, half, 1, TURN_SIZE, 5 * TURN_SIZE, half, half])
      assert.strictEqual(turns[0], turns[1])
      assert.deepStrictEqual(
        [...turns].sort((a, b) => a - b),
        turns
      )
      assert.strictEqual(new Set(turns).size, 5)
    })
  )

  it.live("does one piece in a turn, however many keep it", () =>
    Effect.gen(function* () {
      const pace = makePace()
      const done: Array<string> = []
      const large = [TURN_SIZE, TURN_SIZE, TURN_SIZE]
      let sinceTurn = 0
      let most = 0
      let next = setImmediate(function count() {
        sinceTurn = 0
        next = setImmediate(count)
      })
      const one = (name: string) =>
        pace.map(large, sizeOf, () => {
          most = Math.max(most, ++sinceTurn)
          done.push(name)
        })
      yield* Effect.forEach(["a", "b", "c", "d"], one, { concurrency: "unbounded" })
      clearImmediate(next)
      assert.strictEqual(most, 1)
      assert.lengthOf(done, 12)
      // First come, first served: nobody is through before the others have begun.
      assert.deepStrictEqual(done.slice(0, 4).sort(), ["a", "b", "c", "d"])
    })
  )

  it.live("goes on for others when one of them is interrupted", () =>
    Effect.gen(function* () {
      const pace = makePace()
      const large = Array.from({ length: 50 }, () => TURN_SIZE)
      const first = yield* Effect.forkChild(pace.map(large, sizeOf, sizeOf))
      const second = yield* Effect.forkChild(pace.map(large, sizeOf, sizeOf))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(yield* Fiber.join(second), large)
    })
  )

  it("cuts any list into pieces that make it up, none larger than it may be", () => {
    generated.stories({ count: 200, seed: 1 }, (random) => {
      const items = Array.from({ length: random.below(40) }, () =>
        random.below(TURN_SIZE >> random.below(12))
      )
      const pieces = piecesOf(items, sizeOf)
      assert.deepStrictEqual(pieces.flat(), items)
      for (const piece of pieces) {
        assert.isAbove(piece.length, 0)
        const size = piece.reduce((sum, item) => sum + item, 0)
        assert.isTrue(size <= TURN_SIZE || piece.length === 1)
      }
    })
  })

  it("knows the size of a content, and that none has none", () => {
    assert.strictEqual(contentSize({ content: "abc" }), 3)
    assert.strictEqual(contentSize({ content: null }), 0)
  })
})
