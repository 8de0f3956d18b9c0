/** What `audit` demands of the transaction that it is given. */
import { DatabaseSync } from "node:sqlite"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, describe, it } from "@effect/vitest"
import { sql as drizzleSql } from "drizzle-orm"
import { drizzle } from "drizzle-orm/node-postgres"
import type { Kysely } from "kysely"
import pg from "pg"
import postgres from "postgres"
import { auditContext, createAudit, withAuditContext } from "../../src/context/index.ts"
import { EventRefusedError } from "../../src/index.ts"
import {
  drizzlePostgresAdapter,
  drizzleSqliteAdapter,
  kyselyAdapter,
  OUTBOX_SQL,
  Outbox,
  pgAdapter,
  postgresAdapter,
  prismaAdapter,
  type SqliteDatabase,
  type Statement,
  sqliteAdapter
} from "../../src/outbox/index.ts"

const event = (actor_id: string) => ({ actor_id, action: "invoice.paid" })

describe("audit", () => {
  const refused = (work: Promise<unknown>): Promise<void> =>
    work.then(
      () => assert.fail("it was taken"),
      (error: unknown) => assert.match(String(error), /TypeError: audit needs (?:the|a) /)
    )

  it("takes no pool or database in the place of a transaction, by its types and when it runs", async () => {
    const pool = new pg.Pool()
    // @ts-expect-error: a pool is no transaction
    await refused(new Outbox(pgAdapter(pool)).audit(pool, event("a")))
    const sql = postgres()
    // @ts-expect-error: this sql is no transaction
    await refused(new Outbox(postgresAdapter(sql)).audit(sql, event("a")))
    const db = drizzle(pool)
    // @ts-expect-error: a database is no transaction
    await refused(new Outbox(drizzlePostgresAdapter(db, { sql: drizzleSql })).audit(db, event("a")))
    const kysely = { isTransaction: false, executeQuery: () => assert.fail() } as unknown as Kysely<object>
    // @ts-expect-error: a Kysely is no transaction
    await refused(new Outbox(kyselyAdapter(kysely, { dialect: "sqlite" })).audit(kysely, event("a")))
    const client = {
      $disconnect: () => {},
      $executeRawUnsafe: async () => 1,
      $queryRawUnsafe: async () => []
    }
    // @ts-expect-error: a PrismaClient is no transaction
    await refused(new Outbox(prismaAdapter(client)).audit(client, event("a")))
  })

  it("is synchronous where Drizzle is", () => {
    const database = new DatabaseSync(":memory:")
    database.exec(OUTBOX_SQL.sqlite)
    // As a database of drizzle-orm/better-sqlite3.
    const run = (query: Statement) => database.prepare(query.parts.join("?")).run(...query.values)
    const db = { resultKind: "sync", run, all: run }
    const tx = { ...db, rollback: (): never => assert.fail() }
    const sql = (texts: TemplateStringsArray, ...values: Array<string>) => ({
      parts: texts,
      values,
      hasRows: false
    })
    const { key } = new Outbox(drizzleSqliteAdapter(db, { sql })).audit(tx, event("a"))
    assert.strictEqual(database.prepare("SELECT event_key FROM cairn_outbox").get()?.event_key, key)
  })

  it("needs a transaction that is open on the connection: over node:sqlite", () => {
    const database = new DatabaseSync(":memory:")
    database.exec(OUTBOX_SQL.sqlite)
    const { audit } = new Outbox(sqliteAdapter(database))
    const count = () => database.prepare("SELECT count(*) AS n FROM cairn_outbox").get()?.n
    const ended: ReadonlyArray<ReadonlyArray<string>> = [[], ["BEGIN", "COMMIT"], ["BEGIN", "ROLLBACK"]]
    for (const before of ended) {
      for (const text of before) database.exec(text)
      assert.throws(() => audit(database, event("a")), TypeError, /audit needs a transaction/)
    }
    assert.strictEqual(count(), 0)
    for (const [begin, end] of [
      ["BEGIN", "COMMIT"],
      ["SAVEPOINT a", "RELEASE a"]
    ] as const) {
      database.exec(begin)
      void audit(database, event("a"))
      database.exec(end)
    }
    // A release of Node whose connections do not say so.
    const silent: SqliteDatabase = {
      exec: (text) => database.exec(text),
      prepare: (text) => database.prepare(text)
    }
    void audit(silent, event("a"))
    assert.strictEqual(count(), 3)
  })

  it("needs a transaction that is open on the connection: over pg", async () => {
    const connectionString = await (await sharedPostgres()).newDatabase()
    const pool = new pg.Pool({ connectionString })
    const outbox = new Outbox(pgAdapter(pool))
    const { audit } = outbox
    await outbox.migrate()
    const client = await pool.connect()
    const ended: ReadonlyArray<ReadonlyArray<string>> = [[], ["BEGIN", "COMMIT"], ["BEGIN", "ROLLBACK"]]
    for (const before of ended) {
      for (const text of before) await client.query(text)
      await refused(audit(client, event("a")))
    }
    const keys: Array<string> = []
    await client.query("BEGIN")
    keys.push((await audit(client, event("a"))).key)
    await client.query("COMMIT")
    // What nobody has waited for is open by the time the event is written.
    const begun = client.query("BEGIN")
    keys.push((await audit(client, event("a"))).key)
    await begun
    await client.query("COMMIT")
    // A client of an older release does not say so.
    const silent = { query: (text: string, values?: Array<string>) => client.query(text, values) }
    keys.push((await audit(silent, event("a"))).key)
    const { rows } = await client.query("SELECT event_key FROM cairn_outbox ORDER BY id")
    assert.deepStrictEqual(
      rows.map(({ event_key }) => event_key),
      keys
    )
    client.release()
    await pool.end()
  })
})

