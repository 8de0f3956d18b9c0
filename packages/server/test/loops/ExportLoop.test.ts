import { Micros } from "@cairn/core/encoding"
import { ExportMaker } from "@cairn/core/export"
import { ClockAhead, ClockGuard } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { exportLoop } from "../../src/loops/ExportLoop.ts"

describe("the loop of exports", () => {
  it.effect("makes none and removes none while the clock runs ahead, and goes on afterwards", () =>
    Effect.gen(function* () {
      let isAhead = true
      let made = 0
      let cleaned = 0
      const maker = Layer.succeed(ExportMaker, {
        advance: Effect.sync(() => {
          made++
          return false
        }),
        cleanUp: Effect.sync(() => {
          cleaned++
          return 0
        })
      })
      const clock = Layer.succeed(ClockGuard, {
        now: Effect.suspend(() =>
          isAhead ? Effect.fail(new ClockAhead({ aheadSeconds: 3_456_000 })) : Micros.now
        ),
        reckoned: Micros.now
      })
      const running = yield* Effect.forkChild(exportLoop.pipe(Effect.provide([maker, clock])))
      yield* TestClock.adjust("3 minutes")
      assert.deepStrictEqual([made, cleaned], [0, 0])
      isAhead = false
      yield* TestClock.adjust("3 minutes")
      assert.isAbove(made, 1)
      assert.isAbove(cleaned, 1)
      yield* Fiber.interrupt(running)
    })
  )
})
