import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { heldBytes, makeAnswerBudget } from "../../../src/http/limits/AnswerBudget.ts"

const MIB = 1024 * 1024
const MOST_BYTES = 48 * MIB

/** A response whose client takes what a test says. */
const responseOf = () => {
  const socket = { bytesWritten: 0, writableLength: 0 }
  const response = Object.assign(new EventEmitter(), {
    socket,
    closed: false,
    headersSent: true,
    destroyed: false,
    destroy: () => {
      response.destroyed = true
      response.emit("close")
    }
  })
  return { response: response as unknown as ServerResponse, socket, fake: response }
}

const settled = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow)

const answerOf = (bytes: number) => Effect.succeed({ body: "x".repeat(bytes) })

describe("the budget of large answers", () => {
  it.effect("is never exceeded: answers wait until others were taken, those of other workspaces do not", () =>
    Effect.gen(function* () {
      const budget = yield* makeAnswerBudget(MOST_BYTES)
      const built: Array<ReturnType<typeof responseOf>> = []
      const ask = (workspaceId: string) =>
        Effect.forkChild(
          Effect.suspend(() => {
            const one = responseOf()
            const noted = Effect.tap(answerOf(6 * MIB), () => Effect.sync(() => built.push(one)))
            return budget.build(
              { workspaceId, isViewer: false, most: 8 * MIB, response: one.response },
              noted
            )
          })
        )
      for (let index = 0; index < 20; index++) yield* ask("busy")
      yield* settled
      // What was reserved beyond an answer's size is free again.
      assert.strictEqual(built.length, 3)
      assert.strictEqual(budget.taken(), 18 * MIB)
      yield* ask("other")
      yield* settled
      assert.strictEqual(built.length, 4)
      for (let index = 0; index < 21; index++) {
        built[index]?.fake.emit("close")
        yield* settled
        assert.isAtMost(budget.taken(), MOST_BYTES)
      }
      assert.deepStrictEqual([built.length, budget.taken()], [21, 0])
    }).pipe(Effect.scoped)
  )

  it.effect("is given back by who goes away, fails, or has a small answer", () =>
    Effect.gen(function* () {
      const budget = yield* makeAnswerBudget(MOST_BYTES)
      const wanted = () => ({
        workspaceId: "w",
        isViewer: false,
        most: 24 * MIB,
        response: responseOf().response
      })
      yield* budget.build(wanted(), answerOf(1_000))
      yield* Effect.flip(budget.build(wanted(), Effect.fail("no")))
      const gate = Deferred.makeUnsafe<never>()
      const building = yield* Effect.forkChild(budget.build(wanted(), Deferred.await(gate)))
      yield* settled
      const waiting = yield* Effect.forkChild(budget.build(wanted(), Deferred.await(gate)))
      yield* settled
      assert.strictEqual(budget.taken(), 24 * MIB)
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(building)
      assert.strictEqual(budget.taken(), 0)
      yield* budget.build(wanted(), answerOf(1_000))
    }).pipe(Effect.scoped)
  )

  it.effect("is not held by a client that takes nothing, and is by one that is slow", () =>
    Effect.gen(function* () {
      const budget = yield* makeAnswerBudget(MOST_BYTES)
      const [hung, slow] = [responseOf(), responseOf()]
      for (const { response } of [hung, slow]) {
        yield* budget.build({ workspaceId: "w", isViewer: false, most: 8 * MIB, response }, answerOf(MIB))
      }
      yield* settled
      for (let round = 0; round < 6; round++) {
        slow.socket.bytesWritten += 100_000
        yield* settled
        yield* TestClock.adjust("10 seconds")
      }
      assert.deepStrictEqual([hung.fake.destroyed, slow.fake.destroyed], [true, false])
      assert.strictEqual(budget.taken(), MIB)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves room for keys however many viewers ask, and does not let anybody wait for ever", () =>
    Effect.gen(function* () {
      const budget = yield* makeAnswerBudget(MOST_BYTES)
      const ask = (isViewer: boolean) =>
        budget.build(
          { workspaceId: "w", isViewer, most: 8 * MIB, response: responseOf().response },
          answerOf(8 * MIB)
        )
      const viewers = yield* Effect.forEach(Array.from({ length: 5 }), () =>
        Effect.forkChild(Effect.result(ask(true)))
      )
      yield* settled
      assert.strictEqual(budget.taken(), 16 * MIB)
      yield* ask(false)
      assert.strictEqual(budget.taken(), 24 * MIB)
      yield* TestClock.adjust("10 seconds")
      const failures = (yield* Effect.forEach(viewers, Fiber.join)).filter(Result.isFailure)
      assert.deepStrictEqual(
        failures.map(({ failure }) => [failure.code, failure.headers?.["retry-after"]]),
        Array.from({ length: 3 }, () => ["unavailable", "10"])
      )
      // What waited took nothing with it.
      assert.isAtMost(budget.taken(), 24 * MIB)
    }).pipe(Effect.scoped)
  )

  it("counts what a text takes in memory", () => {
    assert.deepStrictEqual(
      [heldBytes("abc"), heldBytes("aé"), heldBytes("漢字"), heldBytes(new Uint8Array(3))],
      [3, 4, 4, 3]
    )
  })
})