describe("an audit function that is made for an outbox", () => {
  const fields = {
    actor_id: "ada",
    ip_address: "203.0.113.7",
    session_id: "s1",
    tenant_id: "acme",
    metadata: { request_id: "r1" }
  }

  it("takes the transaction and what was done; the context says who, from where and in which request", () => {
    const database = new DatabaseSync(":memory:")
    database.exec(OUTBOX_SQL.sqlite)
    for (const context of [undefined, auditContext]) {
      const audit = createAudit(new Outbox(sqliteAdapter(database), { context }))
      database.exec("BEGIN")
      const { key } = withAuditContext(fields, () =>
        audit(database, "invoice.paid", { resource_id: "42", metadata: { amount: 7 } })
      )
      database.exec("COMMIT")
      const row = database.prepare("DELETE FROM cairn_outbox RETURNING event_key, event").get()
      assert.strictEqual(row?.event_key, key)
      assert.deepInclude(JSON.parse(String(row?.event)), {
        ...fields,
        action: "invoice.paid",
        resource_id: "42",
        metadata: { request_id: "r1", amount: 7 }
      })
      assert.throws(() => audit(database, "invoice.paid"), EventRefusedError, /actor_id/)
    }
  })

  it("fails no transaction because of a context that throws or gives no object: it says so", () => {
    const database = new DatabaseSync(":memory:")
    database.exec(OUTBOX_SQL.sqlite)
    const broken = (): never => {
      throw new Error("no request")
    }
    const text = (() => "ada") as unknown as () => object
    const said: Array<string> = []
    for (const context of [broken, text]) {
      const outbox = new Outbox(sqliteAdapter(database), {
        context,
        onError: (error, { kind }) => said.push(`${kind}: ${error.message}`)
      })
      database.exec("BEGIN")
      const { key } = outbox.audit(database, event("ada"))
      database.exec("COMMIT")
      assert.ok(key)
    }
    assert.deepStrictEqual(said, [
      "fields: the context failed: Error: no request",
      "fields: the context failed: TypeError: it gave no object"
    ])
    const rows = database.prepare("SELECT event FROM cairn_outbox").all()
    assert.deepStrictEqual(
      rows.map((row) => JSON.parse(String(row.event)).actor_id),
      ["ada", "ada"]
    )
  })

  it("is as asynchronous as the outbox, and takes what the outbox takes", async () => {
    const seen: Array<unknown> = []
    const audit = createAudit({
      audit: async (tx: { readonly name: string }, { actor_id }) => {
        seen.push(tx.name, actor_id)
        return { key: "k" }
      }
    })
    const { key } = await withAuditContext(fields, () => audit({ name: "tx" }, "a.b"))
    assert.deepStrictEqual([key, seen], ["k", ["tx", "ada"]])
    // @ts-expect-error: it needs a transaction
    assert.throws(() => createAudit(new Outbox(sqliteAdapter(new DatabaseSync(":memory:"))))("a.b"))
  })
})

describe("migrate", () => {
  it("needs no right to make tables where they are", async () => {
    const server = await sharedPostgres()
    const url = await server.newDatabase()
    const table = `of "an" app's`
    const owner = new pg.Pool({ connectionString: url })
    const role = `app_${crypto.randomUUID().replaceAll("-", "")}`
    await owner.query(`CREATE ROLE ${role}`)
    await owner.query(`REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
    const client = await owner.connect()
    const asRole = new Outbox(
      pgAdapter({ totalCount: 1, query: (text, values) => client.query(text, values) }),
      {
        table
      }
    )
    await client.query(`SET ROLE ${role}`)
    const denied = await asRole.migrate().catch((error: unknown) => error)
    assert.match(String(denied), /permission denied/)
    await new Outbox(pgAdapter(owner), { table }).migrate()
    await asRole.migrate()
    await client.query("RESET ROLE")
    client.release()
    await owner.query(`DROP ROLE ${role}`)
    await owner.end()
  })
})
