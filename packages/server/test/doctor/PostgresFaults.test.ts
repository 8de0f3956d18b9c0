/** Faults that are planted in a real PostgreSQL, each found by one check and by no other. */
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { cairn, killLeftovers } from "../support/CairnProcess.ts"
import { POSTGRES_FAULTS, run } from "./PostgresPlanting.ts"
import { assertFound, assertHealthy, examine, fillDatabase, startPeer } from "./Ward.ts"

killLeftovers()

const KEY = Buffer.alloc(32, 1).toString("base64")

let postgres: TestPostgres
let peer: Awaited<ReturnType<typeof startPeer>>
let original = ""

/** A session of a database of its own that has begun a transaction, and does nothing. */
const beginIdle = async () => {
  const url = await postgres.newDatabase(original)
  // Idle after its first statement, until it is ended: the driver sends one more only then.
  const { PostgresClient } = await import("@cairn/storage-postgres")
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(
    Layer.buildWithScope(PostgresClient.layerQuiet({ url: Redacted.make(url), maxConnections: 1 }), scope)
  )
  const sql = Context.get(context, SqlClient.SqlClient)
  await Effect.runPromise(sql`SET idle_in_transaction_session_timeout = 0`)
  await Effect.runPromise(sql.unsafe("BEGIN"))
  return { url, scope, since: performance.now() }
}

/** More than a session may be idle in a transaction. */
const IDLE_MILLIS = 16_000

let idle: Awaited<ReturnType<typeof beginIdle>>

beforeAll(async () => {
  postgres = await startPostgres()
  peer = await startPeer()
  original = await postgres.newDatabase()
  await fillDatabase(original, peer.url)
  idle = await beginIdle()
})
afterAll(async () => {
  await peer.stop()
  await postgres.stop()
})

describe("cairn doctor, on PostgreSQL", () => {
  /** What is in every table. */
  const contents = async (url: string) => {
    const tables = await postgres.query(
      url,
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
    )
    return Promise.all(
      tables.map(async ({ name }) => [
        name,
        await postgres.query(
          url,
          `SELECT count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ${name} t`
        )
      ])
    )
  }

  it("finds nothing in what is healthy, and changes nothing there", async () => {
    const url = await postgres.newDatabase(original)
    const before = await contents(url)
    assertHealthy(await examine({ CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: KEY }))
    assert.deepStrictEqual(await contents(url), before)
  })

  for (const { name, plant, cure, after, ...expected } of POSTGRES_FAULTS) {
    it(`finds ${name}`, async () => {
      const url = await postgres.newDatabase(original)
      const base = { CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: KEY }
      const all = { ...base, ...(await plant(url)) }
      try {
        const results = await examine(all)
        assertFound(results, expected)
        if (cure === undefined) return
        const { findings } = results.find(({ id }) => id === expected.check) ?? { findings: [] }
        for (const { mend } of findings) await cure(url, mend)
        assertHealthy(await examine(all, {}, expected.check))
      } finally {
        await after?.(url)
      }
    })
  }

  it("finds a database that is not in UTF-8", async () => {
    const name = "ascii"
    await postgres.query(
      original,
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0 LOCALE_PROVIDER libc`
    )
    const url = new URL(original)
    url.pathname = `/${name}`
    const { code, stderr } = await cairn(["migrate"], { database: url.href })
    assert.strictEqual(code, 0, stderr)
    assertFound(await examine({ CAIRN_DATABASE_URL: url.href, CAIRN_SECRET_KEY: KEY }), {
      check: "postgres-encoding",
      cause: /encoded in SQL_ASCII, not in UTF8/,
      mend: /ENCODING 'UTF8'/
    })
  })

  it("finds a session that keeps a transaction open", async () => {
    const { url, since, scope } = idle
    // The other tests have taken most of the time after which it is found.
    const left = IDLE_MILLIS - (performance.now() - since)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)))
    const all = { CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: KEY }
    const results = await examine(all)
    assertFound(results, {
      check: "postgres-sessions",
      severity: "warning",
      cause: /^the session \d+ \(cairn\) has been idle in a transaction for \d+ seconds$/,
      mend: /^SELECT pg_terminate_backend\(\d+\)$/
    })
    const { findings } = results.find(({ id }) => id === "postgres-sessions") ?? { findings: [] }
    for (const { mend } of findings) await run(url, mend)
    assertHealthy(await examine(all))
    await Effect.runPromise(Effect.ignore(Scope.close(scope, Exit.void)))
  })
})
