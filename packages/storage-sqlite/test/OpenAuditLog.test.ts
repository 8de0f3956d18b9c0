import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { makeAuditLog } from "@cairn/core/audit-log"
import { ClockGuard, StorageUnavailable } from "@cairn/core/log"
import { evidenceMachine } from "@cairn/storage-sql"
import {
  AuditLogError,
  AuditLogUnavailable,
  openAuditLog,
  type SqliteAuditLogOptions,
  SqliteStorage
} from "@cairn/storage-sqlite"
import { auditLogContract, killedProgram, verdictOf } from "@cairn/testing/AuditLogContract"
import { quickFolder } from "@cairn/testing/TestFolders"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer } from "effect"

let folder = ""
beforeAll(() => {
  folder = quickFolder("cairn-open-")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let databases = 0
const fileOf = (name = `own-${databases++}`) => join(folder, name, "audit.db")

/** Runs statements with foreign keys off and the triggers away, which are put back. */
const tamper = (file: string, statements: string): void => {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  const triggers = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
  database.exec(statements)
  for (const { sql } of triggers) database.exec(String(sql))
  database.close()
}

auditLogContract("SQLite", {
  open: (name, options) => openAuditLog({ file: fileOf(name), ...options }),
  recordAndDie: (name, events) =>
    killedProgram(new URL("RecordingProcess.ts", import.meta.url), fileOf(name), String(events)),
  tamper: async (name, statements) => tamper(fileOf(name), statements),
  verdict: verdictOf
})

const failure = async (promise: Promise<unknown>): Promise<AuditLogError> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => {
      assert.instanceOf(error, AuditLogError)
      return error
    }
  )

describe("openAuditLog on SQLite", () => {
  it("needs a file, and says so", async () => {
    for (const options of [
      undefined,
      {},
      { file: "" },
      { file: 7 },
      { file: ":memory:" },
      { file: "a\0b" }
    ]) {
      assert.strictEqual(
        (await failure(openAuditLog(options as SqliteAuditLogOptions))).code,
        "invalid_argument"
      )
    }
  })

  it("rejects when the file cannot be made or is no database", async () => {
    const text = join(folder, "text.db")
    writeFileSync(text, "no database ".repeat(100))
    for (const [file, code] of [
      [join(text, "below.db"), "storage_refused"],
      [folder, "storage_refused"],
      [text, "damaged"]
    ] as const) {
      const error = await failure(openAuditLog({ file }))
      assert.strictEqual(error.code, code, error.message)
      assert.notInstanceOf(error, AuditLogUnavailable)
    }
  })

  it("warns with the error that a call would reject with", async () => {
    const warned: Array<unknown> = []
    const failing = Effect.logWarning(
      "Events wait",
      Cause.fail(
        new StorageUnavailable({ operation: "append events", cause: new Error("database is locked") })
      )
    )
    const log = await makeAuditLog({
      ports: Layer.mergeAll(
        SqliteStorage.layer({ filename: fileOf() }),
        ClockGuard.layer,
        Layer.effectDiscard(failing)
      ),
      machine: evidenceMachine(undefined, () => undefined),
      warn: (level, message, { cause }) => warned.push([level, message, String(cause)])
    })
    await log.close()
    assert.deepStrictEqual(warned, [
      ["warn", "Events wait", "AuditLogUnavailable: could not append events: database is locked"]
    ])
  })

  it("says that a log was removed whole, from what the other files remember", async () => {
    const file = fileOf("whole")
    const log = await openAuditLog({ file })
    await log.of("tenant").record({ actor_id: "ada", action: "a.b" })
    await log.close()
    tamper(file, "DELETE FROM event; DELETE FROM head; DELETE FROM workspace")
    const warned: Array<string> = []
    const again = await openAuditLog({ file, warn: (_, message) => warned.push(message) })
    assert.isFalse((await again.of("tenant").verify()).valid)
    assert.isTrue((await again.of("other").verify()).valid)
    assert.isTrue(warned.some((message) => message.includes("verifications say so")))
    await again.close()
  })

  it("keeps to the file that it opened when the program changes its folder", async () => {
    const before = process.cwd()
    const [opened, later] = [join(folder, "opened"), join(folder, "later")]
    for (const one of [opened, later]) mkdirSync(one)
    process.chdir(opened)
    try {
      const log = await openAuditLog({ file: "audit.db" })
      process.chdir(later)
      await log.evidence(join(folder, "moved.gz"))
      await log.close()
    } finally {
      process.chdir(before)
    }
    assert.isTrue(existsSync(join(opened, "audit-secret.key")))
    assert.deepStrictEqual(readdirSync(later), [])
  })

  it("makes the key that signs evidence when it is needed, and never a second one", async () => {
    const file = fileOf("keys")
    const key = join(folder, "keys", "audit-secret.key")
    const log = await openAuditLog({ file })
    await log.record({ actor_id: "ada", action: "a.b" })
    assert.isFalse(existsSync(key))
    await log.evidence(join(folder, "keys", "one.gz"))
    assert.isTrue(existsSync(key))
    await log.close()
    rmSync(key)
    const again = await openAuditLog({ file })
    const error = await failure(again.evidence(join(folder, "keys", "two.gz")))
    assert.strictEqual(error.code, "secret_key_needed")
    assert.include(error.message, key)
    await again.close()
    const other = await openAuditLog({ file, secretKey: Buffer.alloc(32).toString("base64") })
    const wrong = await failure(other.evidence(join(folder, "keys", "three.gz")))
    assert.strictEqual(wrong.code, "secret_key_wrong")
    await other.close()
  })
})
