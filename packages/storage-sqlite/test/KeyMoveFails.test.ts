import { rmSync } from "node:fs"
import { join } from "node:path"
import { quickFolder } from "@cairn/testing/TestFolders"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { Reactivity } from "effect/reactivity"
import { TestClock } from "effect/testing"
import { migrateInbox, moveKeysInBackground } from "../src/KeyMove.ts"
import { make } from "../src/SqliteClient.ts"

const folder = quickFolder("cairn-move-fails-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a move of idempotency keys that the store refuses", () => {
  it.effect("is told once, tried again each second, and goes on where it can", () => {
    const lines: Array<string> = []
    const logger = Logger.layer([
      Logger.map(Logger.formatStructured, ({ level, message }) => void lines.push(`${level} ${message}`))
    ])
    return Effect.gen(function* () {
      const inbox = yield* make({ filename: join(folder, "inbox.db") })
      const { db } = inbox.database
      yield* migrateInbox(inbox)
      db.exec(`
        CREATE TABLE idempotency_key_text (
          workspace INTEGER, key TEXT, event_id TEXT, accepted_at INTEGER, PRIMARY KEY (workspace, key)
        ) WITHOUT ROWID;
        INSERT INTO idempotency_key_text VALUES (1, 'one', 'event', 1), (1, 'two', 'other', 2);
        CREATE TRIGGER refuse BEFORE INSERT ON idempotency_key BEGIN SELECT RAISE(ABORT, 'no'); END`)
      const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n

      const moving = yield* Effect.forkChild(moveKeysInBackground(inbox))
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /^WARN Idempotency keys of an earlier version cannot be made compact/)
      assert.strictEqual(count("idempotency_key_text"), 2)

      db.exec("DROP TRIGGER refuse")
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(moving)
      assert.strictEqual(count("idempotency_key"), 2)
      assert.deepStrictEqual(lines.slice(1), [
        "INFO Idempotency keys of an earlier version are made compact",
        "INFO Idempotency keys of an earlier version are compact"
      ])
    }).pipe(Effect.scoped, Effect.provide([logger, Reactivity.layer]))
  })
})
