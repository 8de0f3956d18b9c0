/** The contract of the port `EventLog`, as tests. Reading, filters and search are in separate files. */

import { Micros } from "@cairn/core/encoding"
import { ChainStarted, EventLog, FIRST_LEGACY_SEQUENCE, Inbox } from "@cairn/core/log"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { type CorpusTest, corpusTest } from "../generators/EventCorpus.ts"
import { ordinaryEvents } from "../generators/EventGenerator.ts"
import { hostileGenerator } from "../generators/HostileEvents.ts"
import { concurrentAppendContract, eventAppendContract } from "./EventAppendContract.ts"
import { eventFacetsContract, facetTimeContract } from "./EventFacetsContract.ts"
import { eventFilterContract } from "./EventFilterContract.ts"
import { eventPagingContract, eventReadContract } from "./EventReadContract.ts"
import { eventSearchContract } from "./EventSearchContract.ts"
import { largePageContract, largeReadContract } from "./LargeReadContract.ts"
import { concurrently, headOf, nothing, turns } from "./LogSteps.ts"
import { occurrenceContract } from "./OccurrenceContract.ts"
import { sharedAppendContract } from "./SharedAppendContract.ts"
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
        const rows = yield* log.entries(workspaceId, 1, 1_000)
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

const asking = (storage: StorageLayer, reading: CorpusTest): void => {
  describe("filters", () => eventFilterContract(storage, reading))
  describe("the order of occurrence", () => occurrenceContract(storage))
  describe("search", () => eventSearchContract(storage, reading))
  describe("facets", () => eventFacetsContract(storage, reading))
}

/** Registers the contract of `EventLog` for the storage called `name`. */
export const eventLogContract = (name: string, storage: StorageLayer): void => {
  describe(`${name}: EventLog`, () => {
    const reading = corpusTest(storage)
    describe("append", () => eventAppendContract(storage))
    describe("append to several workspaces", () => sharedAppendContract(storage))
    describe("append, seen from outside", () => watching(storage))
    describe("importLegacy", () => importing(storage))
    describe("large contents", () => largeReadContract(storage))
    describe("get, scan, sequenceAt, paging", () => eventReadContract(storage, reading))
    asking(storage, reading)
  })
}

/** Registers what of the contract of `EventLog` asks more in trials: filters, order, search and facets. */
export const eventQueryContract = (name: string, storage: StorageLayer): void => {
  describe(`${name}: EventLog`, () => asking(storage, corpusTest(storage)))
}

/**
 * Registers what of the contract of `EventLog` the search index can change, for the storage called `name`
 * whose index has caught up: everything that searches, and concurrent appends, because several then index at
 * once.
 */
export const indexedSearchContract = (name: string, storage: StorageLayer): void => {
  describe(`${name}: EventLog`, () => {
    const reading = corpusTest(storage)
    describe("append", () => concurrentAppendContract(storage))
    describe("large contents", () => largePageContract(storage))
    describe("get, scan, sequenceAt, paging", () => eventPagingContract(storage))
    asking(storage, reading)
    describe("facets", () => facetTimeContract(storage))
  })
}
