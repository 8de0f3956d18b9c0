import { Micros } from "@cairn/core/encoding"
import { ExportMaker } from "@cairn/core/export"
import { ClockAhead, ClockGuard, StorageUnavailable } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
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

  it.effect("says once that an old primary refuses it, and once that it goes on", () => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ logLevel, message, cause }) => {
      lines.push(`${logLevel} ${message}${cause.reasons.length > 0 ? " and a stack" : ""}`)
    })
    return Effect.gen(function* () {
      let isOld = true
      const refuse = <A>(value: A) =>
        Effect.suspend(() =>
          isOld
            ? Effect.fail(
                new StorageUnavailable({
                  operation: "claim an export",
                  cause: new Error("the database is on an older timeline than 2: see cairn recover")
                })
              )
            : Effect.succeed(value)
        )
      const maker = Layer.succeed(ExportMaker, { advance: refuse(false), cleanUp: refuse(0) })
      const clock = Layer.succeed(ClockGuard, { now: Micros.now, reckoned: Micros.now })
      const running = yield* Effect.forkChild(exportLoop.pipe(Effect.provide([maker, clock])))
      yield* TestClock.adjust("5 minutes")
      const because =
        "the database is an old primary, which another has replaced: stop it, or see cairn recover"
      const begun = [
        `Error Expired exports could not be removed; trying again: ${because}`,
        `Error Exports could not be made; trying again: ${because}`
      ]
      assert.sameMembers(lines, begun)
      isOld = false
      yield* TestClock.adjust("5 minutes")
      assert.sameMembers(lines, [
        ...begun,
        "Info Exports are made again",
        "Info Expired exports are removed again"
      ])
      yield* Fiber.interrupt(running)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })
})
