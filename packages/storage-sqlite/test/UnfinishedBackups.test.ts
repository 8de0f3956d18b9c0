/** What a backup leaves behind that does not come to its end, and what becomes of it. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { backupTo, openAuditLog } from "@cairn/storage-sqlite"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

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

  it("is removed when it is stopped", { timeout: 10_000 }, async ({ signal }) => {
    const place = mkdtempSync(join(folder, "place-"))
    const fiber = Effect.runFork(backupTo(database, join(place, "b.db"), Date.now() * 1_000))
    await new Promise((resolve) => setImmediate(resolve))
    await Effect.runPromise(Fiber.interrupt(fiber))
    // The copy of the file that was begun ends by itself.
    while (readdirSync(place).length > 0 && !signal.aborted)
      await new Promise((resolve) => setImmediate(resolve))
    assert.isEmpty(readdirSync(place))
  })
})
