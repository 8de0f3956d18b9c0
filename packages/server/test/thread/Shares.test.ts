import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { type Errand, MOST_UNDER_WAY, makeShares } from "../../src/thread/Shares.ts"

const generated = generatedTests(import.meta.url)

const ERRANDS = Object.keys(MOST_UNDER_WAY) as ReadonlyArray<Errand>

/** Errands that last until they are let go, counted by their workspace. */
const endless = () => {
  const underWay = new Map<string, number>()
  const end = Deferred.makeUnsafe<void>()
  const add = (name: string, by: number) =>
    Effect.sync(() => underWay.set(name, (underWay.get(name) ?? 0) + by))
  return {
    underWay,
    end: Deferred.succeed(end, undefined),
    errand: (name: string) =>
      Effect.acquireUseRelease(
        add(name, 1),
        () => Deferred.await(end),
        () => add(name, -1)
      )
  }
}

const settled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("shares of a thread", () => {
  for (const kind of ERRANDS) {
    it.live(`let one workspace have a few of a kind under way, and keep no other waiting: ${kind}`, () =>
      Effect.gen(function* () {
        const shares = makeShares()
        const { underWay, end, errand } = endless()
        const busy = Array.from({ length: 300 }, () => shares.take("busy", kind, errand("busy")))
        const fiber = yield* Effect.forkChild(Effect.all(busy, { concurrency: "unbounded" }))
        yield* settled
        assert.strictEqual(underWay.get("busy"), MOST_UNDER_WAY[kind])
        assert.strictEqual(yield* shares.take("other", kind, Effect.succeed("at once")), "at once")
        for (const other of ERRANDS.filter((one) => one !== kind)) {
          assert.strictEqual(yield* shares.take("busy", other, Effect.succeed("at once")), "at once")
        }
        yield* end
        yield* Fiber.join(fiber)
        assert.strictEqual(shares.size(), 0)
      })
    )
  }

  it.live("do nothing for those who went away while they waited", () =>
    Effect.gen(function* () {
      const shares = makeShares()
      const { end, errand } = endless()
      const first = yield* Effect.forEach(
        Array.from({ length: MOST_UNDER_WAY.search }, () => shares.take("w", "search", errand("w"))),
        (one) => Effect.forkChild(one)
      )
      yield* settled
      let done = 0
      const later = Effect.sync(() => done++)
      const waiting = yield* Effect.forEach(
        Array.from({ length: 100 }, () => shares.take("w", "search", later)),
        (one) => Effect.forkChild(one)
      )
      yield* settled
      yield* Fiber.interruptAll(waiting.slice(1))
      yield* end
      yield* Effect.forEach(first, (fiber) => Fiber.join(fiber))
      yield* Effect.forEach(waiting.slice(0, 1), (fiber) => Fiber.join(fiber))
      assert.strictEqual(done, 1)
      assert.strictEqual(shares.size(), 0)
    })
  )

  it.live("serve first who came first, and hold on to nothing, whatever fails", () =>
    generated.effects({}, (random) =>
      Effect.gen(function* () {
        const shares = makeShares()
        const order: Array<number> = []
        const errands = Array.from({ length: 200 }, (_, index) =>
          shares.take(
            "w",
            "search",
            Effect.sync(() => order.push(index)).pipe(
              Effect.andThen(Effect.yieldNow),
              Effect.andThen(random.chance(0.3) ? Effect.fail("no") : Effect.void)
            )
          )
        )
        yield* Effect.all(errands.map(Effect.exit), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          order,
          Array.from({ length: 200 }, (_, index) => index)
        )
        assert.strictEqual(shares.size(), 0)
      })
    )
  )
})
