/** What is read of a log for those who look at it live. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accept, has, live, liveServer, reads, told } from "../LiveSteps.ts"
import { makeTenant } from "../TestServer.ts"

// One after the other: they count what is read.
describe("what is read for streams of counts", () => {
  it.live("counts once for all who look at the same, each from its own beginning", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const first = yield* live(key, "?actor_id=ada")
      yield* accept(key, 2)
      yield* has(first, '{"new":2}')
      const second = yield* live(key, "?actor_id=ada")
      yield* accept(key, 1)
      const third = yield* live(key, "?actor_id=ada")
      reads.counts = 0
      yield* accept(key, 4)
      yield* has(first, '{"new":7}')
      yield* has(second, '{"new":5}')
      yield* has(third, '{"new":4}')
      assert.strictEqual(reads.counts, 1)
      assert.deepStrictEqual(told(third), [4])
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("reads nothing of the log's events while nothing was appended, nor once nobody looks", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, 3)
      const answer = yield* live(key)
      Object.assign(reads, { heads: 0, counts: 0, others: 0 })
      yield* Effect.promise(() => answer.readFor(2_500))
      assert.strictEqual(reads.counts + reads.others, 0)
      assert.isAtMost(reads.heads, 3)
      assert.deepStrictEqual(told(answer), [])
      answer.socket.destroy()
      yield* Effect.sleep(200)
      reads.heads = 0
      yield* Effect.sleep(1_500)
      assert.strictEqual(reads.heads, 0)
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )
})
