/** The contract of `EventLog.append`. */

import { Micros } from "@cairn/core/encoding"
import { Randomness, uuid } from "@cairn/core/hashing"
import { ENOUGH_TO_APPEND, EventLog, type LogEntry } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ordinaryEvents } from "../generators/EventGenerator.ts"
import { hostileGenerator } from "../generators/HostileEvents.ts"
import { concurrently, headOf, nothing, turns } from "./LogSteps.ts"
import {
  accept,
  makeWorkspace,
  NOON,
  observeAppend,
  plainEvents,
  readLog,
  type StorageLayer,
  sequenceAll,
  storageTest,
  verifyChain
} from "./StorageSteps.ts"
import { wholeVerification } from "./WholeVerification.ts"

const refusing = () => {
  throw new Error("this chain cannot be extended")
}

/** Registers the tests of appending; part of `eventLogContract`. */
export const eventAppendContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "a log begins with nothing, and appending nothing leaves it so",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      assert.deepStrictEqual(yield* headOf(workspaceId), nothing)
      const { count, more } = yield* observeAppend(workspaceId)
      assert.deepStrictEqual({ count, more }, { count: 0, more: false })
      assert.deepStrictEqual(yield* headOf(workspaceId), nothing)
      assert.deepStrictEqual(yield* readLog(workspaceId), [])
    })
  )

  test(
    "the newest time is that of the latest head, of whichever log",
    Effect.gen(function* () {
      const log = yield* EventLog
      const before = yield* log.newestTime
      const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
      yield* accept(one, plainEvents(2))
      yield* sequenceAll
      const { createdAt: first } = yield* headOf(one)
      assert.strictEqual(yield* log.newestTime, first)
      assert.isAbove(first, before)
      yield* accept(other, plainEvents(1))
      yield* sequenceAll
      const { createdAt: second } = yield* headOf(other)
      assert.strictEqual(yield* log.newestTime, Math.max(first, second))
    })
  )

  test(
    "an append is given the head and the oldest rows, and stores exactly what it gives back",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const next = hostileGenerator(4)
      yield* accept(workspaceId, Array.from({ length: 40 }, next))
      const first = yield* observeAppend(workspaceId)
      assert.deepStrictEqual(first.head, nothing)
      assert.deepStrictEqual([first.count, first.more], [40, false])
      assert.deepStrictEqual(yield* readLog(workspaceId), first.events)
      const head = yield* headOf(workspaceId)
      const last = first.events[39] as LogEntry
      const { sequence, eventHash, id: eventId, createdAt } = last
      assert.deepStrictEqual(head, { sequence, eventHash, eventId, createdAt, legacy: null })
      assert.strictEqual(sequence, 40)
      yield* accept(workspaceId, ordinaryEvents(60, { seed: 5 }))
      const second = yield* observeAppend(workspaceId)
      assert.deepStrictEqual(second.head, head)
      assert.deepStrictEqual(yield* readLog(workspaceId), [...first.events, ...second.events])
    })
  )

  test(
    "a helping is about as large as asked for, a row is never split, and more says whether rows are left",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      for (let row = 0; row < 5; row++) yield* accept(workspaceId, plainEvents(100))
      const counts: Array<number> = []
      for (let more = true; more && counts.length < 10; ) {
        const chunk = yield* observeAppend(workspaceId, 250)
        assert.strictEqual(chunk.count % 100, 0, "a row was split")
        assert.isAtLeast(chunk.count, 100, "no progress")
        assert.isAtMost(chunk.count, 300, "more than asked for, and a row")
        assert.isTrue(chunk.rows.every(({ events }) => events.length === 100))
        counts.push(chunk.count)
        more = chunk.more
        assert.strictEqual(more, counts.reduce((sum, count) => sum + count, 0) < 500)
      }
      assert.lengthOf(yield* readLog(workspaceId), 500)
    })
  )

  test(
    "a row larger than the helping is appended all the same",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, plainEvents(50))
      yield* accept(workspaceId, plainEvents(1))
      const { count, more } = yield* observeAppend(workspaceId, 10)
      assert.deepStrictEqual([count, more], [50, true])
    })
  )

  test(
    "an append of large rows ends soon after they are enough, and says that more are waiting",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const large = { actor_id: "a", action: "b", metadata: { large: "x".repeat(60_000) } }
      const row = Array.from({ length: 5 }, () => large)
      const count = 8
      for (let index = 0; index < count; index++) yield* accept(workspaceId, row)
      let appended = 0
      for (let more = true; more && appended < 5 * count; ) {
        const chunk = yield* observeAppend(workspaceId)
        assert.isAbove(chunk.rows.length, 0, "no progress")
        assert.isAtMost(chunk.rows.length, Math.ceil(ENOUGH_TO_APPEND / 300_000))
        appended += chunk.count
        more = chunk.more
      }
      assert.strictEqual(appended, 5 * count)
      assert.lengthOf(yield* readLog(workspaceId), 5 * count)
    })
  )

  test(
    "workspaces wait for themselves, and each has a chain of its own",
    Effect.gen(function* () {
      const log = yield* EventLog
      const [one, other, idle] = [yield* makeWorkspace, yield* makeWorkspace, yield* makeWorkspace]
      assert.deepStrictEqual(yield* log.waiting, [])
      yield* accept(one, plainEvents(2))
      yield* accept(other, plainEvents(3))
      yield* accept(one, plainEvents(1))
      assert.sameMembers([...(yield* log.waiting)], [one, other])
      yield* observeAppend(one)
      assert.deepStrictEqual(yield* log.waiting, [other])
      yield* observeAppend(other)
      assert.deepStrictEqual(yield* log.waiting, [])
      assert.deepStrictEqual([(yield* headOf(one)).sequence, (yield* headOf(other)).sequence], [3, 3])
      assert.deepStrictEqual(yield* headOf(idle), nothing)
      assert.strictEqual((yield* readLog(other))[0]?.previousEventHash, null)
    })
  )

  test(
    "an append that fails stores nothing and moves no head",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, plainEvents(2))
      yield* sequenceAll
      const [before, head] = [yield* readLog(workspaceId), yield* headOf(workspaceId)]
      yield* accept(workspaceId, plainEvents(1))
      yield* Effect.exit(log.append([{ workspaceId, chain: refusing }], 1_000))
      assert.deepStrictEqual(yield* readLog(workspaceId), before)
      assert.deepStrictEqual(yield* headOf(workspaceId), head)
      yield* accept(workspaceId, plainEvents(1))
      yield* sequenceAll
      assert.isTrue((yield* verifyChain(workspaceId)).valid)
    })
  )

  test(
    "an event once appended is never replaced, nor its id, its place or its microsecond given to another",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, plainEvents(3))
      yield* sequenceAll
      const [before, head] = [yield* readLog(workspaceId), yield* headOf(workspaceId)]
      const [first] = before
      if (first === undefined) return assert.fail("nothing was appended")
      const id = uuid(yield* Randomness)
      const createdAt = head.createdAt + 1
      for (const event of [
        { ...first, id, content: "{}" },
        { ...first, createdAt, sequence: 4 },
        { ...first, id, createdAt, sequence: 2 },
        { ...first, id, createdAt: head.createdAt, sequence: 4 }
      ]) {
        yield* accept(workspaceId, plainEvents(1))
        const chain = () => ({ events: [event], head: { ...head, sequence: 4 } })
        yield* Effect.exit(log.append([{ workspaceId, chain }], 1))
        assert.deepStrictEqual(yield* readLog(workspaceId), before)
        assert.deepStrictEqual(yield* headOf(workspaceId), head)
      }
    })
  )

  concurrentAppendContract(storage)

  test(
    "time never goes back, though the accepting clock went back an hour, and a request's events stay 1 µs apart",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const moments = [NOON, NOON, NOON - 3600 * Micros.SECOND, NOON + 2, NOON + 10 * Micros.SECOND]
      const requests: Array<ReadonlyArray<string>> = []
      for (const acceptedAt of moments) {
        const outcomes = yield* accept(workspaceId, plainEvents(5), { acceptedAt })
        requests.push(outcomes.map(({ id }) => id))
        if (acceptedAt < NOON) yield* sequenceAll
      }
      yield* sequenceAll
      const log = yield* readLog(workspaceId)
      const times = log.map(({ createdAt }) => createdAt - NOON)
      const last = 10 * Micros.SECOND
      assert.deepStrictEqual(times, [
        ...Array.from({ length: 20 }, (_, index) => index),
        ...[0, 1, 2, 3, 4].map((offset) => last + offset)
      ])
      assert.deepStrictEqual(
        log.map(({ id }) => id),
        requests.flat()
      )
    })
  )
}

