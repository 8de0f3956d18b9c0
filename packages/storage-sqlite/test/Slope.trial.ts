import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { EventFilter } from "@cairn/core/event"
import { Randomness } from "@cairn/core/hashing"
import { EventLog } from "@cairn/core/log"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { newWorkspace } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll } from "vitest"
import { fillLog, indexLog, time } from "./FilledLog.ts"

/** Of which three groups of the index are complete, so that a page is found in as many of either log. */
const SMALL = 60_000
const LARGE = 300_000
/** Events of a page: few, as the rarest filter selects twelve events of the small log. */
const LIMIT = 5

const PAGE_BYTES = 4_096
/**
 * Pages that a larger log may cost in any case: its trees are a level deeper, and each statement descends
 * some of them.
 */
const DEEPER = 10

const folder = quickFolder("cairn-slope-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const storage = (events: number) =>
  Layer.mergeAll(SqliteStorage.layer({ filename: join(folder, `${events}.db`) }), Randomness.layer)

/** Bytes that this process has read so far, from files that are in memory too. */
const bytesRead = (): number =>
  Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1] ?? Number.NaN)

const filters: ReadonlyArray<EventFilter> = [
  {},
  { action: "document.deleted" },
  { action: "document.*" },
  { action: "nothing.*" },
  { actorId: "actor-7" },
  { resource: "document" },
  { resourceId: "doc-7" },
  { tenantId: "tenant-7" },
  { sessionId: "session-7" },
  { targetType: "vault" },
  { targetId: "folder-7" },
  { targetType: "folder", targetId: "folder-7" },
  { action: "document.read", tenantId: "tenant-7", resource: "document" },
  { action: "document.*", tenantId: "tenant-7", targetType: "folder" },
  { search: "document.deleted" },
  { search: "document.created", resourceId: "doc-5" }
]

describe.runIf(process.platform === "linux")(
  "the cost of a page of a list, in what is read of the file",
  () => {
    const workspaceIds = new Map<number, string>()
    beforeAll(async () => {
      for (const events of [SMALL, LARGE]) {
        const id = await Effect.runPromise(newWorkspace.pipe(Effect.provide(storage(events)), Effect.orDie))
        workspaceIds.set(events, id)
        const db = new DatabaseSync(join(folder, `${events}.db`))
        fillLog(db, events)
        db.close()
        await Effect.runPromise(indexLog.pipe(Effect.provide(storage(events)), Effect.orDie))
      }
    }, 120_000)

    /** What a page costs a process that has read nothing yet. */
    const cost = (events: number, filter: EventFilter, before: number | null): Promise<number> =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const start = bytesRead()
        yield* log.page(workspaceIds.get(events) ?? "", { filter, before, limit: LIMIT })
        return bytesRead() - start
      }).pipe(Effect.provide(storage(events)), Effect.runPromise)

    it.each(filters)("does not grow with the log: %j", async (filter) => {
      for (const middle of [false, true]) {
        const of = (events: number) => cost(events, filter, middle ? time(events / 2) : null)
        const [small, large] = [await of(SMALL), await of(LARGE)]
        assert.isAbove(small, 0)
        const most = 2 * small + DEEPER * PAGE_BYTES
        assert.isAtMost(large, most, middle ? "in the middle" : "the first page")
      }
    })
  }
)
