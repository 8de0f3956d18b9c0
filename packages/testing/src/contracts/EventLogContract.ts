/** The contract of the port `EventLog`, as tests. Reading, filters and search have files of their own. */

import { Micros } from "@cairn/core/encoding"
import { Randomness, uuid } from "@cairn/core/hashing"
import {
  ChainStarted,
  ENOUGH_TO_APPEND,
  EventLog,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  Inbox,
  type StoredEvent
} from "@cairn/core/log"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { ordinaryEvents } from "../generators/EventGenerator.ts"
import { hostileGenerator } from "../generators/HostileEvents.ts"
import { eventFilterContract } from "./EventFilterContract.ts"
import { eventReadContract } from "./EventReadContract.ts"
import { eventSearchContract } from "./EventSearchContract.ts"
import { largeReadContract } from "./LargeReadContract.ts"
import {
  accept,
  importHistory,
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

const headOf = (workspaceId: string) => Effect.flatMap(EventLog, (log) => log.head(workspaceId))

const nothing: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

/**
 * An adapter may run these one after the other or let the later ones find nothing; it must not fork the
 * chain.
 */
const concurrently = { concurrency: "unbounded" } as const

/** Does something after a few turns of the scheduler, so that fibers interleave. */
const turns = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(Effect.replicateEffect(Effect.yieldNow, count), effect)

const appending = (storage: StorageLayer): void => {
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
      const last = first.events[39] as StoredEvent
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
        const helping = yield* observeAppend(workspaceId, 250)
        assert.strictEqual(helping.count % 100, 0, "a row was split")
        assert.isAtLeast(helping.count, 100, "no progress")
        assert.isAtMost(helping.count, 300, "more than asked for, and a row")
        assert.isTrue(helping.rows.every(({ events }) => events.length === 100))
        counts.push(helping.count)
        more = helping.more
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
        const helping = yield* observeAppend(workspaceId)
        assert.isAbove(helping.rows.length, 0, "no progress")
        assert.isAtMost(helping.rows.length, Math.ceil(ENOUGH_TO_APPEND / 300_000))
        appended += helping.count
        more = helping.more
      }
      assert.strictEqual(appended, 5 * count)
      assert.lengthOf(yield* readLog(workspaceId), 5 * count)
    })
  )

  test(
    "nothing is appended where the chain answers nothing, and everything is there the next time",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, plainEvents(3))
      const refused = yield* log.append(workspaceId, 1_000, () => undefined)
      assert.deepStrictEqual(refused, { count: 0, more: true })
      assert.deepStrictEqual(yield* headOf(workspaceId), nothing)
      assert.deepStrictEqual(yield* log.waiting, [workspaceId])
      const { count, head } = yield* observeAppend(workspaceId)
      assert.deepStrictEqual([count, head], [3, nothing])
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
      const failing = log.append(workspaceId, 1_000, () => {
        throw new Error("this chain cannot be extended")
      })
      yield* Effect.exit(failing)
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
        yield* Effect.exit(
          log.append(workspaceId, 1, () => ({ events: [event], head: { ...head, sequence: 4 } }))
        )
        assert.deepStrictEqual(yield* readLog(workspaceId), before)
        assert.deepStrictEqual(yield* headOf(workspaceId), head)
      }
    })
  )

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

const watching = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "an event on its way is always in the inbox or in the log",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      const outcomes = yield* Effect.forEach(Array.from({ length: 30 }), () =>
        accept(workspaceId, plainEvents(3))
      )
      const watch = Effect.fnUntraced(function* (id: string) {
        for (;;) {
          const waiting = yield* inbox.find(workspaceId, id)
          const stored = yield* log.get(workspaceId, id)
          if (Option.isSome(stored)) return stored.value.id
          if (Option.isNone(waiting)) return assert.fail(`${id} is in neither`)
          yield* Effect.yieldNow
        }
      })
      const ids = outcomes.flat().map(({ id }) => id)
      const watchers = yield* Effect.forkChild(Effect.forEach(ids, watch, concurrently))
      for (let more = true; more; ) {
        yield* Effect.yieldNow
        more = (yield* observeAppend(workspaceId, 10)).more
      }
      assert.deepStrictEqual(yield* Fiber.join(watchers), ids)
      for (const id of ids) assert.deepStrictEqual(yield* inbox.find(workspaceId, id), Option.none())
    })
  )

  test(
    "reads see whole appends only",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      for (let row = 0; row < 30; row++) yield* accept(workspaceId, plainEvents(10))
      const all = { from: 1, to: Number.MAX_SAFE_INTEGER }
      const look = Effect.gen(function* () {
        const count = yield* log.count(workspaceId, {}, all)
        const page = yield* log.page(workspaceId, { filter: {}, before: null, limit: 1_000 })
        const rows = yield* log.scan(workspaceId, 1, 1_000)
        const { sequence } = yield* log.head(workspaceId)
        return [count, page.length, rows.length, sequence]
      })
      const appends = yield* Effect.forkChild(
        Effect.repeat(turns(2, observeAppend(workspaceId, 10)), { while: ({ more }) => more })
      )
      const seen: Array<number> = []
      while (seen.at(-1) !== 300) {
        const now = yield* look
        assert.deepStrictEqual(
          now.map((size) => size % 10),
          [0, 0, 0, 0]
        )
        assert.deepStrictEqual(
          now,
          now.toSorted((a, b) => a - b),
          "an earlier read saw more than a later one"
        )
        seen.push(...now)
        yield* Effect.yieldNow
      }
      yield* Fiber.join(appends)
    })
  )
}

