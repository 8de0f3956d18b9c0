/** What signals do to a backup: to a file by the command, and to the store by a server. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { cairn, killLeftovers, loggedErrors, startCairn, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

/** A database whose log takes a second or so to copy. */
const makeBig = async (name: string) => {
  mkdirSync(join(folder, name))
  const database = join(folder, name, "cairn.db")
  await seedTenant(database, { name, events: [{ actor_id: "a", action: "b" }] })
  const db = new DatabaseSync(database)
  db.exec("CREATE TABLE filler (bytes BLOB); BEGIN")
  for (let row = 0; row < 384; row++) db.exec("INSERT INTO filler VALUES (zeroblob(1048576))")
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  db.close()
  return database
}

const filesIn = (path: string) => (existsSync(path) ? readdirSync(path) : [])
/** The log's file, half written. */
const HALF_LOG = /^\.b\.db\.backup-[^-]*-\d+-[0-9a-f]{8}$/

const LINE = "cairn: stopped by a signal before it was done\n"
const JSON_LINE = '{"error":{"code":"interrupted","message":"stopped by a signal before it was done"}}'

describe("a backup to a file", () => {
  const big = makeBig("file")
  const start = async (target: string, flags: ReadonlyArray<string> = []) => {
    const command = startCairn(["backup", target, ...flags], { database: await big })
    const place = join(target, "..")
    await eventually(
      "the log is copied",
      () => filesIn(place).some((file) => HALF_LOG.test(file)) || undefined
    )
    return command
  }

  it.each([
    ["SIGINT", [], LINE],
    ["SIGTERM", [], LINE],
    ["SIGINT", ["--json"], JSON_LINE]
  ] as const)("that %s stops (%j) leaves nothing, and says so", async (signal, flags, said) => {
    const place = join(folder, `stopped-${signal}${flags.join("")}`)
    const command = await start(join(place, "b.db"), flags)
    command.child.kill(signal)
    assert.deepStrictEqual(await command.ended, { code: 130, signal: null })
    assert.strictEqual(command.stderr().replaceAll(/\s*\n\s*|(?<=:) /g, flags.length === 0 ? "$&" : ""), said)
    assert.strictEqual(command.stdout(), "")
    assert.deepStrictEqual(filesIn(place), [])
  })

  it("that is killed leaves what nobody takes for a backup, and the next one removes", async () => {
    const place = join(folder, "killed")
    const command = await start(join(place, "b.db"))
    command.child.kill("SIGKILL")
    await command.ended
    const left = filesIn(place)
    assert.isNotEmpty(left)
    for (const file of left) assert.match(file, /^\.b\.db\.backup-/)
    const restored = await cairn(["restore", join(place, "b.db"), "--dry-run"], {
      database: join(folder, "restored.db")
    })
    assert.strictEqual(restored.code, 2, restored.stderr)
    const next = await cairn(["backup", join(place, "b.db")], { database: await big })
    assert.strictEqual(next.code, 0, next.stderr)
    assert.sameMembers(filesIn(place), ["b.db", "b-consumers.db", "b-inbox.db", "b-search.db"])
  })
})

/** Processes that make a backup for that server. */
const makersOf = (pid: number | undefined) =>
  spawnSync("pgrep", ["-P", String(pid), "-f", "BackupProcess"], { encoding: "utf8" }).stdout.trim()

describe("a backup on a schedule", () => {
  it("ends with the server that is stopped, and leaves nothing", async () => {
    const database = await makeBig("scheduled")
    const place = join(folder, "scheduled")
    const store = join(place, "store", "backups")
    const variables = { CAIRN_BACKUP_STORE: join(place, "store"), CAIRN_BACKUP_EVERY_SECONDS: "1" }
    const server = await startServer({ database, variables })
    /** The folder in which the copy is made. */
    const scratch = () => readdirSync(place).filter((file) => file.startsWith(".cairn.scratch-"))
    const isCopying = () =>
      scratch().some((name) => filesIn(join(place, name)).some((file) => /^\.cairn\.db\.backup-/.test(file)))
    await eventually("the log is copied", () => isCopying() || undefined)
    const maker = makersOf(server.child.pid)
    assert.match(maker, /^\d+$/)
    assert.deepStrictEqual(await server.stop(), { code: 0, signal: null })
    assert.deepStrictEqual(scratch(), [])
    assert.deepStrictEqual(filesIn(store), [])
    assert.isFalse(existsSync(`/proc/${maker}`))
    assert.deepStrictEqual(loggedErrors(server.stderr()), [])
  })
})
