import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Randomness } from "@cairn/core/hashing"
import { Outbox } from "@cairn/core/outbound"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll } from "vitest"

const WORKSPACES = 5
const TARGETS = 20
/** Messages that wait for each receiver. */
const BACKLOG = 2_000

const PAGE_BYTES = 4_096
/** Pages for each receiver: the way down two trees, and the leaves. */
const PAGES = 8

const folder = quickFolder("cairn-outbox-")
const filename = join(folder, "cairn.db")
const cairn = ManagedRuntime.make(Layer.mergeAll(SqliteStorage.layer({ filename }), Randomness.layer))
afterAll(async () => {
  await cairn.dispose()
  rmSync(folder, { recursive: true, force: true })
})

/** Bytes that this process has read so far, from files that are in memory too. */
const bytesRead = (): number =>
  Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1] ?? Number.NaN)

const prepare = DatabaseSync.prototype.prepare

/** The statement that a look for receivers sends. */
const lookStatement = async (): Promise<string> => {
  const statements: Array<string> = []
  DatabaseSync.prototype.prepare = function (sql) {
    if (/\bFROM outbox\b/.test(sql)) statements.push(sql)
    return prepare.call(this, sql)
  }
  await cairn.runPromise(Effect.flatMap(Outbox, ({ receivers }) => receivers("webhook", 1)))
  DatabaseSync.prototype.prepare = prepare
  return statements[0] ?? assert.fail("no statement")
}

describe.runIf(process.platform === "linux")("the look for whom messages wait for", () => {
  it("reads a few pages for each receiver, however many messages wait for it", async () => {
    const look = await lookStatement()
    const file = join(folder, "cairn-consumers.db")
    const db = new DatabaseSync(file)
    db.exec(`
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${WORKSPACES * TARGETS * BACKLOG})
      INSERT INTO outbox (id, workspace_id, channel, target, type, payload, created_at, status, attempts, due_at)
      SELECT 'dlv_' || i, 'wsp_' || (i % ${WORKSPACES}), 'webhook', 'whk_' || (i / ${WORKSPACES} % ${TARGETS}),
        'alert.triggered', '{}', i, 'pending', 0, i + 1 FROM n`)
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    // A connection of its own has nothing in memory yet.
    const reader = new DatabaseSync(file, { readOnly: true })
    const statement = reader.prepare(look)
    const parameters = [...look.matchAll(/\?/g)].map((_, index, all) =>
      index === all.length - 1 ? Number.MAX_SAFE_INTEGER : "webhook"
    )
    const before = bytesRead()
    const found = statement.all(...parameters)
    const pages = (bytesRead() - before) / PAGE_BYTES
    reader.close()
    assert.lengthOf(found, WORKSPACES * TARGETS)
    assert.isBelow(pages, WORKSPACES * TARGETS * PAGES)
  })
})
