/** Faults that are planted in a real PostgreSQL, each found by one check and by no other. */

import { manualClock } from "@cairn/testing"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { cairn, killLeftovers } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
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
  // It is kept out of the pool, which closes what is unused for long.
  const connection = await Effect.runPromise(Effect.provideService(sql.reserve, Scope.Scope, scope))
  for (const statement of ["SET idle_in_transaction_session_timeout = 0", "BEGIN"])
    await Effect.runPromise(connection.executeUnprepared(statement, [], undefined))
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
    // The server ends a session a moment after it was told to.
    const open = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND xact_start < now()"
    await eventually("it has ended", async () => (await postgres.query(url, open)).length === 0 || undefined)
    assertHealthy(await examine(all))
    await Effect.runPromise(Effect.ignore(Scope.close(scope, Exit.void)))
  })

  /** Has the functions of this name in `public` stand before the server's own. */
  const standIn = async (url: string, definition: string) => {
    await run(url, definition)
    await run(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`)
  }

  it("finds a server that is too old", async () => {
    const url = await postgres.newDatabase(original)
    const all = { CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: KEY }
    const ofVersion = (number: string) =>
      standIn(
        url,
        `CREATE OR REPLACE FUNCTION public.current_setting(name text) RETURNS text LANGUAGE sql AS $$
          SELECT CASE name WHEN 'server_version_num' THEN '${number}' ELSE pg_catalog.current_setting(name) END $$`
      )
    await ofVersion("130022")
    assertFound(await examine(all, {}, "postgres-version"), {
      check: "postgres-version",
      cause: /^the server is PostgreSQL 13, and Cairn needs 14 or newer$/,
      mend: /^pg_upgrade/
    })
    await ofVersion("140000")
    assertHealthy(await examine(all, {}, "postgres-version"))
  })

  it("finds rows so old that transaction numbers run out", async () => {
    const url = await postgres.newDatabase(original)
    const all = { CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: KEY }
    for (const [age, severity] of [
      [999_000_000, undefined],
      [1_000_100_000, "warning"],
      [1_599_000_000, "warning"],
      [1_600_100_000, "error"]
    ] as const) {
      await postgres.query(
        url,
        `UPDATE pg_database SET datfrozenxid =
          (((pg_current_xact_id()::text::bigint - ${age} + 4294967296) % 4294967296)::text)::xid
        WHERE datname = current_database()`
      )
      const results = await examine(all, {}, "postgres-wraparound")
      if (severity === undefined) assertHealthy(results)
      else
        assertFound(results, {
          check: "postgres-wraparound",
          severity,
          cause: new RegExp(
            `^the oldest row is ${String(age).slice(0, 5)}\\d+ transactions old, and the server stops`
          ),
          mend: /then VACUUM \(FREEZE\) in this database$/
        })
    }
    // As it is mended: nothing else holds rows up here.
    await run(url, "VACUUM (FREEZE)")
    assertHealthy(await examine(all, {}, "postgres-wraparound"))
  })

  it("finds to the second by how much the clock differs from the server's", async () => {
    const NOON = 1_782_907_200_000_000
    const url = await postgres.newDatabase(original)
    await standIn(
      url,
      `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT to_timestamp(${NOON / 1_000_000}) $$`
    )
    // It stands, and no deadline comes.
    const standing = (now: number) => ({ ...manualClock(now).clock, sleep: () => Effect.never })
    const atTime = (now: number) =>
      examine({ CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: KEY }, {}, "clock-database", standing(now))
    for (const [seconds, severity, says] of [
      [120, "error", "120 seconds ahead of"],
      [-120, "error", "120 seconds behind"],
      [61, "error", "61 seconds ahead of"],
      [60, "warning", "60 seconds ahead of"],
      [-5.6, "warning", "6 seconds behind"]
    ] as const)
      assertFound(await atTime(NOON + seconds * 1_000_000), {
        check: "clock-database",
        severity,
        cause: new RegExp(`^the clock of this machine is ${says} that of the database$`),
        mend: /timedatectl set-ntp true/
      })
    for (const seconds of [-5, 0, 5]) assertHealthy(await atTime(NOON + seconds * 1_000_000))
  })
})
