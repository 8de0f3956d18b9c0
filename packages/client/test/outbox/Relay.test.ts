/** What an outbox does where its database fails, and what it does not let a caller do. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { type EventInput, EventRefusedError, type ReportKind } from "../../src/index.ts"
import {
  OUTBOX_SQL,
  Outbox,
  type OutboxAdapter,
  outboxSql,
  type RelayOptions,
  type SqliteDatabase,
  type Statement,
  sqliteAdapter
} from "../../src/outbox/index.ts"
import { type StandIn, silence, standIn } from "./StandIn.ts"

const event = (actor_id: string, more: object = {}) => ({ actor_id, action: "invoice.paid", ...more })

const ADDRESS = { url: "http://localhost", apiKey: "key" }

/** Commits an event in a transaction of its own. */
const committed = (database: DatabaseSync, outbox: Outbox<SqliteDatabase, void>, body: EventInput): void => {
  database.exec("BEGIN")
  void outbox.audit(database, body)
  database.exec("COMMIT")
}

/** A database in memory whose statements fail while `fails` says so. */
const flaky = async (fails: (statement: Statement) => Promise<void> | void) => {
  const database = new DatabaseSync(":memory:")
  const adapter = sqliteAdapter(database)
  const outbox = new Outbox<SqliteDatabase, void>({
    ...adapter,
    run: async (statement) => {
      await fails(statement)
      return adapter.run(statement)
    }
  })
  await outbox.migrate()
  const service = standIn()
  const kinds: Array<ReportKind> = []
  const relay = (options: Partial<RelayOptions> = {}) =>
    outbox.relay({
      ...ADDRESS,
      fetch: service.fetch,
      retry: { baseMillis: 2, maxMillis: 2 },
      onError: (_, { kind }) => {
        kinds.push(kind)
        throw new Error("of the application's own report")
      },
      ...options
    })
  const count = (table = "cairn_outbox") => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n
  return { database, outbox, service, kinds, relay, count }
}

const drained = async (relay: ReturnType<Awaited<ReturnType<typeof flaky>>["relay"]>) => {
  await relay.flush({ timeoutMillis: 60_000 })
  await relay.close()
}

