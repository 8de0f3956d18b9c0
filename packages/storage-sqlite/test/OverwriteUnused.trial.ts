import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { afterAll } from "vitest"
import { scrubFiles } from "../src/Scrub.ts"

const folder = quickFolder("cairn-unused-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

const NEEDLE = "zqjxneedle"

const occurrences = (filename: string): number => readFileSync(filename, "latin1").split(NEEDLE).length - 1

/** Random numbers that are the same every time. */
const randomFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

const SCHEMA = `
  CREATE TABLE keyed (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
  CREATE TABLE numbered (id INTEGER PRIMARY KEY, name TEXT, value TEXT);
  CREATE INDEX numbered_name ON numbered (name);`

/** A file whose rows came and went in random places; of those with the needle none is left. */
const makeFile = (seed: number, secureDelete: "ON" | "FAST" = "ON") => {
  const filename = join(folder, `${files++}.db`)
  const db = new DatabaseSync(filename, { timeout: 5_000 })
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ${secureDelete}`)
  db.exec(SCHEMA)
  const keyed = db.prepare("INSERT INTO keyed VALUES (?, ?)")
  const numbered = db.prepare("INSERT INTO numbered (name, value) VALUES (?, ?)")
  const random = randomFrom(seed)
  for (let row = 0; row < 3_000; row++) {
    const name = `${random(1_000_000)}-${row % 5 === 3 ? NEEDLE : "thing"}-${row}`
    keyed.run(name, "v".repeat(random(200)))
    numbered.run(name, name.repeat(random(400)))
  }
  db.exec(`DELETE FROM keyed WHERE key LIKE '%${NEEDLE}%'`)
  db.exec(`DELETE FROM numbered WHERE name LIKE '%${NEEDLE}%'`)
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  return { filename, db }
}

const allOf = (db: DatabaseSync) =>
  JSON.stringify([
    db.prepare("SELECT * FROM keyed").all(),
    db.prepare("SELECT * FROM numbered").all(),
    db.prepare("SELECT id FROM numbered ORDER BY name").all()
  ])

const assertSound = (db: DatabaseSync) =>
  assert.deepStrictEqual(
    db
      .prepare("PRAGMA integrity_check")
      .all()
      .map((row) => Object.values(row)),
    [["ok"]]
  )

/** Inserts rows and removes older ones of them until it is told to stop; says how many it has inserted. */
const WRITER = `
  const { DatabaseSync } = require("node:sqlite")
  const { parentPort, workerData } = require("node:worker_threads")
  const db = new DatabaseSync(workerData, { timeout: 5_000 })
  const insert = db.prepare("INSERT INTO keyed VALUES (?, ?)")
  const remove = db.prepare("DELETE FROM keyed WHERE key IN (SELECT key FROM keyed WHERE key LIKE 'new-%' LIMIT 20)")
  let inserted = 0
  const turn = () => {
    for (let n = 0; n < 50; n++) insert.run("new-" + (inserted * 2_654_435_761) % 1_000_003 + "-" + inserted, "x".repeat((inserted++ * 97) % 300))
    remove.run()
  }
  const timer = setInterval(turn, 1)
  parentPort.on("message", () => {
    clearInterval(timer)
    db.close()
    parentPort.postMessage(inserted)
    parentPort.close()
  })`

describe("overwriting the unused bytes of an SQLite file", () => {
  it.live(
    "leaves nothing of removed rows, which secure_delete alone does, and every other row as it was",
    () =>
      Effect.gen(function* () {
        let leftBySecureDelete = 0
        for (let seed = 1; seed <= 8; seed++) {
          const { filename, db } = makeFile(seed)
          leftBySecureDelete += occurrences(filename)
          const before = allOf(db)
          yield* scrubFiles([filename])
          assert.strictEqual(occurrences(filename), 0)
          assert.strictEqual(allOf(db), before)
          db.close()
          const again = new DatabaseSync(filename)
          assert.strictEqual(allOf(again), before)
          assertSound(again)
          again.close()
        }
        assert.isAbove(leftBySecureDelete, 0, "the test has something to find")
      })
  )

  it.live("overwrites the pages that came free", () =>
    Effect.gen(function* () {
      const { filename, db } = makeFile(1, "FAST")
      assert.isAbove(occurrences(filename), 50, "the test has something to find")
      yield* scrubFiles([filename])
      assert.strictEqual(occurrences(filename), 0)
      db.exec("INSERT INTO numbered (name, value) SELECT name, value FROM numbered")
      assertSound(db)
      db.close()
    })
  )

  it.live("is not undone by a connection that still has the pages in memory", () =>
    Effect.gen(function* () {
      const { filename, db } = makeFile(1)
      assert.isAbove(occurrences(filename), 0, "the test has something to find")
      allOf(db)
      yield* scrubFiles([filename])
      // A change on every page, of the same length.
      db.exec("UPDATE keyed SET value = replace(value, 'v', 'w')")
      db.exec("UPDATE numbered SET value = replace(value, 'thing', 'other')")
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      assert.strictEqual(occurrences(filename), 0)
      db.close()
    })
  )

  it.live("takes nothing from somebody who writes meanwhile", () =>
    Effect.gen(function* () {
      const { filename, db } = makeFile(1)
      const before = allOf(db)
      const writer = new Worker(WRITER, { eval: true, workerData: filename })
      for (let round = 0; round < 6; round++) yield* scrubFiles([filename])
      const written = new Promise<number>((resolve) => writer.once("message", resolve))
      writer.postMessage("stop")
      assert.isAbove(yield* Effect.promise(() => written), 0)
      db.exec("DELETE FROM keyed WHERE key LIKE 'new-%'")
      assert.strictEqual(allOf(db), before)
      assertSound(db)
      yield* scrubFiles([filename])
      assert.strictEqual(occurrences(filename), 0)
      db.close()
    })
  )

  it.live("waits for who reads for long, and holds nobody up meanwhile", () =>
    Effect.gen(function* () {
      const { filename, db } = makeFile(1)
      const reader = new DatabaseSync(filename)
      reader.exec("BEGIN; SELECT count(*) FROM keyed")
      db.exec("INSERT INTO keyed VALUES ('before', '')")
      const scrubbing = yield* Effect.forkChild(scrubFiles([filename]))
      let longest = 0
      for (let row = 0; row < 40; row++) {
        const began = performance.now()
        db.exec(`INSERT INTO keyed VALUES ('during ${row}', '')`)
        longest = Math.max(longest, performance.now() - began)
        yield* Effect.sleep(25)
      }
      // A checkpoint that waited as long as a connection of the service, five seconds, would hold the write
      // lock for as long.
      assert.isBelow(longest, 4_500)
      assert.isUndefined(scrubbing.pollUnsafe())
      reader.exec("COMMIT")
      yield* Fiber.join(scrubbing)
      assert.strictEqual(occurrences(filename), 0)
      assertSound(db)
      db.close()
      reader.close()
    })
  )

  it.live("says what went wrong", () =>
    Effect.gen(function* () {
      const missing = join(folder, "none", "missing.db")
      assert.match((yield* Effect.flip(scrubFiles([missing]))).message, /unable to open database file/)
    })
  )
})