/** Registers the tests of concurrent appends; part of `eventLogContract` and of `indexedSearchContract`. */
export const concurrentAppendContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "concurrent sequencers and clients make one unbroken chain of whole requests",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const clients = Effect.forEach(
        Array.from({ length: 120 }, (_, index) => 1 + (index % 7)),
        (size) => turns(size, accept(workspaceId, plainEvents(size))),
        concurrently
      )
      const sequencers = Effect.forEach(
        Array.from({ length: 6 }),
        () => Effect.replicateEffect(turns(3, sequenceAll), 8),
        concurrently
      )
      const [requests] = yield* Effect.all([clients, sequencers], concurrently)
      yield* sequenceAll
      const log = yield* readLog(workspaceId)
      const expected = requests.flat().length
      assert.deepStrictEqual(
        log.map(({ sequence }) => sequence),
        Array.from({ length: expected }, (_, index) => index + 1)
      )
      assert.deepStrictEqual(yield* verifyChain(workspaceId), wholeVerification(expected))
      const text = log.map(({ id }) => id).join()
      for (const request of requests)
        assert.include(text, request.map(({ id }) => id).join(), "a request was torn")
    })
  )

  test(
    "no two appends are given the same head or the same row",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      for (let row = 0; row < 40; row++) yield* accept(workspaceId, plainEvents(2))
      const appends = yield* Effect.forEach(
        Array.from({ length: 60 }),
        () => observeAppend(workspaceId, 2),
        concurrently
      )
      while ((yield* observeAppend(workspaceId, 2)).more) yield* Effect.yieldNow
      const done = appends.filter(({ count }) => count > 0)
      const heads = done.map(({ head }) => head?.sequence)
      const rows = done.flatMap((append) => append.rows.map(({ inboxId }) => inboxId))
      assert.isAbove(done.length, 0)
      assert.strictEqual(new Set(heads).size, heads.length)
      assert.strictEqual(new Set(rows).size, rows.length)
      assert.strictEqual((yield* verifyChain(workspaceId)).events_checked, 80)
    })
  )
}
