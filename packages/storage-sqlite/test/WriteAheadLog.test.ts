/**
 * A write-ahead log with any one byte inverted is reported as damaged, and one that only a crash has ended is
 * not.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { walDamage } from "../src/WriteAheadLog.ts"
import { type FileName, fileOf, NAMES, remove, start } from "./RestoredFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-wal-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A frame and its page of 512 bytes. */
const FRAME = 24 + 512
const HEADER = 32

/** What `kill -9` leaves of a database of `commits` rows, one a commit, after which `end` was done. */
const crashed = (name: string, commits: number, end: (db: DatabaseSync) => void = () => {}) => {
  const filename = join(folder, `${name}.db`)
  const db = new DatabaseSync(join(folder, `${name}-open.db`))
  db.exec("PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
  db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
  for (let row = 0; row < commits; row++) db.exec(`INSERT INTO t (text) VALUES ('${"x".repeat(300)}')`)
  end(db)
  for (const suffix of ["", "-wal"]) copyFileSync(`${db.location()}${suffix}`, filename + suffix)
  db.close()
  return filename
}

const rowsOf = (filename: string): number => {
  const db = new DatabaseSync(filename)
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 't'").get() !== undefined
  const rows = hasTable ? Number(db.prepare("SELECT count(*) AS rows FROM t").get()?.rows) : 0
  db.close()
  return rows
}

describe("a write-ahead log", () => {
  it("with a byte inverted in any frame is found wherever a later commit shows that it was whole", () => {
    const filename = crashed("whole", 12)
    const whole = readFileSync(`${filename}-wal`)
    const base = readFileSync(filename)
    assert.isUndefined(walDamage(filename))
    const places = [0, 3, 9, 17, 22, 26]
    for (let at = HEADER; at < whole.length; at += FRAME)
      places.push(at + 1, at + 6, at + 10, at + 18, at + 200)
    const ends = places.map((at) => {
      const damaged = Buffer.from(whole)
      damaged[at] = 255 - (whole[at] ?? 0)
      writeFileSync(`${filename}-wal`, damaged)
      writeFileSync(filename, base)
      const damage = walDamage(filename)
      const rows = rowsOf(filename)
      rmSync(`${filename}-wal`, { force: true })
      return { at, rows, damage }
    })
    for (const { at, rows, damage } of ends) {
      // Damage in the last commit cannot be distinguished from a crash within it.
      if (rows < 11) assert.isDefined(damage, `byte ${at}: ${rows} of 12 rows are left`)
      if (damage === undefined) continue
      assert.isBelow(rows, 12)
      const frame = at < HEADER ? 0 : Math.floor((at - HEADER) / FRAME) + 1
      assert.strictEqual(damage.frame, frame, `byte ${at}`)
    }
    assert.isAbove(ends.filter(({ damage }) => damage !== undefined).length, 50)
  })

  it("that a crash has ended at any byte is whole", () => {
    const filename = crashed("ended", 5)
    const whole = readFileSync(`${filename}-wal`)
    for (let length = 0; length <= whole.length; length += 57) {
      writeFileSync(`${filename}-wal`, whole.subarray(0, length))
      assert.isUndefined(walDamage(filename), `${length} bytes`)
    }
    writeFileSync(`${filename}-wal`, Buffer.alloc(whole.length))
    assert.isUndefined(walDamage(filename), "never written")
  })

  it("with frames of a transaction that was taken back behind its end is whole", () => {
    const big = (text: string) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO t (text) SELECT hex(randomblob(150)) || '${text}' FROM n`
    const filename = crashed("taken-back", 3, (db) => {
      db.exec("PRAGMA cache_size = 5; BEGIN IMMEDIATE")
      db.exec(big("a"))
      db.exec("ROLLBACK; INSERT INTO t (text) VALUES ('last')")
    })
    assert.isAbove(statSync(`${filename}-wal`).size, HEADER + 100 * FRAME)
    assert.isUndefined(walDamage(filename))
    assert.strictEqual(rowsOf(filename), 4)
  })

  it("that began anew over an older one is whole", () => {
    const filename = crashed("anew", 20, (db) => {
      db.prepare("PRAGMA wal_checkpoint(RESTART)").get()
      db.exec("INSERT INTO t (text) VALUES ('last')")
    })
    assert.isAbove(statSync(`${filename}-wal`).size, HEADER + 20 * FRAME)
    assert.isUndefined(walDamage(filename))
    assert.strictEqual(rowsOf(filename), 21)
  })
})

describe("a database whose write-ahead log is damaged", () => {
  for (const name of ["inbox", "log", "consumers"] as const satisfies ReadonlyArray<FileName>) {
    it(`says so once, at the start: ${name}`, async () => {
      const filename = join(folder, `service-${name}`, "cairn.db")
      const damaged = join(folder, `damaged-${name}`, "cairn.db")
      const server = await start(filename)
      const workspaceId = await server.newWorkspace()
      for (let round = 0; round < 6; round++) {
        await server.accept(workspaceId, [`${round}`])
        await server.sequence()
        await server.consume(workspaceId)
      }
      // Only the inbox has these, and nothing comes after them.
      for (let event = 0; event < 10; event++) await server.accept(workspaceId, [`waiting ${event}`])
      await (await start(damaged)).stop()
      for (const file of NAMES) {
        remove(damaged, file)
        for (const suffix of ["", "-wal"])
          copyFileSync(`${fileOf(filename, file)}${suffix}`, `${fileOf(damaged, file)}${suffix}`)
      }
      await server.stop()
      const wal = `${fileOf(damaged, name)}-wal`
      const bytes = readFileSync(wal)
      const at = bytes.length - Math.floor(bytes.length / 4)
      bytes[at] = 255 - (bytes[at] ?? 0)
      writeFileSync(wal, bytes)
      assert.strictEqual(dirname(wal), dirname(damaged))
      const again = await start(damaged)
      const told = (lines: ReadonlyArray<string>) =>
        lines.filter((line) => line.includes("write-ahead log") && line.includes(`"file":"${name}"`))
      assert.lengthOf(told(again.told), 1)
      // Killed and started again.
      const another = await start(damaged)
      assert.isEmpty(told(another.told))
      await another.stop()
      await again.stop()
    })
  }
})