const importing = (storage: StorageLayer): void => {
  const test = storageTest(storage)
  const YEAR_BEFORE = NOON - 365 * Micros.DAY

  test(
    "legacy events are stored as they are given, and the head counts them without having a chain",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const { before, append } = yield* importHistory(
        workspaceId,
        ordinaryEvents(3, { seed: 6 }),
        YEAR_BEFORE
      )
      assert.deepStrictEqual(before, nothing)
      assert.deepStrictEqual(yield* readLog(workspaceId), append.events)
      assert.lengthOf(append.head.legacy?.frontier ?? [], 2)
      assert.deepStrictEqual(yield* headOf(workspaceId), append.head)
      assert.deepStrictEqual(append.head, {
        sequence: 0,
        eventHash: null,
        eventId: null,
        createdAt: YEAR_BEFORE + 2_000,
        legacy: { count: 3, frontier: append.head.legacy?.frontier ?? [] }
      })
    })
  )

  test(
    "an import may come in parts, each given the head of the one before",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const next = hostileGenerator(7)
      let head = nothing
      for (let part = 0; part < 3; part++) {
        const bodies = Array.from({ length: 4 }, next)
        const { before, append } = yield* importHistory(
          workspaceId,
          bodies,
          YEAR_BEFORE + part * Micros.SECOND
        )
        assert.deepStrictEqual(before, head)
        head = append.head
      }
      assert.strictEqual(head.legacy?.count, 12)
      assert.deepStrictEqual(yield* headOf(workspaceId), head)
      const sequences = (yield* readLog(workspaceId)).map(({ sequence }) => sequence)
      assert.deepStrictEqual(
        sequences,
        Array.from({ length: 12 }, (_, index) => FIRST_LEGACY_SEQUENCE + index)
      )
    })
  )

  test(
    "the chain begins after them, and is given the head that they left",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const { append } = yield* importHistory(workspaceId, ordinaryEvents(5, { seed: 8 }), NOON)
      yield* accept(workspaceId, plainEvents(2), { acceptedAt: NOON })
      const { head, events } = yield* observeAppend(workspaceId)
      assert.deepStrictEqual(head, append.head)
      assert.deepStrictEqual(yield* readLog(workspaceId), [...append.events, ...events])
      assert.strictEqual(events[0]?.sequence, 1)
      assert.deepStrictEqual((yield* headOf(workspaceId)).legacy, append.head.legacy)
      assert.deepStrictEqual(yield* verifyChain(workspaceId), wholeVerification(events.length))
    })
  )

  test(
    "nothing is imported once the chain has begun",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, plainEvents(1))
      yield* sequenceAll
      const [before, head] = [yield* readLog(workspaceId), yield* headOf(workspaceId)]
      const error = yield* Effect.flip(
        importHistory(workspaceId, ordinaryEvents(1, { seed: 9 }), YEAR_BEFORE)
      )
      assert.deepStrictEqual(error, new ChainStarted({ workspaceId, sequence: 1 }))
      assert.deepStrictEqual(yield* readLog(workspaceId), before)
      assert.deepStrictEqual(yield* headOf(workspaceId), head)
    })
  )

  test(
    "neither events that wait nor another workspace's chain stand in an import's way",
    Effect.gen(function* () {
      const [workspaceId, elsewhere] = [yield* makeWorkspace, yield* makeWorkspace]
      yield* accept(elsewhere, plainEvents(1))
      yield* observeAppend(elsewhere)
      yield* accept(workspaceId, plainEvents(1))
      const { append } = yield* importHistory(workspaceId, ordinaryEvents(2, { seed: 10 }), YEAR_BEFORE)
      const { events } = yield* observeAppend(workspaceId)
      assert.deepStrictEqual(yield* readLog(workspaceId), [...append.events, ...events])
    })
  )
}

/** Registers the contract of `EventLog` for the storage called `name`. */
export const eventLogContract = (name: string, storage: StorageLayer): void => {
  describe(`${name}: EventLog`, () => {
    describe("append", () => appending(storage))
    describe("append, seen from outside", () => watching(storage))
    describe("importLegacy", () => importing(storage))
    describe("large contents", () => largeReadContract(storage))
    describe("get, scan, sequenceAt, paging", () => eventReadContract(storage))
    describe("filters", () => eventFilterContract(storage))
    describe("search", () => eventSearchContract(storage))
  })
}
