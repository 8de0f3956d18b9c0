/**
 * The contract of `EventLog`'s reads of large contents: they return chunks limited in size, and leave none
 * out.
 */
import { contentSize } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import { ENOUGH_TO_LIST, ENOUGH_TO_READ, EventLog, type LogEntry, mayGoOn } from "@cairn/core/log"
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readingTest } from "../generators/EventCorpus.ts"
import { workPerTurn } from "../machines/WorkPerTurn.ts"
import {
  accept,
  makeWorkspace,
  plainEvents,
  type StorageLayer,
  sequenceAll,
  storageTest
} from "./StorageSteps.ts"

/** Characters of one of the large events. */
const LARGE = 240_000
const EVENTS = 40

/** Two pieces of work in one turn, of one large event each, including what is written of them. */
const MOST_IN_A_TURN = 4 * LARGE

/** Two small events and a large one, repeatedly; each of the large ones contains a word. */
const fill = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace
  const metadata = { note: "\\\n".repeat(15_000) }
  const targets = Array.from({ length: LARGE / 60_000 }, () => ({ type: "t", metadata }))
  for (let event = 0; event < EVENTS; event++) {
    const large = { actor_id: "a", action: "large.one", metadata: { word: "needle" }, targets }
    yield* accept(workspaceId, [...plainEvents(2), large])
    yield* sequenceAll
  }
  return workspaceId
})

/** The workspace that has such a log. */
class LargeLog extends Context.Service<LargeLog, { readonly workspaceId: string }>()(
  "@cairn/testing/LargeLog"
) {}

/** Registers tests that only read such a log. */
const largeTest = (storage: StorageLayer) =>
  readingTest(
    storage,
    Layer.effect(
      LargeLog,
      Effect.map(fill, (workspaceId) => ({ workspaceId }))
    )
  )

const sizeOf = (entries: ReadonlyArray<LogEntry>): number =>
  entries.reduce((sum, entry) => sum + contentSize(entry), 0)

/** Registers the tests; part of `eventLogContract`. */
export const largeReadContract = (storage: StorageLayer): void => {
  const reading = largeTest(storage)

  reading(
    "of large events fewer come at once than were asked for, and all in the end",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId } = yield* LargeLog
      const sequences: Array<number> = []
      let chunkCount = 0
      for (let more = true; more; chunkCount++) {
        const chunk: ReadonlyArray<LogEntry> = yield* log.entries(workspaceId, sequences.length + 1, 1_000)
        assert.isBelow(sizeOf(chunk.slice(0, -1)), ENOUGH_TO_READ)
        sequences.push(...chunk.map(({ sequence }) => sequence))
        more = mayGoOn(chunk, 1_000)
      }
      assert.isAbove(chunkCount, 4)
      assert.deepStrictEqual(
        sequences,
        Array.from({ length: 3 * EVENTS }, (_, index) => index + 1)
      )
      assert.lengthOf(yield* log.entries(workspaceId, 3, 1), 1)
      assert.lengthOf(yield* log.entries(workspaceId, 1, 2), 2)
    })
  )

  largePageContract(storage, reading)
}

/** Registers the tests of pages; part of `eventLogContract` and of `indexedSearchContract`. */
export const largePageContract = (storage: StorageLayer, reading = largeTest(storage)): void => {
  const filters: ReadonlyArray<EventFilter> = [
    {},
    { action: "large.one" },
    { actorId: "a" },
    { search: "needle" }
  ]
  reading(
    "a page of large events ends before its limit, and the next goes on from there",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId } = yield* LargeLog
      for (const filter of filters) {
        const found: Array<number> = []
        let pages = 0
        let before: number | null = null
        for (let more = true; more; pages++) {
          const page: ReadonlyArray<LogEntry> = yield* log.page(workspaceId, { filter, before, limit: 500 })
          assert.isBelow(sizeOf(page.slice(0, -1)), ENOUGH_TO_LIST)
          found.push(...page.map(({ sequence }) => sequence))
          more = mayGoOn(page, 500, ENOUGH_TO_LIST)
          before = page.at(-1)?.createdAt ?? before
        }
        assert.isAtLeast(pages, 2)
        const all = Array.from({ length: 3 * EVENTS }, (_, index) => 3 * EVENTS - index)
        assert.deepStrictEqual(
          found,
          Object.keys(filter).length === 0 ? all : all.filter((sequence) => sequence % 3 === 0),
          JSON.stringify(filter)
        )
        assert.lengthOf(yield* log.page(workspaceId, { filter, before: null, limit: 1 }), 1)
      }
    })
  )
}

/** Registers the tests of searching large contents on a database. */
export const largeSearchContract = (name: string, storage: StorageLayer): void => {
  describe(`search in large contents on ${name}`, () => {
    storageTest(storage)(
      "parses a few hundred thousand characters in a turn of the event loop, and finds all that match",
      Effect.gen(function* () {
        const log = yield* EventLog
        const workspaceId = yield* fill
        const range = { from: 1, to: 3 * EVENTS }
        for (const search of ["needle", "dl"]) {
          const count = yield* workPerTurn(log.count(workspaceId, { search }, range))
          assert.strictEqual(count.value, EVENTS)
          const request = { filter: { search }, before: null, limit: 1_000 }
          const moments = yield* workPerTurn(log.moments(workspaceId, request))
          assert.lengthOf(moments.value, EVENTS)
          // A longer term is found in an index without parsing, where there is one.
          if (search === "dl") assert.isAbove(moments.all, EVENTS * LARGE)
          for (const { most } of [count, moments]) assert.isBelow(most, MOST_IN_A_TURN)
        }
      })
    )
  })
}
