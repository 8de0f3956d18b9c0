import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { spacedLooks } from "../../src/thread/SpacedLooks.ts"

/** Looks that take 10 ms each and find these, one after the other, and then nothing. */
const looksThatFind = (...found: ReadonlyArray<number>) => {
  const looks = { made: 0 }
  const look = Effect.as(TestClock.adjust("10 millis"), 0).pipe(Effect.map(() => found[looks.made++] ?? 0))
  return { looks, next: spacedLooks(look, 20) }
}

describe("looks for work that is seldom there", () => {
  it.effect("go on at once as long as they find some", () =>
    Effect.gen(function* () {
      const { looks, next } = looksThatFind(3, 2, 1)
      for (const found of [3, 2, 1]) assert.strictEqual(yield* next, found)
      assert.strictEqual(looks.made, 3)
    })
  )

  it.effect("come no sooner than twenty times as long after one that found none as it took", () =>
    Effect.gen(function* () {
      const { looks, next } = looksThatFind(0, 5)
      assert.strictEqual(yield* next, 0)
      for (let waited = 0; waited < 199; waited++) {
        assert.strictEqual(yield* next, 0)
        yield* TestClock.adjust("1 millis")
      }
      assert.strictEqual(looks.made, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* next, 5)
      assert.strictEqual(looks.made, 2)
    })
  )

  it.effect("take a twenty-first of the time where none finds any", () =>
    Effect.gen(function* () {
      const { looks, next } = looksThatFind()
      for (let waited = 0; waited < 2_100; waited++) {
        yield* next
        yield* TestClock.adjust("1 millis")
      }
      assert.strictEqual(looks.made, 11)
    })
  )
})