describe("a relay whose database fails", () => {
  it("removes what the service has before it claims more, and sends nothing twice", async () => {
    let failures = 0
    const { database, outbox, service, kinds, relay, count } = await flaky(({ parts }) => {
      if (parts.join().includes("DELETE") && failures++ < 3) throw new Error("the database is away")
    })
    for (const actor of ["a", "b"]) committed(database, outbox, event(actor))
    committed(database, outbox, { actor_id: "c", action: "refused" })
    const made = relay()
    await drained(made)
    assert.deepStrictEqual([service.actors(), service.duplicates()], [["a", "b"], 0])
    assert.deepStrictEqual([count(), count("cairn_outbox_refused")], [0, 1])
    // What the service said is counted and reported, whatever the database does.
    assert.deepStrictEqual([...new Set(kinds)].sort(), ["queue", "refused"])
    assert.deepInclude(made.counters, { queued: 2, duplicates: 0, refused: 1 })
  })

  it("goes on after a statement that is never answered, and closes although none is", async () => {
    let isStuck = false
    const { database, outbox, service, kinds, relay } = await flaky(() =>
      isStuck ? new Promise<void>(() => {}) : undefined
    )
    committed(database, outbox, event("a"))
    isStuck = true
    const stuck = relay({ statementMillis: 5 })
    while (kinds.length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
    isStuck = false
    await stuck.flush({ timeoutMillis: 60_000 })
    assert.deepStrictEqual(service.actors(), ["a"])
    isStuck = true
    await stuck.close({ timeoutMillis: 0 })
  })

  for (const [what, text] of [
    ["claims", "claimed_until ="],
    ["removes", "DELETE"],
    ["puts aside", "INSERT"],
    ["gives back", "claimed_by = NULL"]
  ] as const) {
    it(`ends within the time that it is given, where the statement that ${what} is never answered`, async () => {
      let isHeld = false
      const { database, outbox, service, relay } = await flaky(({ parts }) => {
        if (!parts.join().includes(text)) return
        isHeld = true
        return new Promise<void>(() => {})
      })
      committed(database, outbox, event("a"))
      committed(database, outbox, { actor_id: "b", action: "refused" })
      let isSent = false
      service.answer((bodies) => {
        isSent = true
        return what === "gives back" ? silence(bodies) : undefined
      })
      // Were the statement waited for, the test would never end.
      const made = relay({ statementMillis: 2 ** 30, requestMillis: 2 ** 30, leaseMillis: 3_600_000 })
      while (!(what === "gives back" ? isSent : isHeld))
        await new Promise((resolve) => setTimeout(resolve, 1))
      await made.close({ timeoutMillis: 20 })
      while (!isHeld) await new Promise((resolve) => setTimeout(resolve, 1))
    })
  }

  it("sends others past an event that never gets through, which no other relay tries meanwhile", async () => {
    const { database, outbox, service, relay } = await flaky(() => {})
    for (const actor of ["a", "poison", "b", "c"]) committed(database, outbox, event(actor))
    const senders = new Set<string>()
    const failing =
      (name: string): typeof fetch =>
      async (address, request) => {
        if (!String(request?.body).includes("poison")) return service.fetch(address, request)
        senders.add(name)
        throw new TypeError("connection reset")
      }
    const first = relay({ fetch: failing("first"), pollMillis: 1 })
    while (service.log.length < 3) await new Promise((resolve) => setTimeout(resolve, 1))
    const second = relay({ fetch: failing("second"), pollMillis: 1 })
    for (const actor of ["d", "e"]) committed(database, outbox, event(actor))
    await second.flush({ timeoutMillis: 60_000 })
    while (service.log.length < 5) await new Promise((resolve) => setTimeout(resolve, 1))
    assert.deepStrictEqual([...senders], ["first"])
    await second.close()
    await first.close()
    assert.deepStrictEqual([...service.actors()].sort(), ["a", "b", "c", "d", "e"])
    const left = database.prepare("SELECT event, claimed_by FROM cairn_outbox").all()
    assert.deepStrictEqual(
      left.map((row) => [JSON.parse(String(row.event)).actor_id, row.claimed_by]),
      [["poison", null]]
    )
  })

  it("ends a request before others may send its events too", async () => {
    const { database, outbox, service, relay } = await flaky(() => {})
    committed(database, outbox, event("a"))
    const leases: Array<unknown> = []
    const made = relay({
      leaseMillis: 4000,
      requestMillis: 60_000,
      fetch: async (address, request) => {
        await service.fetch(address, request).finally(() => {
          const now = "(julianday('now') - 2440587.5) * 86400000"
          leases.push(database.prepare(`SELECT claimed_until > ${now} AS held FROM cairn_outbox`).get()?.held)
        })
        throw new Error("silence ends")
      }
    })
    service.answer(silence)
    while (leases.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.deepStrictEqual(leases, [1])
    await made.close({ timeoutMillis: 0 })
  })

  it("flushes what was committed before, although it is just looking and sees nothing", async () => {
    const database = new DatabaseSync(":memory:")
    database.exec(OUTBOX_SQL.sqlite)
    const adapter = sqliteAdapter(database)
    const service = standIn()
    let looks = 0
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const outbox = new Outbox<SqliteDatabase, void>({
      ...adapter,
      run: async (statement) => {
        const rows = await adapter.run(statement)
        looks++
        await held
        return rows
      }
    })
    const relay = outbox.relay({ ...ADDRESS, fetch: service.fetch, pollMillis: 60_000 })
    while (looks === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    committed(database, outbox, event("a"))
    const flushed = relay.flush({ timeoutMillis: 60_000 })
    answer()
    await flushed
    assert.deepStrictEqual(service.actors(), ["a"])
    await relay.close()
  })

  it("repeats what conflicts with other transactions, as often as it does, wherever the driver says so", async () => {
    const conflicts = [
      { code: "40001" },
      { cause: { code: "40P01" } },
      { code: "P2010", meta: { driverAdapterError: { cause: { originalCode: "40001" } } } },
      { code: "P2010", meta: { code: "40001" } }
    ]
    const errors = [...conflicts, ...conflicts, ...conflicts]
    const { database, outbox, service, kinds, relay } = await flaky(({ hasRows }) => {
      const error = hasRows ? errors.shift() : undefined
      if (error !== undefined) throw Object.assign(new Error("conflict"), error)
    })
    committed(database, outbox, event("a"))
    await drained(relay())
    assert.deepStrictEqual([service.actors(), kinds, errors], [["a"], [], []])
  })
})

describe("an outbox over node:sqlite", () => {
  const folder = temporaryFolder()

  it("writes synchronously, and its relay claims nothing of a transaction that is open on its connection", async () => {
    const database = new DatabaseSync(join(folder, "app.db"))
    const outbox = new Outbox(sqliteAdapter(database))
    await outbox.migrate()
    const service: StandIn = standIn()
    const { audit } = outbox
    database.exec("BEGIN")
    const { key } = audit(database, event("rolled back"))
    assert.strictEqual(key.length, 36)
    const relay = outbox.relay({ ...ADDRESS, fetch: service.fetch, pollMillis: 1 })
    const flushed = relay.flush({ timeoutMillis: 60_000 })
    await new Promise((resolve) => setTimeout(resolve, 60))
    database.exec("ROLLBACK")
    await flushed
    assert.deepStrictEqual(service.log, [])
    committed(database, outbox, event("kept"))
    await drained(relay)
    assert.deepStrictEqual(service.actors(), ["kept"])
    database.close()
  })

  it("never uses a number twice, so that who settles late removes nothing else", async () => {
    const database = new DatabaseSync(":memory:")
    database.exec(OUTBOX_SQL.sqlite)
    const outbox = new Outbox(sqliteAdapter(database))
    const ids = [1, 2].map(() => {
      committed(database, outbox, event("a"))
      const row = database.prepare("DELETE FROM cairn_outbox RETURNING id").get()
      return row?.id
    })
    assert.deepStrictEqual(ids, [1, 2])
  })
})

describe("the address and the names of an outbox", () => {
  it("are refused where the database would change them", () => {
    const adapter = sqliteAdapter(new DatabaseSync(":memory:"))
    const postgresAdapter = { ...adapter, dialect: "postgres" as const }
    const wrong: ReadonlyArray<[OutboxAdapter<SqliteDatabase, void>, object]> = [
      [adapter, { table: "" }],
      [adapter, { table: "a\0b" }],
      [adapter, { schema: "" }],
      [postgresAdapter, { table: "ü".repeat(28) }],
      [postgresAdapter, { schema: "s".repeat(64) }]
    ]
    for (const [over, options] of wrong) assert.throws(() => new Outbox(over, options), TypeError)
    assert.match(outboxSql("postgres", { schema: 'a"b', table: "t".repeat(55) }), /"a""b"\."t{55}_refused"/)
    const outbox = new Outbox(adapter)
    for (const leaseMillis of [0, Number.NaN, 3_600_001]) {
      assert.throws(() => outbox.relay({ ...ADDRESS, leaseMillis }), TypeError)
    }
    assert.throws(() => outbox.relay({ ...ADDRESS, url: "nowhere" }), TypeError)
  })

  it("adds what the context says and takes out secrets before anything is kept", async () => {
    const database = new DatabaseSync(":memory:")
    database.exec(OUTBOX_SQL.sqlite)
    const context = () => ({ tenant_id: "acme" })
    const outbox = new Outbox(sqliteAdapter(database), { context, redact: ["metadata.**.secret"] })
    committed(database, outbox, event("a", { metadata: { card: { secret: "1234" } } }))
    const row = database.prepare("SELECT event FROM cairn_outbox").get()
    assert.deepInclude(JSON.parse(String(row?.event)), {
      tenant_id: "acme",
      metadata: { card: { secret: "[redacted]" } }
    })
  })

  it("refuses an event before the database is asked", async () => {
    const never = { ...sqliteAdapter(new DatabaseSync(":memory:")), insert: () => assert.fail("was asked") }
    const outbox = new Outbox<SqliteDatabase, void>(never)
    const wrong = [event(""), event("a", { idempotency_key: "a\0b" }), event("a", { metadata: { n: 1n } })]
    for (const each of wrong) {
      assert.throws(() => outbox.audit(new DatabaseSync(":memory:"), each), EventRefusedError)
    }
  })
})
