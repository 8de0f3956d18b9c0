import { AlertConsumer } from "@cairn/core/alert"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { alertLoop } from "../../src/loops/AlertLoop.ts"
import type { Growth } from "../../src/thread/Growth.ts"

/**
 * Runs the loop over logs that grow when the test says so; those whose name begins with "bad" cannot be
 * evaluated.
 */
const begin = Effect.gen(function* () {
  const latch = yield* Latch.make()
  let grown: Array<string> = []
  const note = (workspaceId: string) =>
    Effect.andThen(
      Effect.sync(() => {
        grown.push(workspaceId)
      }),
      latch.open
    )
  const growth: Growth = {
    take: Effect.andThen(
      latch.close,
      Effect.sync(() => {
        const taken = grown
        grown = []
        return taken
      })
    ),
    note: (workspaceId) => Effect.asVoid(note(workspaceId)),
    wait: latch.await
  }
  const advanced: Array<string> = []
  let more = 0
  const consumer = AlertConsumer.of({
    advance: (workspaceId) =>
      Effect.suspend(() => {
        advanced.push(workspaceId)
        if (workspaceId.startsWith("bad")) return Effect.die(new Error("a row that no codec reads"))
        return Effect.succeed({ count: 1, more: more-- > 0 })
      }),
    round: Effect.succeed({ count: 0, more: false }),
    drain: Effect.succeed(0)
  })
  const loop = yield* Effect.forkChild(alertLoop(growth).pipe(Effect.provideService(AlertConsumer, consumer)))
  yield* Effect.yieldNow
  return {
    note,
    advanced,
    behind: (batches: number) => {
      more = batches
    },
    stop: Fiber.interrupt(loop)
  }
})

describe("keeping alerts up with the logs", () => {
  it.effect("one log that cannot be evaluated holds up no other that grew with it", () =>
    Effect.gen(function* () {
      const { note, advanced, stop } = yield* begin
      for (const id of ["bad", "well"]) yield* note(id)
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(advanced, ["bad", "well"])
      yield* stop
    })
  )

  it.effect(
    "evaluates at once what grows first, and together what grows within a tenth of a second of it",
    () =>
      Effect.gen(function* () {
        const { note, advanced, stop } = yield* begin
        yield* note("one")
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(advanced, ["one"])
        yield* note("one")
        yield* TestClock.adjust("50 millis")
        yield* note("other")
        assert.deepStrictEqual(advanced, ["one"])
        yield* TestClock.adjust("60 millis")
        assert.deepStrictEqual(advanced, ["one", "one", "other"])
        yield* stop
      })
  )

  it.effect("does not wait while a log has more than a batch", () =>
    Effect.gen(function* () {
      const { note, advanced, behind, stop } = yield* begin
      behind(3)
      yield* note("one")
      // Each turn waits for another fiber once.
      for (let millis = 0; millis < 20; millis++) yield* TestClock.adjust("1 millis")
      assert.lengthOf(advanced, 4)
      yield* stop
    })
  )
})
