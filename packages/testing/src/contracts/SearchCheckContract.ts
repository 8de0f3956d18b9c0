/** The contract of the port `StoreCheck`, as far as it is about the search index. */
import { Micros } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import { EventLog, FRAME_EVENTS, GROUP_FRAMES, SearchIndexer } from "@cairn/core/log"
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
  /** The same storage, with two events a frame. */
  readonly smallFrames: Layer.Layer<StorageServices | CheckedServices, unknown>
  /** Runs a statement on the tables of the index, behind its back. */
  readonly change: (statement: string) => Promise<unknown>
}

/** Frames of the log: the first has the legacy events. */
const FRAMES = 3
const LEGACY = 20
/** Events of the log that are in frames. */
const FRAMED = LEGACY + (FRAMES - 1) * FRAME_EVENTS

/** Events of a log whose frames of two are a group that is complete and some of the next. */
const GROUPED = 2 * GROUP_FRAMES + 20
/** Of them, those whose name has a number that begins with 7: 7 and 70 to 79. */
const SEVENS = 11

/** What every event of the chain has, but the one that begins it. */
const FOUND = "figures"

/** Indexes until there is not enough for another frame; returns how many events. */
const indexAll = Effect.gen(function* () {
  const { advance } = yield* SearchIndexer
  let all = 0
  for (let count = yield* advance; count > 0; count = yield* advance) all += count
  return all
})

/** A log of so many events, with the one that begins its chain, which are all indexed. */
const makeLogOf = Effect.fnUntraced(function* (length: number) {
  const workspaceId = yield* makeWorkspace
  yield* importHistory(workspaceId, plainEvents(LEGACY), NOON - Micros.DAY)
  const events = Array.from({ length: length - LEGACY }, (_, index) => ({
    actor_id: "ada",
    action: "document.read",
    resource_name: `${FOUND} of ${index}`,
    targets: [{ type: "folder", id: `f-${index % 2}` }]
  }))
  yield* accept(workspaceId, events)
  yield* sequenceAll
  yield* indexAll
  return workspaceId
})

const makeLog = makeLogOf(FRAMED)

/** Expects a filter to select so many events: as a list of them, and as a count. */
const expectFound = Effect.fnUntraced(function* (
  workspaceId: string,
  filter: EventFilter,
  count: number,
  what: string
) {
  const log = yield* EventLog
  const told = `${JSON.stringify(filter)}: ${what}`
  assert.strictEqual(yield* log.count(workspaceId, filter, all), count, told)
  const page = yield* log.page(workspaceId, { filter, before: null, limit: 1_000 })
  const found = page.map(({ sequence }) => sequence)
  assert.strictEqual(found.length, count, told)
  assert.deepStrictEqual(
    found,
    found.toSorted((one, other) => other - one),
    told
  )
})

