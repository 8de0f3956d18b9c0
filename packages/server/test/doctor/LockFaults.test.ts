/** A program that keeps a file of a SQLite database locked. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { siblingFile } from "@cairn/storage-sqlite"
import { assert, describe, it } from "@effect/vitest"
import { writerOf } from "../../src/doctor/checks/LockChecks.ts"
import { killLeftovers } from "../support/CairnProcess.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { assertFound, assertHealthy, examine } from "./Ward.ts"

killLeftovers()

/** Holds the lock on writing: for good, or for moments within which it commits. */
const holder = async (file: string, commits: boolean) => {
  const script = `
    const db = new (require("node:sqlite").DatabaseSync)(process.argv[1])
    db.exec("CREATE TABLE IF NOT EXISTS passing (a)")
    const again = () => {
      db.exec("BEGIN IMMEDIATE; INSERT INTO passing VALUES (1)")
      if (${commits}) setTimeout(() => { db.exec("COMMIT"); again() }, 40)
    }
    again()
    console.log("holds")
    setTimeout(() => {}, 60000)`
  const child = spawn(process.execPath, ["-e", script, file], { stdio: ["ignore", "pipe", "inherit"] })
  await once(child.stdout, "data")
  return child
}

describe("cairn doctor, of locks on the files of SQLite", () => {
  it("finds the program that keeps one, and none that commits", async () => {
    const folder = join(temporaryFolder(), "locked")
    mkdirSync(folder)
    const database = join(folder, "cairn.db")
    await seedTenant(database)
    const inbox = siblingFile(database, "inbox")
    const all = { CAIRN_DATABASE_URL: `sqlite:${database}` }

    const busy = await holder(inbox, true)
    const healthy = await examine(all, {}, "write-locks")
    busy.kill()
    await once(busy, "exit")
    assertHealthy(healthy)

    const stuck = await holder(inbox, false)
    const results = await examine(all, {}, "write-locks")
    stuck.kill()
    await once(stuck, "exit")
    assertFound(results, {
      check: "write-locks",
      cause: new RegExp(`^process ${stuck.pid} keeps .+cairn-inbox\\.db locked`),
      mend: new RegExp(`kill ${stuck.pid}$`)
    })
    assertHealthy(await examine(all, {}, "write-locks"))
  })

  it("reads the kernel's list of locks", () => {
    const list = [
      "1: POSIX  ADVISORY  READ 7 fe:00:11 120 120",
      "2: POSIX  ADVISORY  WRITE 8 fe:00:12 120 120",
      "2: -> POSIX  ADVISORY  WRITE 9 fe:00:11 120 120",
      "3: FLOCK  ADVISORY  WRITE 10 fe:00:11 0 EOF",
      "4: POSIX  ADVISORY  WRITE 11 fe:00:11 121 127",
      "5: POSIX  ADVISORY  WRITE 12 fe:00:13 0 EOF"
    ].join("\n")
    assert.isUndefined(writerOf(list, 11))
    assert.strictEqual(writerOf(list, 12), 8)
    assert.strictEqual(writerOf(list, 13), 12)
  })
})
