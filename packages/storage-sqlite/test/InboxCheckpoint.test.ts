/** The inbox's write-ahead log stays small, whoever writes and reads, and however long. */
import { rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { Micros } from "@cairn/core/encoding"
import { contentParts, decodeEvent } from "@cairn/core/event"
import { Randomness, uuid } from "@cairn/core/hashing"
import { Inbox } from "@cairn/core/log"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { inboxCheckpoint } from "../src/InboxCheckpoint.ts"
import { make } from "../src/SqliteClient.ts"
import { fileOf, type Started, start } from "./RestoredFiles.ts"

const folder = quickFolder("cairn-inbox-log-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const MEBIBYTE = 1024 * 1024

/** Accepts a request of some 256 KiB. */
const acceptLarge = ({ runtime }: Started, workspaceId: string) =>
  runtime.runPromise(
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const random = yield* Randomness
      const acceptedAt = yield* Micros.now
      const body = { actor_id: "ada", action: "thing.done", metadata: { note: "x".repeat(8_000) } }
      const content = contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
      const events = Array.from({ length: 32 }, () => ({
        id: uuid(random),
        idempotencyKey: uuid(random),
        clientAddress: null,
        content
      }))
      yield* inbox.accept({ workspaceId, acceptedAt, keysExpireBefore: null, events })
    })
  )

const opened = async (
  name: string,
  test: (server: Started, workspaceId: string, file: string) => Promise<void>
) => {
  const server = await start(`${folder}/${name}/cairn.db`)
  try {
    await test(server, await server.newWorkspace(), fileOf(server.filename, "inbox"))
  } finally {
    await server.stop()
  }
}

/**
 * A writer of a thread of its own: so many times 64 commits of 64 KiB, one after the other. Each time begins
 * after a checkpoint that has ended since the time before began.
 */
const WRITER = `
  const { workerData: { file, times, checkpoints } } = require("node:worker_threads")
  const db = new (require("node:sqlite").DatabaseSync)(file, { timeout: 60_000 })
  db.exec("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
  const write = db.prepare("INSERT OR REPLACE INTO t VALUES (?, zeroblob(4000))")
  for (let time = 0, made = 0; time < times; time++) {
    Atomics.wait(checkpoints, 0, made)
    made = Atomics.load(checkpoints, 0)
    for (let commit = 0; commit < 64; commit++) {
      db.exec("BEGIN IMMEDIATE")
      for (let row = 0; row < 16; row++) write.run(commit * 16 + row)
      db.exec("COMMIT")
    }
  }
  db.close()`

const mebibytes = (file: string): number => statSync(`${file}-wal`).size / MEBIBYTE

describe("the inbox's write-ahead log", () => {
  it("is at most 17 MiB long while nothing is sequenced", () =>
    opened("waiting", async (server, workspaceId, file) => {
      for (let request = 0; request < 300; request++) await acceptLarge(server, workspaceId)
      assert.isBelow(mebibytes(file), 17)
    }))

  it("is at most 12 MiB long while what it has is sequenced, and somebody reads", () =>
    opened("sequenced", async (server, workspaceId, file) => {
      const reader = new DatabaseSync(file, { readOnly: true })
      for (let round = 0; round < 100; round++) {
        // A read that lasts over a few rounds keeps the log from beginning again.
        if (round % 4 === 0) reader.exec("BEGIN; SELECT count(*) FROM inbox")
        for (let request = 0; request < 4; request++) await acceptLarge(server, workspaceId)
        await server.sequence()
        if (round % 4 === 2) reader.exec("COMMIT")
      }
      reader.close()
      assert.isBelow(mebibytes(file), 12)
    }))

  it("is at most 24 MiB long while another thread writes without a pause", async () => {
    const file = `${folder}/beside.db`
    const database = await Effect.runPromise(
      make({ filename: file, synchronous: "NORMAL", autocheckpoint: 0 }).pipe(
        Effect.map((client) => client.database),
        Effect.provide(Reactivity.layer),
        Scope.provide(Scope.makeUnsafe())
      )
    )
    const checkpoint = inboxCheckpoint(database)
    const checkpoints = new Int32Array(new SharedArrayBuffer(4))
    const writer = new Worker(WRITER, { eval: true, workerData: { file, times: 100, checkpoints } })
    let isOver = false
    const ended = new Promise((resolve) => writer.once("exit", resolve)).then(() => (isOver = true))
    while (!isOver) {
      checkpoint()
      Atomics.add(checkpoints, 0, 1)
      Atomics.notify(checkpoints, 0)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await ended
    assert.isBelow(mebibytes(file), 24)
    database.db.close()
  })

  it(
    "is cut to 16 MiB after a long read, which fails no request",
    () =>
      opened("read", async (server, workspaceId, file) => {
        const reader = new DatabaseSync(file, { readOnly: true })
        reader.exec("BEGIN; SELECT count(*) FROM inbox")
        for (let request = 0; request < 200; request++) {
          await acceptLarge(server, workspaceId)
          if (request % 4 === 3) await server.sequence()
        }
        assert.isAbove(mebibytes(file), 33)
        reader.close()
        for (let request = 0; request < 8; request++) {
          await acceptLarge(server, workspaceId)
          await server.sequence()
        }
        assert.isAtMost(mebibytes(file), 16)
      }),
    20_000
  )
})
