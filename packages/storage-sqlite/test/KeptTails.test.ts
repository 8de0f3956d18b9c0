/** What waits for the index is read once for a filter, and again where it is no longer the same. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { EventFilter } from "@cairn/core/event"
import { Randomness } from "@cairn/core/hashing"
import { eventsOverFrames, FacetCache, frameRows, KeptTails } from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { newWorkspace } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { newestRows } from "../src/NewestRows.ts"
import { make } from "../src/SqliteClient.ts"
import { fillLog } from "./FilledLog.ts"

const folder = quickFolder("cairn-kept-tails-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const EVENTS = 5_000
const ALL = { from: 1, to: Number.MAX_SAFE_INTEGER }

/** A log that has no index, and what reads it with these tails; tells how many rows it has read. */
const openLog = Effect.fnUntraced(function* (name: string, tails: KeptTails) {
  const filename = join(folder, `${name}.db`)
  yield* Effect.provide(newWorkspace, [SqliteStorage.layer({ filename }), Randomness.layer])
  const log = yield* make({ filename })
  const search = yield* make({ filename: siblingFile(filename, "search"), readonly: true })
  let rows = 0
  const newest = newestRows(log)
  const index = eventsOverFrames({
    sql: log,
    store: frameRows(search),
    readNewest: (...request) =>
      Effect.tap(newest(...request), (read) => Effect.sync(() => (rows += read.length))),
    cache: new FacetCache(0),
    tails
  })
  const ask = (filter: EventFilter) =>
    index.occurrences(1, { filter, range: ALL, first: "newest", beyond: null, limit: 3 })
  return { log, ask, read: () => rows }
})

describe("events that wait for the index", { timeout: 60_000 }, () => {
  it.live("are read once for a filter, and then those that came since", () =>
    Effect.gen(function* () {
      const { log, ask, read } = yield* openLog("once", new KeptTails(1_000_000))
      fillLog(log.database.db, EVENTS)
      const before = yield* ask({})
      assert.strictEqual(read(), EVENTS)
      assert.deepStrictEqual(yield* ask({}), before)
      assert.strictEqual(read(), EVENTS)
      yield* log`
        INSERT INTO event (workspace, sequence, id, created_at, content)
        SELECT workspace, sequence + 3, id || 'b', created_at + 3000, content FROM event WHERE sequence > ${EVENTS - 3}`
      const after = yield* ask({})
      assert.strictEqual(read(), EVENTS + 3)
      assert.notDeepEqual(after, before)
      yield* ask({ tenantId: "tenant-7" })
      assert.strictEqual(read(), 2 * (EVENTS + 3))
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("are read each time where there is no room", () =>
    Effect.gen(function* () {
      const { log, ask, read } = yield* openLog("room", new KeptTails(0))
      fillLog(log.database.db, EVENTS)
      for (const times of [1, 2]) {
        yield* ask({})
        assert.strictEqual(read(), times * EVENTS)
      }
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.live("are read again where the log no longer has the last of them", () =>
    Effect.gen(function* () {
      const tails = new KeptTails(1_000_000)
      const [one, other] = [yield* openLog("one", tails), yield* openLog("other", tails)]
      fillLog(one.log.database.db, EVENTS)
      fillLog(other.log.database.db, EVENTS - 1)
      const before = yield* one.ask({})
      const after = yield* other.ask({})
      assert.strictEqual(other.read(), EVENTS - 1)
      assert.strictEqual(before[0]?.sequence, EVENTS)
      assert.strictEqual(after[0]?.sequence, EVENTS - 1)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
