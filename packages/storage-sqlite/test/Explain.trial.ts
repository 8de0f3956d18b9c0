import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { TreeStore } from "@cairn/core/checkpoint"
import type { EventFilter } from "@cairn/core/event"
import { Randomness } from "@cairn/core/hashing"
import { EventLog } from "@cairn/core/log"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { newWorkspace } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import { fillLog, indexLog, time } from "./FilledLog.ts"

/** Of which the index has some in groups that are complete, some in frames of another, and some in none. */
const EVENTS = 200_000

const folder = quickFolder("cairn-explain-")
const filename = join(folder, "cairn.db")
const cairn = ManagedRuntime.make(Layer.mergeAll(SqliteStorage.layer({ filename }), Randomness.layer))
afterAll(async () => {
  await cairn.dispose()
  rmSync(folder, { recursive: true, force: true })
})

const prepare = DatabaseSync.prototype.prepare
const sent = new Set<string>()
const TABLE =
  /\b(?:FROM|JOIN)\s+(?:event|tree_tile|search_frame|search_part|search_posting|search_order|search_position)\b/

describe("of a long log, SQLite reads from an index", { timeout: 300_000 }, () => {
  let workspaceId = ""
  let logReader: DatabaseSync
  let indexReader: DatabaseSync
  beforeAll(async () => {
    workspaceId = await cairn.runPromise(newWorkspace)
    const db = new DatabaseSync(filename)
    fillLog(db, EVENTS)
    db.close()
    await cairn.runPromise(indexLog)
    logReader = new DatabaseSync(filename, { readOnly: true })
    indexReader = new DatabaseSync(siblingFile(filename, "search"), { readOnly: true })
  }, 300_000)
  afterAll(() => {
    DatabaseSync.prototype.prepare = prepare
    logReader?.close()
    indexReader?.close()
  })

  /**
   * Runs it, and gives the plans of the statements on the log, its tree and its index that were prepared for
   * it, each of which is prepared once only.
   */
  const plansOf = async (what: string, run: Effect.Effect<unknown, unknown, EventLog | TreeStore>) => {
    const statements: Array<string> = []
    DatabaseSync.prototype.prepare = function (sql) {
      if (TABLE.test(sql) && !sent.has(sql)) statements.push(sql)
      sent.add(sql)
      return prepare.call(this, sql)
    }
    await cairn.runPromise(run)
    DatabaseSync.prototype.prepare = prepare
    return statements.flatMap((sql) =>
      prepare
        .call(sql.includes("search_") ? indexReader : logReader, `EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => ({ what, sql, detail: String(detail) }))
    )
  }

  /** Filters with how many events they let through. */
  const filters: ReadonlyArray<readonly [filter: EventFilter, found: number]> = [
    [{}, EVENTS],
    [{ action: "document.deleted" }, EVENTS / 5],
    [{ action: "document.*" }, EVENTS],
    [{ action: "nothing.*" }, 0],
    [{ actorId: "actor-7" }, EVENTS / 1_000],
    [{ resource: "document" }, EVENTS],
    [{ resourceId: "doc-7" }, EVENTS / 5_000],
    [{ tenantId: "tenant-7" }, EVENTS / 50],
    [{ sessionId: "session-7" }, 20],
    [{ targetType: "vault" }, EVENTS / 1_000],
    [{ targetId: "folder-7" }, EVENTS / 5_000],
    [{ targetType: "vault", targetId: "folder-3" }, EVENTS / 5_000],
    [{ from: time(30_000), to: time(30_100) }, 101],
    [{ action: "document.read", tenantId: "tenant-7", resource: "document" }, EVENTS / 50],
    [{ action: "document.*", tenantId: "tenant-7", targetType: "folder" }, EVENTS / 50],
    [{ search: "document.deleted" }, EVENTS / 5],
    [{ search: "no such thing" }, 0],
    [{ search: "DOCUMENT.READ", tenantId: "tenant-7" }, EVENTS / 50]
  ]

  it("every page and every count", async () => {
    let steps = 0
    for (const [filter, found] of filters) {
      const what = JSON.stringify(filter)
      const plans = await plansOf(
        what,
        Effect.gen(function* () {
          const log = yield* EventLog
          const page = yield* log.page(workspaceId, { filter, before: null, limit: 50 })
          assert.lengthOf(page, Math.min(50, found), what)
          yield* log.page(workspaceId, { filter, before: time(EVENTS / 2), limit: 50 })
          const all = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }
          assert.strictEqual(yield* log.count(workspaceId, filter, all), found, what)
        })
      )
      steps += plans.length
      for (const { detail, sql } of plans) {
        assert.notMatch(detail, /^SCAN (?:e|event|search_\w+)\b|TEMP B-TREE/, `${what}\n${sql}`)
        // By its workspace alone, it would read all that a log has; but for its position and its first frame.
        if (!/search_position|ORDER BY first LIMIT 1$/.test(sql.trim()))
          assert.notMatch(detail, /\(workspace=\?\)/, `${what}\n${sql}`)
      }
    }
    assert.isAbove(steps, filters.length)
  })

  it("the order of occurrence: the spans of all groups, and all else by its number", async () => {
    const range = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }
    const plans = await plansOf(
      "occurrences",
      Effect.gen(function* () {
        const log = yield* EventLog
        for (const [filter, found] of filters) {
          const what = JSON.stringify(filter)
          const asked = { filter, range, limit: 50 }
          for (const first of ["newest", "oldest"] as const) {
            const places = yield* log.occurrences(workspaceId, { ...asked, first, beyond: null })
            assert.lengthOf(places, Math.min(50, found), what)
          }
          const beyond = { occurredAt: time(EVENTS / 2), sequence: EVENTS / 2 }
          yield* log.occurrences(workspaceId, { ...asked, first: "newest", beyond })
          const counts = yield* log.occurrenceCounts(workspaceId, { filter, range, bucket: null })
          assert.strictEqual(counts.get(0) ?? 0, found, what)
          yield* log.occurrenceFacets(workspaceId, {
            filter,
            range,
            field: "actor",
            prefix: "",
            most: 1_000
          })
        }
        assert.lengthOf(yield* log.entriesOf(workspaceId, [7, EVENTS, EVENTS / 2]), 3)
      })
    )
    for (const statement of [
      /latest, events FROM search_order\s/,
      /blob FROM search_order\s/,
      /SELECT number, first, earliest, latest FROM search_frame\s/
    ])
      assert.isTrue(
        plans.some(({ sql }) => statement.test(sql)),
        String(statement)
      )
    for (const { detail, sql } of plans) {
      assert.notMatch(detail, /^SCAN (?:e|event|search_\w+)\b/, sql)
      // Of what waits for the index, blocks are told by how many of their events were removed.
      if (!/GROUP BY e\.sequence >> 10$/.test(sql)) assert.notMatch(detail, /TEMP B-TREE/, sql)
      // The spans of all groups are read; of the log itself, its last event.
      const isOfWorkspace = /latest, events FROM search_order\s|ORDER BY e\.sequence DESC LIMIT 1$/.test(sql)
      if (!isOfWorkspace) assert.notMatch(detail, /\(workspace=\?\)/, sql)
    }
  })

  it("one event, a stretch of the log and a moment", async () => {
    const plans = await plansOf(
      "one",
      Effect.gen(function* () {
        const log = yield* EventLog
        assert.isTrue((yield* log.get(workspaceId, "evt-150000"))._tag === "Some")
        assert.strictEqual(yield* log.sequenceAt(workspaceId, time(150_000)), 150_000)
        assert.strictEqual(yield* log.sequenceBefore(workspaceId, time(150_000), 10), 149_999)
      })
    )
    assert.isNotEmpty(plans)
    for (const { detail, sql } of plans) assert.match(detail, /^SEARCH .* USING (?:COVERING )?INDEX/, sql)
  })

  it("the tiles of a proof, each by its place", async () => {
    const tiles = [0, 1, 2].flatMap((level) => [3, 7].map((index) => ({ level, index })))
    const plans = await plansOf(
      "tiles",
      Effect.flatMap(TreeStore, (store) => store.read(workspaceId, tiles))
    )
    const reads = plans.filter(({ detail }) => detail.includes("tree_tile"))
    assert.lengthOf(reads, 3)
    for (const { detail, sql } of reads) assert.include(detail, "workspace_id=? AND level=? AND tile=?", sql)
  })
})
