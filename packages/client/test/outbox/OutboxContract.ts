/** What an outbox promises, over a driver and a real database. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { EventRefusedError, type Report } from "../../src/index.ts"
import type { Relay, RelayOptions } from "../../src/outbox/index.ts"
import type { Application, Driver } from "./Applications.ts"
import { type Fault, type StandIn, silence, standIn } from "./StandIn.ts"

/** A name for each of the ways in which a name can break a statement. */
const TABLE = `"cairn'"; -- $1 ? :a \\ $$ \${b}`
const QUOTED = `"${TABLE.replaceAll('"', '""')}"`
const REFUSED = `"${TABLE.replaceAll('"', '""')}_refused"`

const event = (actor_id: string, more: object = {}) => ({ actor_id, action: "invoice.paid", ...more })

class Rollback extends Error {}

const ended = async (work: Promise<void>): Promise<void> => {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Rollback)) throw error
  }
}

/** The suite: the driver is started many times on one database. */
export const outboxContract = ({ name, dialect, start }: Driver): void => {
  describe(`an outbox over ${name}`, () => {
    const folder = temporaryFolder()
    let database: string
    let application: Application
    let service: StandIn
    const open: Array<Application | Relay> = []
    const reports: Array<Report & { readonly message: string }> = []

    const started = (): Application => {
      const made = start(database, { table: TABLE })
      open.push(made)
      return made
    }

    const relayOf = (made: Application, options: Partial<RelayOptions> = {}): Relay => {
      const relay = made.outbox.relay({
        url: "http://localhost",
        apiKey: "key",
        fetch: service.fetch,
        pollMillis: 5,
        retry: { baseMillis: 5, maxMillis: 20 },
        onError: ({ message }, report) => reports.push({ ...report, message }),
        ...options
      })
      open.push(relay)
      return relay
    }

    const drained = async (made = application, options: Partial<RelayOptions> = {}): Promise<void> => {
      const relay = relayOf(made, options)
      await relay.flush({ timeoutMillis: 60_000 })
      await relay.close()
    }

    const waiting = async () =>
      (await application.query(`SELECT event_key AS key FROM ${QUOTED} ORDER BY id`)).map(({ key }) => key)

    beforeAll(async () => {
      database = dialect === "sqlite" ? join(folder, "app.db") : await (await sharedPostgres()).newDatabase()
      const first = start(database, { table: TABLE })
      // Processes that start at once migrate at once.
      const others = dialect === "sqlite" ? [] : [1, 2, 3].map(() => start(database, { table: TABLE }))
      await Promise.all([first, ...others].map(({ outbox }) => outbox.migrate()))
      await first.query("CREATE TABLE invoice (id text PRIMARY KEY)")
      await Promise.all([first, ...others].map((each) => each.end()))
    })

    beforeAll(() => {
      service = standIn()
    })

    afterEach(async () => {
      for (const each of open.splice(0).reverse())
        await ("close" in each ? each.close({ timeoutMillis: 0 }) : each.end())
      service = standIn()
      reports.length = 0
      const fresh = start(database, { table: TABLE })
      for (const table of [QUOTED, REFUSED, "invoice"]) await fresh.query(`DELETE FROM ${table}`)
      await fresh.end()
    })

    it("sends what was committed, with its time, and nothing of what was rolled back", async () => {
      application = started()
      const before = Date.now()
      const times: Array<number> = []
      await application.transaction(async ({ audit, sql, savepoint }) => {
        await sql("INSERT INTO invoice (id) VALUES ('kept')")
        await audit(event("kept", { metadata: { text: "\u0000 'quoted' \ud800 ü 𝄞" } }))
        times.push(Date.now())
        await savepoint(async (part) => {
          await part.audit(event("rolled back to a savepoint"))
          throw new Rollback()
        })
        await savepoint(
          async (part) => void (await part.audit(event("kept too", { idempotency_key: "mine" })))
        )
      })
      await ended(
        application.transaction(async ({ audit }) => {
          await audit(event("rolled back"))
          throw new Rollback()
        })
      )
      await ended(
        application
          .transaction(async ({ audit }) => {
            await audit(event("before a failure"))
            await audit(event(""))
            assert.fail("an event without an actor was taken")
          })
          .catch((error: unknown) => {
            assert.instanceOf(error, EventRefusedError)
          })
      )
      await drained()
      assert.deepStrictEqual(service.actors(), ["kept", "kept too"])
      const [kept, mine] = service.log
      assert.deepStrictEqual(kept?.metadata, { text: "\u0000 'quoted' \ufffd ü 𝄞" })
      assert.match(String(kept?.idempotency_key), /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      assert.strictEqual(mine?.idempotency_key, "mine")
      const occurred = Date.parse(String(kept?.occurred_at))
      assert.isAtLeast(occurred, before)
      assert.isAtMost(occurred, times[0] ?? 0)
      assert.deepStrictEqual(await waiting(), [])
    })

    it("is drained by several relays at once, each event once", async () => {
      application = started()
      const relays = [
        relayOf(application, { batch: { count: 7 } }),
        relayOf(started(), { batch: { count: 7 } })
      ]
      const numbers = Array.from({ length: 60 }, (_, number) => number)
      // A transaction that is begun before all others and ends after them has the lowest number.
      let commit = () => {}
      const isOpen = new Promise<void>((resolve) => {
        commit = resolve
      })
      const slow =
        dialect === "sqlite"
          ? undefined
          : application.transaction(async ({ audit }) => {
              await audit(event("slow"))
              await isOpen
            })
      for (const number of numbers) {
        await application.transaction(async ({ audit }) => {
          await audit(event(`${number}`))
          await audit(event(`${number} again`))
        })
        relays[number % 2]?.notify()
      }
      await Promise.all(relays.map((relay) => relay.flush({ timeoutMillis: 60_000 })))
      assert.strictEqual(service.log.length, 120)
      commit()
      await slow
      // What a relay has sent and not removed yet is nobody else's to see.
      await Promise.all(relays.map((relay) => relay.close()))
      await drained(application)
      assert.strictEqual(new Set(service.actors()).size, slow === undefined ? 120 : 121)
      assert.strictEqual(service.log.length, slow === undefined ? 120 : 121)
      assert.strictEqual(service.duplicates(), 0)
      assert.deepStrictEqual(await waiting(), [])
    })

    it("is taken over from a relay that is gone, once its lease ends by the database's clock", async () => {
      application = started()
      await application.transaction(async ({ audit }) => {
        for (const actor of ["a", "b", "c"]) await audit(event(actor))
      })
      // The first sends and hears no answer; to others it looks as one that was killed.
      let isAsked = () => {}
      const asked = new Promise<void>((resolve) => {
        isAsked = resolve
      })
      let answer: () => void = () => {}
      const gone = started()
      const held: Fault = async () => {
        isAsked()
        await new Promise<void>((resolve) => {
          answer = resolve
        })
        return undefined
      }
      service.answer(held)
      const first = relayOf(gone, { requestMillis: 60_000, leaseMillis: 3_600_000 })
      await asked
      service.answer(() => undefined)
      await drained()
      assert.deepStrictEqual(service.actors(), [])
      const [{ id: lowest } = {}] = await application.query(`SELECT min(id) AS id FROM ${QUOTED}`)
      const clock =
        dialect === "sqlite"
          ? { past: "1", future: "1e15" }
          : { past: "now() - interval '1 second'", future: "now() + interval '2 hours'" }
      // One lease has ended; one was given before the clock stepped back.
      await application.query(`UPDATE ${QUOTED} SET claimed_until = ${clock.past} WHERE event LIKE '%"a"%'`)
      await application.query(`UPDATE ${QUOTED} SET claimed_until = ${clock.future} WHERE event LIKE '%"b"%'`)
      await drained()
      assert.deepStrictEqual(service.actors(), ["a", "b"])
      // Somebody has emptied the table and made its numbers start again.
      const over = dialect === "postgres" ? "OVERRIDING SYSTEM VALUE" : ""
      const again = JSON.stringify(event("again", { idempotency_key: "again" }))
      await application.query(
        `INSERT INTO ${QUOTED} (id, event_key, event) ${over} VALUES (${lowest}, 'again', '${again}')`
      )
      // The first comes back after all. What it sent twice is in the log once, and what came since is kept.
      await application.transaction(async ({ audit }) => void (await audit(event("d"))))
      answer()
      await first.flush({ timeoutMillis: 60_000 })
      assert.deepStrictEqual(service.actors(), ["a", "b", "c", "again", "d"])
      assert.strictEqual(service.duplicates(), 2)
      assert.deepStrictEqual(await waiting(), [])
    })

    it("puts aside what the service refuses, with the reason, and goes on", async () => {
      application = started()
      await application.transaction(async ({ audit }) => {
        for (const action of ["one", "refused", "two", "refused"]) await audit({ actor_id: action, action })
      })
      await drained()
      await application.transaction(
        async ({ audit }) => void (await audit({ actor_id: "r", action: "refused" }))
      )
      await drained()
      assert.deepStrictEqual(service.actors(), ["one", "two"])
      assert.deepStrictEqual(await waiting(), [])
      const refused = await application.query(`SELECT event, refusal FROM ${REFUSED} ORDER BY id`)
      assert.deepStrictEqual(
        refused.map((row) => [JSON.parse(String(row.event)).actor_id, JSON.parse(String(row.refusal))]),
        ["refused", "refused", "r"].map((actor) => [
          actor,
          {
            error: "validation_failed",
            message: "action is wrong",
            errors: [{ field: "action", message: "is wrong" }],
            request_id: "req_1"
          }
        ])
      )
      assert.deepStrictEqual(
        reports.map(({ kind, events }) => [kind, events.length]),
        [
          ["refused", 1],
          ["refused", 1],
          ["refused", 1]
        ]
      )
    })

    it("sends what is put back by the manual's SQL, without another event", async () => {
      application = started()
      await application.transaction(async ({ audit }) => {
        for (const actor of ["a", "b"]) await audit({ actor_id: actor, action: "refused" })
      })
      const relay = relayOf(application)
      await relay.flush({ timeoutMillis: 60_000 })
      service.takesAll()
      const manual = await readFile(new URL("../../../../docs/Client.md", import.meta.url), "utf8")
      const blocks = manual.split("```sql\n").slice(1)
      const again = blocks.find((block) => block.startsWith(dialect === "sqlite" ? "BEGIN" : "WITH")) ?? ""
      const [sql = ""] = again.split("```")
      for (const statement of sql.split(";").filter((text) => text.trim() !== "")) {
        await application.query(
          statement.replaceAll(/\bcairn_outbox(?:_refused)?\b/g, (name) =>
            name.endsWith("refused") ? REFUSED : QUOTED
          )
        )
      }
      while (service.log.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
      assert.deepStrictEqual(service.actors(), ["a", "b"])
      assert.deepStrictEqual(await application.query(`SELECT id FROM ${REFUSED}`), [])
    })

    it("keeps what it cannot send, gives it back when it is closed, and keeps to the size of a request", async () => {
      application = started()
      const large = { metadata: { text: "ü".repeat(1000) } }
      await application.transaction(async ({ audit }) => {
        for (const actor of ["a", "b", "c"]) await audit(event(actor, large))
        // Of one key, the second waits for the first.
        await audit(event("d", { idempotency_key: "same" }))
        await audit(event("e", { idempotency_key: "same" }))
      })
      const sizes: Array<number> = []
      service.answer((bodies) => {
        sizes.push(bodies.length)
        return sizes.length < 3 ? new Response("busy", { status: 503 }) : silence(bodies)
      })
      const relay = relayOf(application, { batch: { count: 2 } })
      while (sizes.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
      await relay.close({ timeoutMillis: 0 })
      assert.deepStrictEqual(sizes, [2, 2, 2])
      const claimed = `SELECT id FROM ${QUOTED} WHERE claimed_by IS NOT NULL`
      // Its time was over before it had given them back, which it does nevertheless.
      while ((await application.query(claimed)).length > 0)
        await new Promise((resolve) => setTimeout(resolve, 5))
      assert.strictEqual((await waiting()).length, 5)
      sizes.length = 0
      service.answer((bodies) => void sizes.push(bodies.length))
      // Two of the large ones have more bytes than that.
      await drained(application, { batch: { bytes: 4400 } })
      assert.deepStrictEqual(service.actors(), ["a", "b", "c", "d"])
      assert.strictEqual(service.duplicates(), 1)
      assert.deepStrictEqual(sizes, [2, 2, 1])
      assert.deepStrictEqual(await waiting(), [])
    })

    it.runIf(dialect === "postgres")(
      "goes on after its statements time out and its connections are cut",
      async () => {
        const plain = database
        const url = new URL(database)
        // Not statement_timeout: what postgres.js asks for as it connects would fail too, and is not caught.
        url.searchParams.set("options", "-c lock_timeout=50")
        database = url.href
        const relay = relayOf(started())
        database = plain
        application = started()
        const failed = async (times: number) => {
          while (reports.length < times) await new Promise((resolve) => setTimeout(resolve, 5))
        }
        await application.transaction(async ({ audit, sql }) => {
          await sql(`LOCK TABLE ${QUOTED} IN ACCESS EXCLUSIVE MODE`)
          await audit(event("a"))
          await failed(1)
        })
        await relay.flush({ timeoutMillis: 60_000 })
        assert.deepStrictEqual(service.actors(), ["a"])
        const { query } = await sharedPostgres()
        const others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        await query(database, `SELECT pg_terminate_backend(pid, 10000) ${others}`)
        await started().transaction(async ({ audit }) => void (await audit(event("b"))))
        await relay.flush({ timeoutMillis: 60_000 })
        assert.deepStrictEqual(service.actors(), ["a", "b"])
        assert.deepStrictEqual([...new Set(reports.map(({ kind }) => kind))], ["queue"])
      }
    )

    for (const isolation of dialect === "postgres" ? (["repeatable read", "serializable"] as const) : []) {
      it(`disturbs no transaction that is ${isolation}, and none disturbs it`, async () => {
        const url = new URL(database)
        const level = isolation.replace(" ", "\\ ")
        url.searchParams.set("options", `-c default_transaction_isolation=${level}`)
        const plain = database
        database = url.href
        application = started()
        const relays = [relayOf(application), relayOf(started()), relayOf(started())]
        database = plain
        for (let number = 0; number < 20; number++) {
          await application.transaction(async ({ audit, sql }) => {
            await sql("SELECT count(*) FROM invoice")
            await sql(`INSERT INTO invoice (id) VALUES ('${number}')`)
            await audit(event(`${number}`))
          }, isolation)
          relays[number % 3]?.notify()
        }
        await Promise.all(relays.map((relay) => relay.flush({ timeoutMillis: 60_000 })))
        await drained()
        assert.deepStrictEqual(reports, [])
        assert.strictEqual(service.log.length, 20)
        assert.strictEqual(service.duplicates(), 0)
      })
    }
  })
}
