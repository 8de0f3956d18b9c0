/** The contract of `EventLog`'s reads by id, by sequence, by time and by page. */

import { Micros } from "@cairn/core/encoding"
import { matches } from "@cairn/core/event"
import { EventLog, type Head, type LogEntry } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { type CorpusTest, makeCorpus, SharedCorpus, toEntry } from "../generators/EventCorpus.ts"
import {
  accept,
  makeWorkspace,
  NOON,
  observeAppend,
  plainEvents,
  type StorageLayer,
  storageTest
} from "./StorageSteps.ts"

/** Registers the tests of reading; part of `eventLogContract`. */
export const eventReadContract = (storage: StorageLayer, reading: CorpusTest): void => {
  const test = storageTest(storage)

  reading(
    "an event is got by its id, in its own workspace only",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, elsewhere, known } = yield* SharedCorpus
      for (const { row } of known) {
        assert.deepStrictEqual(
          Option.map(yield* log.get(workspaceId, row.id), toEntry),
          Option.some(toEntry(row))
        )
        assert.deepStrictEqual(yield* log.get(elsewhere, row.id), Option.none())
      }
      for (const id of [
        "",
        "%",
        "00000000-0000-4000-8000-000000000000",
        known[0]?.row.id.toUpperCase() ?? ""
      ]) {
        assert.deepStrictEqual(yield* log.get(workspaceId, id), Option.none(), id)
      }
    })
  )

  reading(
    "a scan begins at any sequence, goes up, and stops at its limit",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, known } = yield* SharedCorpus
      const rows = known.map(({ row }) => row)
      const firsts = [
        Number.MIN_SAFE_INTEGER,
        rows[0]?.sequence ?? 0,
        rows[7]?.sequence ?? 0,
        0,
        1,
        2,
        80,
        160,
        161,
        162
      ]
      for (const from of firsts) {
        for (const limit of [1, 5, 1_000]) {
          const expected = rows.filter(({ sequence }) => sequence >= from).slice(0, limit)
          assert.deepStrictEqual(
            yield* log.entries(workspaceId, from, limit),
            expected,
            `${limit} from ${from}`
          )
          const entries: ReadonlyArray<LogEntry> = yield* log.entries(workspaceId, from, limit)
          assert.deepStrictEqual(entries.map(toEntry), expected.map(toEntry), `${limit} from ${from}`)
        }
      }
    })
  )

  test(
    "the hashes of a range come in order, as far as the log goes and as no event is missing",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, known } = yield* makeCorpus
      const hashes = known.flatMap(({ row }) => (row.sequence < 1 ? [] : [row.eventHash ?? ""]))
      assert.lengthOf(hashes, 161)
      for (const [from, to] of [
        [1, 1],
        [1, 161],
        [2, 80],
        [150, 200],
        [161, 161],
        [162, 170]
      ] as const) {
        assert.deepStrictEqual(yield* log.hashes(workspaceId, from, to), hashes.slice(from - 1, to))
      }
      // No sequencer does this, but somebody else may have.
      const last = known.at(-1)?.row
      if (last === undefined) return assert.fail("the log is empty")
      yield* accept(workspaceId, plainEvents(2))
      const chain = (head: Head) => {
        const events = [163, 164].map((sequence) => ({
          ...last,
          sequence,
          id: `0000000${sequence % 10}-0000-4000-8000-000000000000`,
          createdAt: head.createdAt + sequence,
          eventHash: sequence === 163 ? null : last.eventHash
        }))
        return { events, head: { ...head, sequence: 164, createdAt: head.createdAt + 164 } }
      }
      yield* log.append([{ workspaceId, chain }], 2)
      assert.deepStrictEqual(yield* log.hashes(workspaceId, 160, 164), hashes.slice(159))
      assert.deepStrictEqual(yield* log.hashes(workspaceId, 162, 164), [])
      assert.deepStrictEqual(yield* log.hashes(workspaceId, 163, 164), ["", last.eventHash ?? ""])
    })
  )

  reading(
    "a moment names the first event at or after it and the last one before it",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, elsewhere, known } = yield* SharedCorpus
      const rows = known.map(({ row }) => row)
      const moments = rows.flatMap(({ createdAt }) => [createdAt - 1, createdAt, createdAt + 1])
      // Most events are a microsecond apart.
      for (const micros of new Set([0, ...moments])) {
        const expected = rows.find(({ createdAt }) => createdAt >= micros)?.sequence ?? null
        assert.strictEqual(yield* log.sequenceAt(workspaceId, micros), expected, String(micros))
        const before = rows.findLast(({ createdAt }) => createdAt < micros)?.sequence ?? null
        for (const among of [1, 3]) {
          assert.strictEqual(yield* log.sequenceBefore(workspaceId, micros, among), before, String(micros))
        }
      }
      assert.strictEqual(yield* log.sequenceAt(elsewhere, 0), 1)
      const empty = yield* makeWorkspace
      assert.strictEqual(yield* log.sequenceAt(empty, 0), null)
      assert.strictEqual(yield* log.sequenceBefore(empty, Number.MAX_SAFE_INTEGER, 1), null)
    })
  )

  eventPagingContract(storage)
}

/** Registers the tests of reading page by page; part of `eventLogContract` and of `indexedSearchContract`. */
export const eventPagingContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "paging by the last item's time gives every event once, while more are appended",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, known } = yield* makeCorpus
      for (let row = 0; row < 20; row++)
        yield* accept(workspaceId, plainEvents(3), { acceptedAt: NOON + Micros.DAY })
      const appends = yield* Effect.forkChild(
        Effect.repeat(Effect.andThen(Effect.yieldNow, observeAppend(workspaceId, 3)), {
          while: ({ more }) => more
        })
      )
      for (const filter of [{}, { resource: "document" }, { search: "user_agent" }]) {
        const expected = known
          .filter(({ row, content }) => matches(filter, content, row.createdAt))
          .map(({ row }) => row.id)
        const seen: Array<string> = []
        for (let before: number | null = known[180]?.row.createdAt ?? null; before !== null; ) {
          const page: ReadonlyArray<LogEntry> = yield* log.page(workspaceId, { filter, before, limit: 7 })
          for (const { createdAt } of page) assert.isBelow(createdAt, before, "a page goes back")
          seen.push(...page.map(({ id }) => id))
          before = page.at(-1)?.createdAt ?? null
          yield* Effect.yieldNow
        }
        const last = known[180]?.row.id
        assert.deepStrictEqual(seen, expected.filter((id) => id !== last).toReversed())
      }
      yield* Fiber.join(appends)
      assert.lengthOf(yield* log.page(workspaceId, { filter: {}, before: null, limit: 1_000 }), 241)
    })
  )
}
