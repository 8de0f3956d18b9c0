import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { siblingFile } from "@cairn/storage-sqlite"
import { ordinaryEvents } from "@cairn/testing"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient } from "../support/ApiClient.ts"
import {
  cairn,
  cairnJson,
  killLeftovers,
  makeTenant,
  startCairn,
  startServer,
  type Tenant
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedDatabase } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const EVENTS = 12_000
const HISTORY = 150

const decodeResult = Schema.decodeUnknownSync(
  Schema.Struct({
    events: Schema.Number,
    rows: Schema.Number,
    tables: Schema.Record(Schema.String, Schema.Number),
    chains: Schema.Array(
      Schema.Struct({ workspace_id: Schema.String, valid: Schema.Boolean, events_checked: Schema.Number })
    )
  })
)

/** Tables that are made anew, and columns that mean something in one place only. */
const LOCAL = [
  "cairn_migration",
  "consumers_file",
  "file_seen",
  "log_loss",
  "log_mark",
  "log_seen",
  "repair",
  "rate_bucket",
  "removal_permit",
  "search_frame",
  "search_order",
  "search_part",
  "search_posting",
  "search_position",
  "session",
  "session_entry",
  "sign_in_link",
  "state"
]
/** What the rows of an earlier log on SQLite repeat of their contents. */
const FORMER_COLUMNS = ["action", "actor_id", "resource_type", "resource_id", "tenant_id", "session_id"]
const LOCAL_COLUMNS = ["inbox_epoch", "inbox_id", "slot", "timeline"]

/**
 * Every row of every table, as text that both databases give alike, in an order that does not depend on them.
 */
type Dump = Readonly<Record<string, ReadonlyArray<string>>>

const rowText = (row: Record<string, unknown>): string =>
  JSON.stringify(
    Object.entries(row)
      .filter(
        ([column]) => !LOCAL_COLUMNS.includes(column) && !("salt" in row && FORMER_COLUMNS.includes(column))
      )
      // PostgreSQL has the workspace's number beside its id.
      .filter(([column]) => column !== "workspace" || !("workspace_id" in row))
      .map(([column, value]) => [
        column,
        // The driver of PostgreSQL gives a bigint as text.
        value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value === null ? null : `${value}`
      ])
      .sort()
  )

const tablesOf = (db: DatabaseSync): ReadonlyArray<string> =>
  db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !LOCAL.includes(name))

const filesOf = (filename: string) => [
  filename,
  siblingFile(filename, "inbox"),
  siblingFile(filename, "consumers")
]

const dumpSqlite = (filename: string): Dump => {
  const dump: Record<string, ReadonlyArray<string>> = {}
  for (const file of filesOf(filename)) {
    const db = new DatabaseSync(file, { readOnly: true })
    for (const table of tablesOf(db))
      dump[table] = db.prepare(`SELECT * FROM ${table}`).all().map(rowText).sort()
    db.close()
  }
  return dump
}

