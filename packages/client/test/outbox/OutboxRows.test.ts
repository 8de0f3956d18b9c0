/** The rows of an outbox as relays see them, on both databases. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import pg from "pg"
import { vi } from "vitest"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import type { PendingEvents } from "../../src/index.ts"
import { OUTBOX_SQL, type OutboxAdapter, pgAdapter, sqliteAdapter } from "../../src/outbox/index.ts"
import { outboxRows } from "../../src/outbox/OutboxRows.ts"
import { outboxStatements } from "../../src/outbox/OutboxStatements.ts"

const folder = temporaryFolder()

const opened = {
  sqlite: async () => {
    const database = new DatabaseSync(join(folder, "app.db"))
    return {
      run: sqliteAdapter(database).run,
      exec: async (text: string) => database.exec(text),
      end: async () => database.close()
    }
  },
  postgres: async () => {
    const pool = new pg.Pool({ connectionString: await (await sharedPostgres()).newDatabase() })
    return { run: pgAdapter(pool).run, exec: (text: string) => pool.query(text), end: () => pool.end() }
  }
}

const LEASE_MILLIS = 60_000
const ALL = { count: 100, bytes: 1_000_000 }

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`the rows of an outbox on ${dialect}`, () => {
    let database:
      | Awaited<ReturnType<(typeof opened)["postgres"]>>
      | Awaited<ReturnType<(typeof opened)["sqlite"]>>
    let fails: string | undefined
    const past = dialect === "sqlite" ? "1" : "now() - interval '1 second'"

    const run: OutboxAdapter<never>["run"] = async (statement) => {
      if (fails !== undefined && statement.parts.join().includes(fails))
        throw new Error("the database is away")
      return database.run(statement)
    }
    const relay = (leaseMillis = LEASE_MILLIS): PendingEvents =>
      outboxRows({ run, statements: outboxStatements(dialect, {}), leaseMillis, statementMillis: 30_000 })
    const add = async (...keys: ReadonlyArray<string>) => {
      for (const key of keys) {
        await database.exec(`INSERT INTO cairn_outbox (event_key, event) VALUES ('${key}', '{"k":"${key}"}')`)
      }
    }
    const keysOf = async (rows: PendingEvents, limit = ALL) => (await rows.take(limit)).map(({ key }) => key)
    const named = (...keys: ReadonlyArray<string>) => keys.map((key) => ({ key, json: "{}" }))
    const queued = (key: string) => ({ key, status: "queued" as const, id: "evt_1" })
    const left = async () =>
      (
        await database.run({
          parts: ["SELECT event_key AS key FROM cairn_outbox ORDER BY id"],
          values: [],
          hasRows: true
        })
      ).map(({ key }) => key)

    beforeAll(async () => {
      database = await opened[dialect]()
      await database.exec(OUTBOX_SQL[dialect])
    })
    beforeEach(async () => {
      fails = undefined
      await database.exec("DELETE FROM cairn_outbox")
    })
    afterAll(() => database.end())

    it("are taken once, whatever else is settled and released meanwhile", async () => {
      const [rows, other] = [relay(), relay()]
      await add("a", "b", "c", "d")
      assert.deepStrictEqual(await keysOf(rows, { count: 3, bytes: 1000 }), ["a", "b", "c"])
      await rows.release(named("c"))
      // Of those that it has, none is given again; what it gave back is.
      assert.deepStrictEqual(await keysOf(rows, { count: 1, bytes: 1000 }), ["c"])
      await rows.settle([queued("c")])
      assert.deepStrictEqual(await keysOf(rows), ["d"])
      await rows.settle([queued("d"), queued("a")])
      assert.deepStrictEqual([await keysOf(rows), await keysOf(other), await left()], [[], [], ["b"]])
      await rows.settle([queued("b")])
      assert.deepStrictEqual(await left(), [])
    })

    it("of a key that is taken wait, and hold up nothing", async () => {
      const rows = relay()
      await add("a", "a", "b", "b")
      assert.deepStrictEqual(await keysOf(rows, { count: 1, bytes: 1000 }), ["a"])
      assert.deepStrictEqual(await keysOf(rows, { count: 1, bytes: 1000 }), ["b"])
      assert.deepStrictEqual(await keysOf(rows), [])
      await rows.settle([queued("a")])
      assert.deepStrictEqual(await keysOf(rows), ["a"])
      await rows.settle([queued("b"), queued("a")])
      assert.deepStrictEqual(await keysOf(rows), ["b"])
    })

    it("stay a relay's for as long as it has them and looks for more", async () => {
      const [rows, other] = [relay(), relay()]
      await add("a")
      assert.deepStrictEqual(await keysOf(rows), ["a"])
      await database.exec(`UPDATE cairn_outbox SET claimed_until = ${past}`)
      const later = performance.now() + LEASE_MILLIS / 2
      const clock = vi.spyOn(performance, "now").mockReturnValue(later)
      try {
        assert.deepStrictEqual(await keysOf(rows), [])
      } finally {
        clock.mockRestore()
      }
      assert.deepStrictEqual(await keysOf(other), [])
    })

    it("are claimed again at once where their release failed", async () => {
      const rows = relay()
      await add("a", "b", "a")
      assert.deepStrictEqual(await keysOf(rows, { count: 2, bytes: 1000 }), ["a", "b"])
      fails = "claimed_by = NULL"
      assert.match(String(await rows.release(named("a", "b")).catch((error: unknown) => error)), /away/)
      assert.match(String(await rows.take(ALL).catch((error: unknown) => error)), /away/)
      fails = undefined
      assert.deepStrictEqual(await keysOf(rows), ["a", "b"])
    })

    it("are all given back at the end", async () => {
      const [rows, other] = [relay(), relay()]
      await add("a", "b")
      await keysOf(rows, { count: 1, bytes: 1000 })
      await keysOf(rows)
      await rows.close()
      assert.deepStrictEqual(await keysOf(other), ["a", "b"])
    })
  })
}
