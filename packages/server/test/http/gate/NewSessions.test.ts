import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Scheduler } from "effect"
import { makeNewSessions } from "../../../src/http/gate/NewSessions.ts"

const session = { session: { id: "ses_1" }, person: { id: "per_1" } }

/** A limiter that counts what is taken. */
const countingLimiter = () => {
  const taken = { count: 0 }
  const look = () => Effect.succeed({ allowed: true, limit: 10, remaining: 9, nextSeconds: 6 })
  const take = () =>
    Effect.suspend(() => {
      taken.count++
      return look()
    })
  return { taken, limiter: { take, look } }
}

/** Operations between turns, and operations before: together they put the end of a request at any place. */
const PLACES = Array.from({ length: 30 }, (_, ops) =>
  Array.from({ length: 20 }, (_, before) => ({ ops: ops + 2, before }))
).flat()

describe("a new session", () => {
  it.live("is counted once, and holds up nobody, wherever its first request is broken off", () =>
    Effect.gen(function* () {
      for (const { ops, before } of PLACES) {
        const { taken, limiter } = countingLimiter()
        const count = makeNewSessions(limiter)
        const first = Array.from({ length: before }).reduce<Effect.Effect<void, unknown>>(
          (rest) => Effect.andThen(Effect.void, rest),
          count(session, "wsp_1")
        )
        const fiber = Effect.runFork(Effect.provideService(first, Scheduler.MaxOpsBeforeYield, ops))
        yield* Effect.promise(() => Promise.resolve())
        yield* Fiber.interrupt(fiber)
        const again = yield* Effect.timeoutOption(count(session, "wsp_1"), "2 seconds")
        assert.strictEqual(again._tag, "Some", `${ops} operations a turn, ${before} before`)
        assert.strictEqual(taken.count, 1)
      }
    })
  )
})