/** Half of a blob, and nothing of it. */
const damaged = (blob: string) => [`substr(${blob}, 1, length(${blob}) / 2)`, `substr(${blob}, 1, 0)`]

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
  describe(`the check of the search index on ${name}`, { timeout: 180_000 }, () => {
    it.live("finds no damage in a sound one, also with history and where contents were removed", () =>
      Effect.gen(function* () {
        const workspaceId = yield* makeLog
        assert.deepStrictEqual(yield* damages, [])
        // Some of a frame, all of the next, and all.
        for (const [from, to] of [
          [10, 30],
          [LEGACY, LEGACY + FRAME_EVENTS],
          [0, FRAMED]
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
        const gone = ["number = 0", `number = ${FRAMES - 1}`, "number >= 0"]
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
            for (const table of [
              "search_frame",
              "search_part",
              "search_posting",
              "search_order",
              "search_position"
            ])
              yield* Effect.promise(() => change(`DELETE FROM ${table}`))
            assert.strictEqual(yield* indexAll, FRAMED)
            assert.deepStrictEqual(yield* damages, [])
          }
        }).pipe(Effect.provide(useCases<CheckedServices>(layer)))
      }
    )

    it.live("finds frames that are damaged; what is asked stays exact, and removals write them anew", () => {
      const { layer, change } = storage()
      return Effect.gen(function* () {
        const workspaceId = yield* makeLog
        let left = FRAMED - LEGACY
        // Of one frame and of all, half of a blob and nothing of it.
        const which = ["number = 1", `number < ${FRAMES}`]
        const cases = [...damaged("texts"), ...damaged("columns").toReversed()].map((damage, at) => ({
          damage,
          which: which[at % 2]
        }))
        for (const { damage, which } of cases) {
          const what = `${damage} where ${which}`
          const column = damage.includes("texts") ? "texts" : "columns"
          yield* Effect.promise(() => change(`UPDATE search_frame SET ${column} = ${damage} WHERE ${which}`))
          yield* expectFound(workspaceId, { search: FOUND.toUpperCase() }, left, what)
          yield* expectFound(workspaceId, { search: `${FOUND} of 300` }, 1, what)
          yield* expectFound(workspaceId, { actorId: "ada", targetType: "folder" }, left, what)
          yield* expectFound(workspaceId, { actorId: "ada", search: `${FOUND} of 300` }, 1, what)
          assert.deepStrictEqual(
            yield* damages,
            [{ where: "the search index", what: `a frame of ${workspaceId} cannot be read` }],
            what
          )
          // Each frame loses its last event.
          const lost = (FRAMED - LEGACY - left) / (FRAMES - 1)
          for (let frame = 0; frame < FRAMES; frame++) {
            const end = LEGACY + frame * FRAME_EVENTS - lost
            yield* removeAt(workspaceId, end - 1, end)
          }
          left -= FRAMES - 1
          yield* expectFound(workspaceId, { search: FOUND }, left, what)
          yield* expectFound(workspaceId, { actorId: "ada" }, left, what)
          assert.deepStrictEqual(yield* damages, [], what)
        }
      }).pipe(Effect.provide(useCases<CheckedServices>(layer)))
    })

    it.live("finds postings that are damaged; filters stay exact, and a removal writes them anew", () => {
      const { smallFrames, change } = storage()
      return Effect.gen(function* () {
        const workspaceId = yield* makeLogOf(GROUPED)
        let left = GROUPED - LEGACY
        for (const damage of damaged("blob")) {
          yield* Effect.promise(() => change(`UPDATE search_posting SET blob = ${damage}`))
          yield* expectFound(workspaceId, { actorId: "ada" }, left, damage)
          yield* expectFound(workspaceId, { action: "document.*", targetId: "f-0" }, left / 2, damage)
          yield* expectFound(workspaceId, { targetType: "folder", search: `${FOUND} of 7` }, SEVENS, damage)
          assert.deepStrictEqual(
            yield* damages,
            [{ where: "the search index", what: `a frame of ${workspaceId} cannot be read` }],
            damage
          )
          const end = LEGACY + 1 + GROUPED - LEGACY - left
          yield* removeAt(workspaceId, end, end + 2)
          left -= 2
          yield* expectFound(workspaceId, { actorId: "ada" }, left, damage)
          assert.deepStrictEqual(yield* damages, [], damage)
        }
      }).pipe(Effect.provide(useCases<CheckedServices>(smallFrames)))
    })

    it.live("finds that postings and signatures of a complete group are gone", () => {
      const { smallFrames, change } = storage()
      return Effect.gen(function* () {
        const run = (statement: string) => Effect.promise(() => change(statement))
        const workspaceId = yield* makeLogOf(GROUPED)
        for (const table of ["search_posting", "search_part", "search_order"]) {
          yield* run(`CREATE TABLE kept AS SELECT * FROM ${table}`)
          yield* run(`DELETE FROM ${table}`)
          const [damage, ...others] = yield* damages
          assert.deepStrictEqual(others, [], table)
          assert.include(damage?.what, `${workspaceId} are not found by their words and values`, table)
          yield* run(`INSERT INTO ${table} SELECT * FROM kept`)
          yield* run("DROP TABLE kept")
        }
        assert.deepStrictEqual(yield* damages, [])
      }).pipe(Effect.provide(useCases<CheckedServices>(smallFrames)))
    })
  })
}
