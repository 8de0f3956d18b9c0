/** Faults of several PostgreSQL servers, planted in real ones, each found by one check and by no other. */
import { startPostgres } from "@cairn/testing/EmbeddedPostgres"
import { type ReplicatedPostgres, startReplicated } from "@cairn/testing/ReplicatedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cairn, killLeftovers } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { assertFound, assertHealthy, type Expected, examine, startMute } from "./Ward.ts"

killLeftovers()

const KEY = Buffer.alloc(32, 1).toString("base64")

let servers: ReplicatedPostgres
/** The database by its first primary alone, and by both servers. */
let [alone, both] = ["", ""]

beforeAll(async () => {
  // Nothing but the doctor, and what the tests do, begins a transaction.
  servers = await startReplicated({ autovacuum_naptime: "1h" })
  alone = await servers.nodes[0].newDatabase()
  both = servers.withBoth(alone)
  const { code, stderr } = await cairn(["migrate"], { database: both })
  assert.strictEqual(code, 0, stderr)
})
afterAll(() => servers.stop())

const examined = async (url: string, only?: string) => {
  const results = await examine({ CAIRN_DATABASE_URL: url, CAIRN_SECRET_KEY: KEY }, {}, only)
  assert.notInclude(JSON.stringify(results), decodeURIComponent(new URL(alone).password))
  return results
}

const run = (...statements: ReadonlyArray<string>) =>
  statements.reduce<Promise<unknown>>(
    (before, statement) => before.then(() => servers.nodes[0].query(alone, statement)),
    Promise.resolve()
  )

/** The URL with one more server. */
const withThird = (host: string): string => both.replace(/(@[^/]+)/, `$1,${host}`)

/** What one server of the whole says, and what makes it healthy again. */
const finds = async (url: string, expected: Expected, cure: (mend: string) => Promise<unknown>) => {
  const results = await examined(url)
  assertFound(results, expected)
  const { findings } = results.find(({ id }) => id === expected.check) ?? { findings: [] }
  for (const { mend } of findings) await cure(mend)
  await eventually("the doctor is content", async () => {
    const ailing = (await examined(both, expected.check)).filter(({ findings: still }) => still.length > 0)
    return ailing.length === 0 || undefined
  })
}

const reload = "SELECT pg_reload_conf()"

