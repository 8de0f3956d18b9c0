/** What a backup leaves behind that does not come to its end, and what becomes of it. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { backupTo, openAuditLog } from "@cairn/storage-sqlite"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"

const folder = mkdtempSync(join(tmpdir(), "cairn-backups-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const database = join(folder, "data", "cairn.db")
beforeAll(async () => {
  const log = await openAuditLog({ file: database })
  await log.close()
})

const BACKUP = ["a.db", "a-consumers.db", "a-inbox.db", "a-search.db"]
const FILES = ["", "-consumers", "-inbox", "-search"]

const host = hostname().replace(/[^A-Za-z0-9.]/g, "_")
const owned = (target: string, machine: string, pid: number) => `.${target}.backup-${machine}-${pid}-0123abcd`

/** The number of a process that has ended. */
const gone = spawnSync(process.execPath, ["--version"]).pid

const backUp = (place: string) =>
  Effect.runPromise(backupTo(database, join(place, "a.db"), Date.now() * 1_000))

describe("an unfinished backup", () => {
  const DAYS_AGO = new Date(Date.now() - 2 * 86_400_000)
  it.each([
    ["of a process that is gone", owned("old.db", host, gone), undefined, false],
    ["of a process that goes on", owned("old.db", host, process.ppid), undefined, true],
    ["of an earlier process with this number", owned("old.db", host, process.pid), DAYS_AGO, false],
    ["of another machine, lately", owned("old.db", "elsewhere", gone), undefined, true],
    ["of another machine, long ago", owned("old.db", "elsewhere", gone), DAYS_AGO, false],
    ["of cairn copy", "old.db.partial", DAYS_AGO, true]
  ] as const)("%s stays or goes with the next backup", async (_, name, writtenAt, stays) => {
    const place = mkdtempSync(join(folder, "place-"))
    const left = [...FILES.map((file) => `${name}${file}`), `${name}-inbox-journal`]
    for (const file of left) {
      writeFileSync(join(place, file), "")
      if (writtenAt !== undefined) utimesSync(join(place, file), writtenAt, writtenAt)
    }
    await backUp(place)
    assert.sameMembers(readdirSync(place), [...BACKUP, ...(stays ? left : [])])
  })

  it("that was killed while its files got their names does not stand in the way", async () => {
    const place = mkdtempSync(join(folder, "place-"))
    for (const file of [
      "a-search.db",
      "a-consumers.db",
      owned("a.db", host, gone),
      `${owned("a.db", host, gone)}-inbox`
    ])
      writeFileSync(join(place, file), "")
    await backUp(place)
    assert.sameMembers(readdirSync(place), BACKUP)
  })

  it("is removed by the time that it is stopped, in the middle of a file", async () => {
    // Many steps: a copy that goes on to its end has its names by then.
    const big = join(folder, "big", "cairn.db")
    await (await openAuditLog({ file: big })).close()
    const db = new DatabaseSync(big)
    db.exec("CREATE TABLE filler (bytes BLOB)")
    for (let row = 0; row < 64; row++) db.exec("INSERT INTO filler VALUES (zeroblob(1048576))")
    db.close()
    const place = mkdtempSync(join(folder, "place-"))
    const fiber = Effect.runFork(backupTo(big, join(place, "b.db"), Date.now() * 1_000))
    const isCopying = () =>
      readdirSync(place).some((name) => /^\.b\.db\.backup-[^-]*-\d+-[0-9a-f]{8}$/.test(name))
    while (!isCopying() && fiber.pollUnsafe() === undefined)
      await new Promise((resolve) => setImmediate(resolve))
    await Effect.runPromise(Fiber.interrupt(fiber))
    assert.isEmpty(readdirSync(place))
    const exit = fiber.pollUnsafe()
    assert.isTrue(exit !== undefined && Exit.hasInterrupts(exit))
  })

  it("has one snapshot of a file that is written meanwhile", async () => {
    const place = mkdtempSync(join(folder, "place-"))
    const busy = join(place, "busy", "cairn.db")
    await (await openAuditLog({ file: busy })).close()
    const db = new DatabaseSync(busy)
    db.exec("CREATE TABLE filler (bytes BLOB); CREATE TABLE tick (at INTEGER)")
    for (let row = 0; row < 64; row++) db.exec("INSERT INTO filler VALUES (zeroblob(1048576))")
    const fiber = Effect.runFork(backupTo(busy, join(place, "copy", "c.db"), Date.now() * 1_000))
    // More often than a copy has steps.
    while (fiber.pollUnsafe() === undefined) {
      db.exec("INSERT INTO tick VALUES (1)")
      await new Promise((resolve) => setImmediate(resolve))
    }
    const written = Number(db.prepare("SELECT count(*) AS n FROM tick").get()?.n)
    db.close()
    await Effect.runPromise(Fiber.join(fiber))
    const copy = new DatabaseSync(join(place, "copy", "c.db"), { readOnly: true })
    assert.deepStrictEqual(copy.prepare("PRAGMA integrity_check").all(), [{ integrity_check: "ok" }])
    assert.isBelow(Number(copy.prepare("SELECT count(*) AS n FROM tick").get()?.n), written)
    copy.close()
  })
})
