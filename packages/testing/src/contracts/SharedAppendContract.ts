/** The contract of `EventLog.append` for several workspaces at once. */
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { type Appended, type AppendRequest, EventLog, extendChain, MOST_WORKSPACES } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { concurrently, headOf, nothing } from "./LogSteps.ts"
import {
  accept,
  makeWorkspace,
  NOON,
  plainEvents,
  readLog,
  type StorageLayer,
  sequenceAll,
  storageTest,
  verifyChain
} from "./StorageSteps.ts"
import { wholeVerification } from "./WholeVerification.ts"

/** A request that appends as the sequencer would. */
const ordinary = Effect.fnUntraced(function* (workspaceId: string) {
  const sha256 = yield* Sha256
  const random = yield* Randomness
  const context = { workspaceId, sha256, random, lookup: () => ({ country: null, city: null }), now: NOON }
  return {
    workspaceId,
    chain: (head, rows) => extendChain(context, head, rows)
  } satisfies AppendRequest
})

/** Makes workspaces, in each of which so many events wait, a row each. */
const makeWaiting = Effect.fnUntraced(function* (...waiting: ReadonlyArray<number>) {
  const ids: Array<string> = []
  for (const count of waiting) {
    const workspaceId = yield* makeWorkspace
    for (let row = 0; row < count; row++) yield* accept(workspaceId, plainEvents(1))
    ids.push(workspaceId)
  }
  return ids
})

/**
 * Gives each of the requests its turn once, append by append, and returns what each append did. A workspace
 * whose turn comes first in an append that fails is passed over.
 */
const eachOnce = Effect.fnUntraced(function* (requests: ReadonlyArray<AppendRequest>, maxEvents: number) {
  const { append } = yield* EventLog
  const appends: Array<ReadonlyArray<Appended>> = []
  for (let at = 0; at < requests.length; ) {
    const exit = yield* Effect.exit(append(requests.slice(at), maxEvents))
    const done = Exit.isSuccess(exit) ? exit.value : [{ count: 0, more: true }]
    assert.isAbove(done.length, 0, "no progress")
    assert.isAtMost(done.length, Math.min(requests.length - at, MOST_WORKSPACES))
    appends.push(done)
    at += done.length
  }
  return appends
})

/** Registers the tests of appends to several workspaces; part of `eventLogContract`. */
export const sharedAppendContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "an append of nothing does nothing",
    Effect.gen(function* () {
      const { append } = yield* EventLog
      assert.deepStrictEqual(yield* append([], 1_000), [])
    })
  )

  test(
    "appends to several workspaces give each its turn in order, and extend the chain of each",
    Effect.gen(function* () {
      const log = yield* EventLog
      const waiting = [3, 0, 1, 5, 2]
      const ids = yield* makeWaiting(...waiting)
      const requests = yield* Effect.forEach(ids, ordinary)
      const done = (yield* eachOnce(requests, 1_000)).flat()
      assert.deepStrictEqual(
        done,
        waiting.map((count) => ({ count, more: false }))
      )
      assert.deepStrictEqual(yield* log.waiting, [])
      for (const [index, count] of waiting.entries()) {
        assert.lengthOf(yield* readLog(ids[index] ?? ""), count)
        assert.deepStrictEqual(yield* verifyChain(ids[index] ?? ""), wholeVerification(count))
      }
    })
  )

  test(
    "workspaces that had no turn are as they were",
    Effect.gen(function* () {
      const { append, waiting } = yield* EventLog
      const ids = yield* makeWaiting(2, 2, 2, 2)
      const requests = yield* Effect.forEach(ids, ordinary)
      const done = yield* append(requests, 4)
      assert.isAtLeast(done.length, 1)
      assert.isAtMost(done.length, 2)
      const others = ids.slice(done.length)
      for (const id of others) assert.deepStrictEqual(yield* headOf(id), nothing)
      assert.sameMembers([...(yield* waiting)], others)
    })
  )

  test(
    "a workspace with a backlog gets as much as it would alone, and delays no other by more than that",
    Effect.gen(function* () {
      const ids = yield* makeWaiting(2, 30, 1, 3)
      const requests = yield* Effect.forEach(ids, ordinary)
      const appends = yield* eachOnce(requests, 10)
      assert.deepStrictEqual(appends.flat(), [
        { count: 2, more: false },
        { count: 10, more: true },
        { count: 1, more: false },
        { count: 3, more: false }
      ])
      for (const append of appends)
        assert.isAtMost(
          append.reduce((sum, { count }) => sum + count, 0),
          10
        )
    })
  )

  test(
    "a workspace whose chain fails holds up no other, and nothing of it is changed",
    Effect.gen(function* () {
      const ids = yield* makeWaiting(1, 1, 2, 1)
      const requests = yield* Effect.forEach(ids, ordinary)
      const failing = () => {
        throw new Error("this chain cannot be extended")
      }
      const [first, second, third, last] = requests
      if (!(first && second && third && last)) return assert.fail("there are four")
      const done = (yield* eachOnce([first, { ...second, chain: failing }, third, last], 1_000)).flat()
      assert.deepStrictEqual(
        done.map(({ count }) => count),
        [1, 0, 2, 1]
      )
      assert.deepStrictEqual(yield* headOf(second.workspaceId), nothing)
      yield* sequenceAll
      assert.lengthOf(yield* readLog(third.workspaceId), 2)
      for (const { workspaceId } of requests) assert.isTrue((yield* verifyChain(workspaceId)).valid)
    })
  )

  test(
    "concurrent appends to the same workspaces fork no chain and lose no event",
    Effect.gen(function* () {
      const waiting = [7, 3, 9, 1, 5]
      const ids = yield* makeWaiting(...waiting)
      const requests = yield* Effect.forEach(ids, ordinary)
      const orders = [requests, requests.toReversed(), [...requests.slice(2), ...requests.slice(0, 2)]]
      yield* Effect.forEach(orders, (order) => Effect.replicateEffect(eachOnce(order, 4), 3), concurrently)
      yield* sequenceAll
      for (const [index, count] of waiting.entries())
        assert.deepStrictEqual(yield* verifyChain(ids[index] ?? ""), wholeVerification(count))
    })
  )
}