describe("cairn doctor, of a primary and its standby", () => {
  it("finds nothing in what is healthy, and begins nothing that writes", async () => {
    const next = () =>
      servers.nodes[0].query(alone, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next")
    const before = await next()
    const results = await examined(both)
    assertHealthy(results)
    for (const id of ["postgres-hosts", "postgres-systems", "postgres-primaries", "postgres-synchronous"]) {
      assert.strictEqual(results.find((result) => result.id === id)?.status, "ok", id)
    }
    assert.deepStrictEqual(await next(), before)
  })

  it("does not look for others where one server is named", async () => {
    const results = await examined(alone)
    assertHealthy(results)
    assert.include(
      results.find(({ id }) => id === "postgres-hosts"),
      { status: "skipped", skipped: "CAIRN_DATABASE_URL names one server" }
    )
  })

  it("finds nothing as a role that may not see what others' sessions do", async () => {
    await run("CREATE ROLE narrow LOGIN PASSWORD 'narrow'", "CREATE DATABASE of_narrow OWNER narrow")
    const own = new URL("/of_narrow", alone)
    own.username = "narrow"
    own.password = "narrow"
    const url = servers.withBoth(own.href)
    const { code, stderr } = await cairn(["migrate"], { database: url })
    assert.strictEqual(code, 0, stderr)
    assertHealthy(await examined(url))
  })

  it("finds a server that is not there, beside those that are", () =>
    finds(
      withThird("127.0.0.1:1"),
      {
        check: "postgres-hosts",
        severity: "warning",
        cause: /^127\.0\.0\.1:1 cannot take over: .*ECONNREFUSED/,
        mend: /^start PostgreSQL, .*; this is about 127\.0\.0\.1:1$/
      },
      async () => undefined
    ))

  it("finds a server that takes connections and says nothing, without waiting for it", async () => {
    const mute = await startMute()
    const began = performance.now()
    assertFound(await examined(withThird(mute.host)), {
      check: "postgres-hosts",
      severity: "warning",
      cause: /cannot take over: the server does not answer$/,
      mend: /^open the way to the host and port/
    })
    assert.isBelow(performance.now() - began, 12_000)
    mute.stop()
  })

  it("finds a server of another database system", async () => {
    const other = await startPostgres()
    try {
      const there = new URL(await other.newDatabase())
      await other.query(there.href, `CREATE DATABASE ${new URL(alone).pathname.slice(1)}`)
      await finds(
        withThird(there.host),
        {
          check: "postgres-systems",
          cause: new RegExp(`^${there.host} and 127\\.0\\.0\\.1:\\d+ are different database systems`),
          mend: /^take the wrong one out of CAIRN_DATABASE_URL/
        },
        async () => undefined
      )
    } finally {
      await other.stop()
    }
  })

  it("finds commits that wait for no standby", async () => {
    await run("ALTER SYSTEM SET synchronous_standby_names = ''", reload)
    await eventually("it is read", async () => {
      const [row] = await servers.nodes[0].query(alone, "SHOW synchronous_standby_names")
      return row?.synchronous_standby_names === "" || undefined
    })
    await finds(
      both,
      {
        check: "postgres-synchronous",
        severity: "warning",
        cause: /^commits wait for no standby \(synchronous_standby_names is empty\)/,
        mend: /synchronous_mode: true$/
      },
      (mend) => run(...mend.replace(/^.* connected, (.*); with.*$/, "$1").split("; "))
    )
  })

  it("finds a role whose commits wait for no standby", async () => {
    const { pathname } = new URL(alone)
    await run(`ALTER DATABASE ${pathname.slice(1)} SET synchronous_commit = local`)
    await finds(
      both,
      {
        check: "postgres-synchronous",
        severity: "warning",
        cause: /^commits wait for no standby \(synchronous_commit is local\)/,
        mend: /^ALTER SYSTEM SET synchronous_commit = on/
      },
      () => run(`ALTER DATABASE ${pathname.slice(1)} RESET synchronous_commit`)
    )
  })

  it("finds a primary whose sessions begin read-only, and no other way to write", async () => {
    const name = new URL(alone).pathname.slice(1)
    await run(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await finds(
      both,
      {
        check: "postgres-writable",
        cause: /^sessions begin read-only/,
        mend: /RESET default_transaction_read_only/
      },
      () =>
        servers.nodes[0].query(
          new URL("/postgres", alone).href,
          `ALTER DATABASE ${name} RESET default_transaction_read_only`
        )
    )
  })

  it("finds that a server has seen a newer timeline, and more of a log", async () => {
    await run(
      "INSERT INTO log_loss (workspace_id, seen_timeline, found_timeline, noticed_at) VALUES (NULL, 4, 1, 1)",
      "INSERT INTO log_loss (workspace_id, seen_sequence, found_sequence, noticed_at) VALUES ('wsp_1', 9, 7, 1)"
    )
    const expected = { check: "losses", mend: /cairn recover lists what is lost/ }
    assertFound(await examined(both), { ...expected, cause: /^a log lacks events that a server has seen$/ })
    await finds(
      both,
      { ...expected, cause: /^the database was seen at timeline 4, and is now at timeline 1: it is an old/ },
      () => run("UPDATE log_loss SET accepted_at = 1")
    )
  })

  it("finds that no server takes writes, then that two do", async () => {
    const [old, newer] = servers.nodes
    await old.kill()
    assertFound(await examined(both), {
      check: "database",
      cause: new RegExp(
        `no server can be used: .*ECONNREFUSED.*, 127\\.0\\.0\\.1:${newer.port} is a standby$`
      ),
      mend: /^start the primary, or promote a standby \(SELECT pg_promote\(\)\)/
    })
    await newer.promote()
    await old.start()
    assertFound(await examined(both), {
      check: "postgres-primaries",
      cause: new RegExp(
        `^127.0.0.1:${old.port} on timeline 1 takes writes beside 127.0.0.1:${newer.port} on timeline 2: `
      ),
      mend: new RegExp(`^stop PostgreSQL on 127.0.0.1:${old.port}, .*pg_rewind`),
      // Nothing follows the new one yet.
      besides: ["postgres-synchronous"]
    })
  })
})
