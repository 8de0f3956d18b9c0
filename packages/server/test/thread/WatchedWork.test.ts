import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TurnLog, TurnWatch } from "../../src/thread/TurnWatch.ts"
import { makeNameWork, named, nameEach } from "../../src/thread/WatchedWork.ts"

const block = Effect.sync(() => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
})

/** Runs work beside a loop that does nothing for long; the names that long turns were of. */
const namesOf = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const turns = new TurnLog(() => performance.now())
    return yield* Effect.gen(function* () {
      const idle = yield* Effect.forkChild(named("idle", Effect.never))
      yield* Effect.sleep(20)
      yield* work
      yield* Effect.sleep(20)
      yield* Fiber.interrupt(idle)
      return turns.take()?.routes ?? []
    }).pipe(Effect.provideService(TurnWatch, { touched: turns.touched }))
  })

describe("work of a background thread", () => {
  it.live("is named where it takes a step in a long turn, however long ago it began", () =>
    Effect.gen(function* () {
      const loop = named("alerts", Effect.andThen(Effect.sleep(50), Effect.andThen(Effect.yieldNow, block)))
      assert.deepStrictEqual(yield* namesOf(loop), ["alerts"])
    })
  )

  it.live("is named in the fibers that it starts", () =>
    Effect.gen(function* () {
      const child = Effect.andThen(Effect.sleep(30), block)
      const loop = named("streams", Effect.flatMap(Effect.forkChild(child), Fiber.join))
      assert.deepStrictEqual(yield* namesOf(loop), ["streams"])
    })
  )

  it.live("is named as its handler is", () =>
    Effect.gen(function* () {
      const nameWork = makeNameWork
      const call = Effect.gen(function* () {
        const { List } = nameEach(yield* nameWork, {
          List: (_: string) => Effect.andThen(Effect.yieldNow, Effect.as(block, 1))
        })
        assert.strictEqual(yield* List("x"), 1)
      })
      assert.deepStrictEqual(yield* namesOf(call), ["List"])
    })
  )
})
