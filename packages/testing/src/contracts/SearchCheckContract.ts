/** The contract of the port `StoreCheck`, as far as it is about the search index. */
import { Micros } from "@cairn/core/encoding"
import { EventLog, FRAME_EVENTS, SearchIndexer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { StoreCheck, type StoreDamage } from "@cairn/core/verification"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { all } from "../generators/EventCorpus.ts"
import {
  accept,
  importHistory,
  makeWorkspace,
  NOON,
  plainEvents,
  readLog,
  type StorageServices,
  sequenceAll,
  useCases
} from "./StorageSteps.ts"

/** The ports that the tests use beside those of the log. */
type CheckedServices = SearchIndexer | ContentRemoval | StoreCheck

/** An empty storage whose search index can be damaged. */
export interface CheckedStorage {
  readonly layer: Layer.Layer<StorageServices | CheckedServices, unknown>
  /** Runs a statement on the tables of the index, behind its back. */
  readonly change: (statement: string) => Promise<unknown>
}

/** Frames of the log: the first has legacy events and chained ones. */
const FRAMES = 3
const LEGACY = 20

/** What every event of the chain has, but the one that begins it. */
const FOUND = "figures"

/** Indexes until there is not enough for another frame; returns how many events. */
const indexAll = Effect.gen(function* () {
  const { advance } = yield* SearchIndexer
  let all = 0
  for (let count = yield* advance; count > 0; count = yield* advance) all += count
  return all
})

const makeLog = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace
  yield* importHistory(workspaceId, plainEvents(LEGACY), NOON - Micros.DAY)
  const events = Array.from({ length: FRAMES * FRAME_EVENTS - LEGACY }, (_, index) => ({
    actor_id: "ada",
    action: "document.read",
    resource_name: `${FOUND} of ${index}`
  }))
  yield* accept(workspaceId, events)
  yield* sequenceAll
  yield* indexAll
  return workspaceId
})

const damages = Effect.map(
  Effect.flatMap(StoreCheck, ({ check }) => check),
  (found): ReadonlyArray<StoreDamage> => found.damages
)

/** Removes the contents of some events of a log, by their places in it. */
const removeAt = Effect.fnUntraced(function* (workspaceId: string, from: number, to: number) {
  const events = (yield* readLog(workspaceId))
    .slice(from, to)
    .map(({ sequence, id, content, contentHash }) => ({
      sequence,
      id,
      content: content ?? "",
      contentHash: contentHash ?? "0".repeat(64)
    }))
  yield* (yield* ContentRemoval).remove(workspaceId, events, null)
})

/** Registers the tests. `storage` is called once for each. */
export const searchCheckContract = (name: string, storage: () => CheckedStorage): void => {
  describe(`the check of the search index on ${name}`, { timeout: 60_000 }, () => {
    it.live("finds no damage in a sound one, also with history and where contents were removed", () =>
      Effect.gen(function* () {
        const workspaceId = yield* makeLog
        assert.deepStrictEqual(yield* damages, [])
        // Some of a frame, all of the next, and all.
        for (const [from, to] of [
          [10, 30],
          [FRAME_EVENTS, 2 * FRAME_EVENTS],
          [0, FRAMES * FRAME_EVENTS]
        ] as const) {
          yield* removeAt(workspaceId, from, to)
          assert.deepStrictEqual(yield* damages, [], `without the contents from ${from} to ${to}`)
        }
      }).pipe(Effect.provide(useCases<CheckedServices>(storage().layer)))
    )

    it.live("finds each frame that is gone, and that all are", () => {
      const { layer, change } = storage()
      return Effect.gen(function* () {
        const run = (statement: string) => Effect.promise(() => change(statement))
        const workspaceId = yield* makeLog
        yield* run("CREATE TABLE kept AS SELECT * FROM search_frame")
        const gone = [...Array.from({ length: FRAMES }, (_, number) => `number = ${number}`), "number >= 0"]
        for (const which of gone) {
          yield* run(`DELETE FROM search_frame WHERE ${which}`)
          const [damage, ...others] = yield* damages
          assert.deepStrictEqual(others, [], which)
          assert.strictEqual(damage?.where, "the search index", which)
          assert.match(damage?.what ?? "", /^\d+ of \d+ events of \S+ are not found/, which)
          assert.include(damage?.what, workspaceId, which)
          yield* run("DELETE FROM search_frame")
          yield* run("INSERT INTO search_frame SELECT * FROM kept")
        }
        yield* run("DROP TABLE kept")
        assert.deepStrictEqual(yield* damages, [])
      }).pipe(Effect.provide(useCases<CheckedServices>(layer)))
    })

    it.live(
      "finds an index sound that was emptied while it is in use, and that follows the log again",
      () => {
        const { layer, change } = storage()
        return Effect.gen(function* () {
          yield* makeLog
          for (let times = 0; times < 2; times++) {
            for (const table of ["search_frame", "search_part", "search_position"])
              yield* Effect.promise(() => change(`DELETE FROM ${table}`))
            assert.strictEqual(yield* indexAll, FRAMES * FRAME_EVENTS)
            assert.deepStrictEqual(yield* damages, [])
          }
        }).pipe(Effect.provide(useCases<CheckedServices>(layer)))
      }
    )

    it.live("finds frames that are damaged; searches stay exact, and removals write them anew", () => {
      const { layer, change } = storage()
      return Effect.gen(function* () {
        const log = yield* EventLog
        const workspaceId = yield* makeLog
        const expect = Effect.fnUntraced(function* (search: string, count: number, what: string) {
          const filter = { search }
          assert.strictEqual(yield* log.count(workspaceId, filter, all), count, what)
          const page = yield* log.page(workspaceId, { filter, before: null, limit: 1_000 })
          const found = page.map(({ sequence }) => sequence)
          assert.strictEqual(found.length, count, what)
          assert.deepStrictEqual(
            found,
            found.toSorted((one, other) => other - one),
            what
          )
        })
        let left = FRAMES * FRAME_EVENTS - LEGACY
        for (const damage of ["substr(blob, 1, length(blob) / 2)", "substr(blob, 1, 0)"]) {
          for (const which of ["number = 0", "number = 1", `number < ${FRAMES}`]) {
            const what = `${damage} where ${which}`
            yield* Effect.promise(() => change(`UPDATE search_frame SET blob = ${damage} WHERE ${which}`))
            yield* expect(FOUND.toUpperCase(), left, what)
            yield* expect(`${FOUND} of 300`, 1, what)
            assert.deepStrictEqual(
              yield* damages,
              [{ where: "the search index", what: `a frame of ${workspaceId} cannot be read` }],
              what
            )
            // Each frame loses its last events.
            for (let frame = 1; frame <= FRAMES; frame++) {
              const end = frame * FRAME_EVENTS - (FRAMES * FRAME_EVENTS - LEGACY - left) / FRAMES
              yield* removeAt(workspaceId, end - 2, end)
            }
            left -= 2 * FRAMES
            yield* expect(FOUND, left, what)
            assert.deepStrictEqual(yield* damages, [], what)
          }
        }
      }).pipe(Effect.provide(useCases<CheckedServices>(layer)))
    })
  })
}
