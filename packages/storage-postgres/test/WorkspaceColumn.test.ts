/** The workspace's number in tables that had only its id. */
import { MIGRATIONS, migrate, PostgresClient } from "@cairn/storage-postgres"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Redacted } from "effect"
import workspaceNumbers, { NUMBERED_TABLES } from "../src/migrations/0032_workspace_numbers.ts"
import { numberRows } from "../src/NumberedRows.ts"
import { sharedServer } from "./support.ts"

const server = sharedServer()
const query = (url: string, statement: string) => Effect.promise(() => server().query(url, statement))

/** How many migrations there are before it. */
const BEFORE = MIGRATIONS.indexOf(workspaceNumbers)

const clientOn = (url: string) =>
  PostgresClient.layer({ url: Redacted.make(url) }).pipe(Layer.provideMerge(Logger.layer([])))
const migrateTo = (url: string, number: number) =>
  Effect.provide(migrate(MIGRATIONS.slice(0, number)), clientOn(url))

/** A row of each table, as a server of the former version writes it. */
const rowsOf = (id: string) => [
  `INSERT INTO tree_tile (workspace_id, level, tile, hashes) VALUES ('${id}', 0, 0, '\\x00')
   ON CONFLICT (workspace_id, level, tile) DO UPDATE SET hashes = excluded.hashes`,
  `INSERT INTO checkpoint (workspace_id, size, root, key_number, note) VALUES ('${id}', 1, 'r', 1, 'n')
   ON CONFLICT (workspace_id) DO UPDATE SET size = excluded.size`,
  `INSERT INTO published_checkpoint (workspace_id, size, root, note, signed_at)
   VALUES ('${id}', 1, 'r', 'n', 1) ON CONFLICT (workspace_id, size) DO NOTHING`,
  `INSERT INTO consumer (workspace_id, name, sequence, paused, version, updated_at)
   VALUES ('${id}', 'c', 1, 0, 1, 1) ON CONFLICT DO NOTHING`,
  `INSERT INTO consumer_row (workspace_id, consumer, key, value) VALUES ('${id}', 'c', 'k', 'v')
   ON CONFLICT (workspace_id, consumer, key) DO UPDATE SET value = excluded.value`,
  `INSERT INTO alert (workspace_id, id, rule_id, rule_name, rule_type, event_id, reason, triggered_at)
   VALUES ('${id}', 'a', 'r', 'r', 't', 'e', 'r', 1) ON CONFLICT DO NOTHING`
]
const NOBODYS = "INSERT INTO consumer_row (workspace_id, consumer, key, value) VALUES ('', 'removal'"

/** A database as the former version leaves it, with two workspaces of which the second has rows. */
const formerDatabase = Effect.gen(function* () {
  const url = yield* Effect.promise(() => server().newDatabase())
  yield* migrateTo(url, BEFORE)
  for (const id of ["wsp_a", "wsp_b"]) {
    yield* query(
      url,
      `INSERT INTO workspace (id, name, plan, overrides, ip_allowlist, created_at, updated_at)
       VALUES ('${id}', 'n', 'p', '{}', '[]', 1, 1)`
    )
  }
  for (const statement of rowsOf("wsp_b")) yield* query(url, statement)
  return url
})

const unnumbered = (url: string) =>
  Effect.map(
    query(url, "SELECT count(*)::int AS count FROM consumer_row WHERE workspace IS NULL"),
    ([row]) => row?.count
  )

const repeatUntil = <E>(effect: Effect.Effect<boolean, E>) =>
  Effect.repeat(Effect.delay(effect, "20 millis"), { until: (holds) => holds })

/** Rows of state: more than are numbered at once. */
const MANY = 5_000
const LOCKED = 2_500

describe("the number of a workspace", () => {
  it.live("is that of the id, in rows from before and in those that the former version writes", () =>
    Effect.gen(function* () {
      const url = yield* formerDatabase
      yield* query(url, `${NOBODYS}, 'begun', '1')`)
      yield* query(url, NOBODYS.replace("''", "'wsp_gone'").concat(", 'begun', '1')"))
      yield* migrateTo(url, MIGRATIONS.length)
      for (const id of ["wsp_a", "wsp_b"]) for (const statement of rowsOf(id)) yield* query(url, statement)
      yield* query(url, `${NOBODYS}, 'scrubbed', '1')`)
      yield* Effect.provide(numberRows, clientOn(url))
      for (const table of NUMBERED_TABLES) {
        const rows = yield* query(
          url,
          `SELECT t.workspace_id, t.workspace::int FROM ${table} t WHERE workspace_id LIKE 'wsp__' ORDER BY 1`
        )
        const expected = ["wsp_a", "wsp_b"].map((id, index) => ({ workspace_id: id, workspace: index + 1 }))
        assert.deepStrictEqual(rows, expected, table)
      }
      const others = yield* query(url, "SELECT key FROM consumer_row WHERE workspace = 0 ORDER BY key")
      assert.deepStrictEqual(others, [{ key: "begun" }, { key: "scrubbed" }])
      assert.strictEqual(yield* unnumbered(url), 1)
    })
  )

  it.live("is there after a conversion was killed and begun again, while the former version writes", () =>
    Effect.gen(function* () {
      const url = yield* formerDatabase
      yield* query(
        url,
        `INSERT INTO consumer_row (workspace_id, consumer, key, value)
         SELECT 'wsp_a', 'c', 'key-' || n, 'v' FROM generate_series(1, ${MANY}) n`
      )
      yield* migrateTo(url, MIGRATIONS.length)
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const [isHeld, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const former = yield* sql
          .withTransaction(
            Effect.gen(function* () {
              yield* sql`
                UPDATE consumer_row SET value = 'w'
                WHERE key IN (SELECT key FROM consumer_row WHERE workspace_id = 'wsp_a' LIMIT ${LOCKED})`
              yield* Deferred.succeed(isHeld, undefined)
              yield* Deferred.await(isOver)
            })
          )
          .pipe(Effect.forkChild)
        yield* Deferred.await(isHeld)
        const killed = yield* Effect.forkChild(Effect.provide(numberRows, clientOn(url)))
        yield* repeatUntil(Effect.map(unnumbered(url), (left) => left === LOCKED))
        yield* sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE query LIKE '%SKIP LOCKED%' AND pid <> pg_backend_pid()`
        yield* Fiber.interrupt(killed)
        assert.strictEqual(yield* unnumbered(url), LOCKED)

        const again = yield* Effect.forEach([1, 2], () => Effect.provide(numberRows, clientOn(url)), {
          concurrency: 2
        }).pipe(Effect.forkChild)
        yield* Effect.sleep("200 millis")
        assert.strictEqual(yield* unnumbered(url), LOCKED)
        yield* Deferred.succeed(isOver, undefined)
        yield* Fiber.join(former)
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(again)))
      }).pipe(Effect.provide(clientOn(url)))
      const rows = yield* query(
        url,
        `SELECT workspace::int, count(*)::int, count(*) FILTER (WHERE value = 'w')::int AS written
         FROM consumer_row GROUP BY workspace ORDER BY workspace`
      )
      assert.deepStrictEqual(rows, [
        { workspace: 1, count: MANY, written: LOCKED },
        { workspace: 2, count: 1, written: 0 }
      ])
    })
  )
})