const dumpPostgres = async (postgres: TestPostgres, url: string): Promise<Dump> => {
  const dump: Record<string, ReadonlyArray<string>> = {}
  const tables = await postgres.query(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  for (const name of tables.map(({ tablename }) => String(tablename))) {
    if (LOCAL.includes(name)) continue
    dump[name] = (await postgres.query(url, `SELECT * FROM ${name}`)).map(rowText).sort()
  }
  return dump
}

const assertSame = (found: Dump, expected: Dump) => {
  assert.deepStrictEqual(Object.keys(found).sort(), Object.keys(expected).sort())
  for (const [table, rows] of Object.entries(expected)) {
    assert.strictEqual(found[table]?.length, rows.length, `rows of ${table}`)
    assert.isTrue(
      rows.every((row, index) => row === found[table]?.[index]),
      `rows of ${table} are the same`
    )
  }
}

/**
 * Two rows of made-up values for every table that has none, so that no table passes for copied because there
 * was nothing in it.
 */
const fillEmptyTables = (filename: string): void => {
  const bytes = Uint8Array.of(0, 1, 127, 128, 255)
  for (const file of filesOf(filename)) {
    const db = new DatabaseSync(file)
    for (const table of tablesOf(db)) {
      if (db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined) continue
      const columns = db.prepare("SELECT name, type FROM pragma_table_info(?)").all(table)
      const foreign = new Map(
        db
          .prepare('SELECT "table", "from", "to" FROM pragma_foreign_key_list(?)')
          .all(table)
          .map((key) => [String(key.from), { table: String(key.table), column: String(key.to) }])
      )
      const keyed = columns.length
      for (const number of [1, 2]) {
        const values = columns.map(({ name, type }, index) => {
          const reference = foreign.get(String(name))
          if (reference !== undefined) {
            const rows = db.prepare(`SELECT ${reference.column} AS value FROM ${reference.table}`).all()
            return rows[number % rows.length]?.value ?? null
          }
          // A period that waits to be anchored: verification reads all others.
          if (name === "status" && type === "TEXT") return "waiting"
          if (type === "INTEGER") return number * 1_000_007 + index
          return type === "BLOB" ? bytes : `${name} ${number} "%_\\ ñ 🗝\n`
        })
        db.prepare(`INSERT INTO ${table} VALUES (${Array(keyed).fill("?").join(", ")})`).run(...values)
      }
    }
    db.close()
  }
}

/**
 * A database with everything in it: a long chain, another with history before it, what waits, what was
 * parked, what was deleted.
 */
const makeEverything = async (folder: string, database: string): Promise<Tenant> => {
  await seedDatabase(database, [
    {
      name: "Long",
      events: ordinaryEvents(EVENTS, { seed: 5, keyed: 0.5 }).map((event, index) =>
        index % 3 === 0 ? { ...event, targets: [{ type: "folder", id: `f-${index}` }] } : event
      )
    }
  ])
  // What these commands record waits in the inbox.
  const tenant = await makeTenant("History", { database })
  const file = join(folder, "history.jsonl")
  writeFileSync(
    file,
    ordinaryEvents(HISTORY, { seed: 6, keyed: 1 })
      .map((event) => `${JSON.stringify(event)}\n`)
      .join("")
  )
  await cairnJson(["import", file, "--unchained", "--workspace", tenant.workspaceId], { database })
  const inbox = new DatabaseSync(siblingFile(database, "inbox"))
  inbox.exec(`INSERT INTO parked SELECT id + 1000, workspace, accepted_at, event_count, events, 'a test' FROM inbox LIMIT 1;
    UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'inbox'`)
  assert.isAbove(Number(inbox.prepare("SELECT count(*) AS n FROM inbox").get()?.n), 0)
  inbox.close()
  fillEmptyTables(database)
  return tenant
}

const folder = temporaryFolder()
killLeftovers()

describe("cairn copy", { timeout: 120_000 }, () => {
  const original = join(folder, "original.db")
  let postgres: TestPostgres
  let tenant: Tenant
  /** The copy on PostgreSQL. */
  let url: string

  beforeAll(async () => {
    postgres = await startPostgres()
    tenant = await makeEverything(folder, original)
  }, 120_000)
  afterAll(() => postgres.stop())

  const copy = (from: string, to: string, ...more: ReadonlyArray<string>) =>
    cairn(["copy", "--from", from, "--to", to, "--json", ...more], { database: "unused.db" })
  const copied = async (from: string, to: string) => {
    const { code, stdout, stderr } = await copy(from, to)
    assert.strictEqual(code, 0, stderr)
    return decodeResult(JSON.parse(stdout))
  }

  /**
   * Lets a copy to a PostgreSQL database wait after each statement that adds events, so that it can be seen
   * on its way on any machine; returns what takes that back.
   */
  const slowDown = async (database: string) => {
    await postgres.query(
      database,
      `CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql
         AS 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';
       CREATE FUNCTION slow_down() RETURNS event_trigger LANGUAGE plpgsql AS $$
         BEGIN
           IF to_regclass('cairn_copy.event') IS NOT NULL THEN
             CREATE OR REPLACE TRIGGER takes_time AFTER INSERT ON cairn_copy.event EXECUTE FUNCTION public.take_time();
           END IF;
         END $$;
       CREATE EVENT TRIGGER slow_down ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION slow_down()`
    )
    return () =>
      postgres.query(
        database,
        "DROP EVENT TRIGGER slow_down; DROP FUNCTION slow_down(); DROP FUNCTION take_time() CASCADE"
      )
  }

  /** Copies, killed each time that `size` has reached the next of `sizes`. */
  const copyWithKills = async (
    from: string,
    to: string,
    size: () => Promise<number>,
    sizes: ReadonlyArray<number>
  ) => {
    for (const least of sizes) {
      const { child, ended, stderr } = startCairn(["copy", "--from", from, "--to", to], {
        database: "unused.db"
      })
      await eventually(`the copy has reached ${least}`, async () => {
        if (child.exitCode !== null) throw new Error(`the copy ended: ${stderr()}`)
        return (await size()) >= least || undefined
      })
      child.kill("SIGKILL")
      assert.strictEqual((await ended).signal, "SIGKILL")
    }
  }

  it("carries every row of every table from SQLite to PostgreSQL, killed on the way and run again", async () => {
    url = await postgres.newDatabase()
    const size = async () => {
      const [row] = await postgres
        .query(url, "SELECT count(*)::int AS count FROM cairn_copy.event")
        .catch(() => [{ count: -1 }])
      return Number(row?.count)
    }
    const restore = await slowDown(url)
    await copyWithKills(`sqlite:${original}`, url, size, [0, 4_000])
    await restore()
    const kept = await size()
    assert.isAtLeast(kept, 4_000)
    assert.isBelow(kept, EVENTS)
    // Nothing is where a server would find it yet.
    assert.deepStrictEqual(
      await postgres.query(url, "SELECT * FROM pg_tables WHERE schemaname = 'public'"),
      []
    )

    const result = await copied(`sqlite:${original}`, url)
    assert.strictEqual(result.events, EVENTS + 2 + HISTORY)
    assert.deepStrictEqual(
      result.chains.map(({ valid, events_checked }) => [valid, events_checked]).sort(),
      [
        [true, EVENTS + 2],
        [true, 0]
      ].sort()
    )
    const dump = await dumpPostgres(postgres, url)
    assertSame(dump, dumpSqlite(original))
    for (const [table, rows] of Object.entries(dump)) {
      assert.isAbove(rows.length, 0, table)
      assert.strictEqual(result.tables[table], rows.length, table)
    }
    const [schema] = await postgres.query(url, "SELECT to_regnamespace('cairn_copy') AS there")
    assert.isNull(schema?.there)
  })

  it("carries every row back from PostgreSQL to SQLite, killed on the way and run again", async () => {
    const back = join(folder, "back", "cairn.db")
    // The files of a copy belong to it alone as long as it runs, so their size has to tell.
    const size = async () =>
      existsSync(`${back}.partial`)
        ? statSync(`${back}.partial`).size +
          (statSync(`${back}.partial-wal`, { throwIfNoEntry: false })?.size ?? 0)
        : -1
    await copyWithKills(url, `sqlite:${back}`, size, [0, 4_000_000])
    assert.isFalse(existsSync(back))
    const result = await copied(url, `sqlite:${back}`)
    assert.strictEqual(result.events, EVENTS + 2 + HISTORY)
    assertSame(dumpSqlite(back), await dumpPostgres(postgres, url))
    assert.isFalse(existsSync(`${back}.partial`))
    const inbox = new DatabaseSync(siblingFile(back, "inbox"), { readOnly: true })
    assert.deepStrictEqual(
      inbox.prepare("SELECT waiting FROM state").get(),
      inbox.prepare("SELECT sum(event_count) AS waiting FROM inbox").get()
    )
    // Numbers that were given go on: one that comes again could meet a parked row's.
    assert.strictEqual(inbox.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'inbox'").get()?.seq, 5000)
    inbox.close()
  })

  it("that is there already is compared and verified once more", async () => {
    const again = await copied(`sqlite:${original}`, url)
    assert.strictEqual(again.events, EVENTS + 2 + HISTORY)
    assert.isTrue(again.chains.every(({ valid }) => valid))
  })

  it("goes on with what has changed in the source since it was cut off", async () => {
    const database = join(folder, "changing.db")
    await seedDatabase(database, [{ name: "One", events: ordinaryEvents(4_000, { seed: 8 }) }])
    const target = await postgres.newDatabase()
    const size = async () => {
      const [row] = await postgres
        .query(target, "SELECT count(*)::int AS count FROM cairn_copy.event")
        .catch(() => [{ count: -1 }])
      return Number(row?.count)
    }
    const restore = await slowDown(target)
    await copyWithKills(`sqlite:${database}`, target, size, [1_000])
    await restore()
    assert.isBelow(await size(), 4_000)
    await seedDatabase(database, [{ name: "Two", events: ordinaryEvents(200, { seed: 9 }) }])
    const db = new DatabaseSync(database)
    db.exec("UPDATE workspace SET name = 'Renamed' WHERE name = 'One'")
    db.close()
    const result = await copied(`sqlite:${database}`, target)
    assert.strictEqual(result.events, 4_000 + 200 + 4)
    assertSame(await dumpPostgres(postgres, target), dumpSqlite(database))
  })

  it("serves where it went: keys open, idempotency keys are known, and what waited is sequenced", async () => {
    // The made-up rows stay behind: a server would act on them.
    const database = join(folder, "lived-in.db")
    const { key, workspaceId } = await makeTenant("Lived in", { database })
    const event = { actor_id: "a", action: "house.moved", idempotency_key: "once" }
    const server = await startServer({ database })
    const { id } = await apiClient(server.baseUrl, key).accept(event)
    await server.stop()
    // Accepted, and sequenced by nobody.
    await makeTenant("Waiting", { database })
    const target = await postgres.newDatabase()
    await copied(`sqlite:${database}`, target)
    const moved = await startServer({ database: target })
    const client = apiClient(moved.baseUrl, key)
    assert.deepStrictEqual(await client.accept(event), { id: id ?? "", status: "duplicate" })
    await client.accept({ ...event, idempotency_key: "twice" })
    await eventually("everything is sequenced", async () => {
      const [row] = await postgres.query(target, "SELECT count(*)::int AS count FROM inbox")
      return row?.count === 0 || undefined
    })
    const { valid, events_checked } = await client.verify()
    assert.deepStrictEqual({ valid, events_checked }, { valid: true, events_checked: 4 })
    assert.isNotEmpty(workspaceId)

    // A server has it open, so it cannot be copied.
    const { code, stderr } = await copy(target, `sqlite:${join(folder, "never.db")}`)
    assert.strictEqual(code, 2)
    assert.include(stderr, "is in use")
    await moved.stop()
    assert.isNotEmpty(tenant.workspaceId)
  })

  it("is refused while a server has the source open, even one that does nothing", async () => {
    const database = join(folder, "open.db")
    await makeTenant("Open", { database })
    const server = await startServer({ database })
    const target = join(folder, "from-open.db")
    const { code, stderr } = await copy(`sqlite:${database}`, `sqlite:${target}`)
    assert.strictEqual(code, 2)
    assert.include(stderr, "is in use")
    assert.isFalse(existsSync(target))
    await server.stop()
    assert.strictEqual((await copied(`sqlite:${database}`, `sqlite:${target}`)).tables.workspace, 1)
    assertSame(dumpSqlite(target), dumpSqlite(database))
  })

  it("never overwrites anything", async () => {
    const other = join(folder, "other.db")
    await makeTenant("Other", { database: other })
    for (const target of [url, `sqlite:${original}`]) {
      const before = target === url ? await dumpPostgres(postgres, url) : dumpSqlite(original)
      const { code, stderr } = await copy(`sqlite:${other}`, target)
      assert.strictEqual(code, 2)
      assert.include(stderr, "is not empty")
      assertSame(target === url ? await dumpPostgres(postgres, url) : dumpSqlite(original), before)
    }
    const foreign = await postgres.newDatabase()
    await postgres.query(foreign, "CREATE TABLE payroll (id bigint)")
    const { code, stderr } = await copy(`sqlite:${other}`, foreign)
    assert.strictEqual(code, 2)
    assert.include(stderr, "there is a payroll")
  })

  it("does not mix two databases, and begins anew when told to", async () => {
    const [one, two] = [join(folder, "mixed-1.db"), join(folder, "mixed-2.db")]
    await seedDatabase(one, [{ name: "One", events: ordinaryEvents(10, { seed: 1 }) }])
    await seedDatabase(two, [{ name: "Two", events: ordinaryEvents(10, { seed: 2 }) }])
    const target = join(folder, "mixed.db")
    mkdirSync(folder, { recursive: true })
    for (const [index, file] of filesOf(one).entries()) {
      copyFileSync(file, filesOf(`${target}.partial`)[index] ?? "")
    }
    const { code, stderr } = await copy(`sqlite:${two}`, `sqlite:${target}`)
    assert.strictEqual(code, 2)
    assert.include(stderr, "unfinished copy of something else")
    assert.strictEqual((await copy(`sqlite:${two}`, `sqlite:${target}`, "--restart")).code, 0)
    assertSame(dumpSqlite(target), dumpSqlite(two))
  })

  it("says what it cannot find or read", async () => {
    const missing = await copy(`sqlite:${join(folder, "none.db")}`, `sqlite:${join(folder, "x.db")}`)
    assert.strictEqual(missing.code, 2)
    assert.include(missing.stderr, "there is no database")
    const wrong = await copy("mysql://x", `sqlite:${join(folder, "x.db")}`)
    assert.strictEqual(wrong.code, 2)
    assert.include(wrong.stderr, "--from must be")
  })
})
