/**
 * A log in PostgreSQL that pg_dump has written and pg_restore puts into another database: with the tools and
 * the server of the system, since a pg_dump refuses a server that is newer.
 */
import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { databasesOn, freePort } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { assertHealthy, examine, fillDatabase, startPeer } from "../doctor/Ward.ts"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, loggedErrors, SECRET_KEY, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"

killLeftovers()

/** Where Debian has them, the newest version's. */
const PLACES = "/usr/lib/postgresql"
const bin = existsSync(PLACES)
  ? readdirSync(PLACES)
      .filter((version) => Number(version) >= 14)
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(PLACES, version, "bin"))
      .find((folder) =>
        ["initdb", "postgres", "pg_dump", "pg_restore"].every((n) => existsSync(join(folder, n)))
      )
  : undefined

/** PostgreSQL refuses to run as root. */
const owner = () => {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: idOf("-u"), gid: idOf("-g") }
}

const start = async (programs: string) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-dumped-"))
  const as = owner()
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, "data")
  const flags = ["-U", "cairn", "--auth=trust", "--encoding=UTF8", "--locale=C"]
  execFileSync(join(programs, "initdb"), ["-D", data, ...flags], { ...as, cwd: folder, stdio: "ignore" })
  const port = await freePort()
  const args = ["-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1"]
  const child = spawn(join(programs, "postgres"), args, { ...as, cwd: folder, stdio: "ignore" })
  const { newDatabase } = databasesOn(port)
  const ended = new Promise((resolve) => child.on("close", resolve))
  await eventually("PostgreSQL takes connections", () =>
    newDatabase().then(
      () => true,
      () => undefined
    )
  )
  const stop = async () => {
    child.kill("SIGINT")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { newDatabase, folder, stop }
}

describe.skipIf(bin === undefined)("a dump of PostgreSQL (needs its pg_dump, of version 14 or newer)", () => {
  let postgres: Awaited<ReturnType<typeof start>>
  let peer: Awaited<ReturnType<typeof startPeer>>
  const run = (program: string, ...args: ReadonlyArray<string>) =>
    execFileSync(join(bin ?? "", program), args, { encoding: "utf8" })

  beforeAll(async () => {
    postgres = await start(bin ?? "")
    peer = await startPeer()
  })
  afterAll(async () => {
    await peer.stop()
    await postgres.stop()
  })

  it("is the log once it is restored: healthy, served, verified, and continued", {
    timeout: 120_000
  }, async () => {
    const [url, other] = [await postgres.newDatabase(), await postgres.newDatabase()]
    const tenant = await fillDatabase(url, peer.url)
    const dump = join(tmpdir(), `cairn-${process.pid}.dump`)
    run("pg_dump", "--format=custom", "--file", dump, url)
    run("pg_restore", "--exit-on-error", "--dbname", other, dump)
    rmSync(dump)
    assertHealthy(await examine({ CAIRN_DATABASE_URL: other, CAIRN_SECRET_KEY: SECRET_KEY }))
    const verified = await cairn(["verify"], { database: other })
    assert.strictEqual(verified.code, 0, `${verified.stdout}${verified.stderr}`)
    const server = await startServer({ database: other })
    const client = apiClient(server.baseUrl, tenant.key)
    const before = (await client.verify()).events_checked
    assert.isAbove(before, 1_100)
    assert.lengthOf(await client.list({ action: "invoice.paid" }), 1_100)
    await client.accept({ actor_id: "ada", action: "after.restore" })
    await eventually("it is in the log", async () => (await client.list({ action: "after.restore" }))[0])
    const after = await client.verify()
    assert.isTrue(after.valid)
    assert.strictEqual((await client.get("/checkpoint")).status, 200)
    await server.stop()
    assert.deepStrictEqual(loggedErrors(server.stderr()), [])
    assertHealthy(await examine({ CAIRN_DATABASE_URL: other, CAIRN_SECRET_KEY: SECRET_KEY }))
  })

  it("that leaves out indexes and triggers is told of by the doctor", {
    timeout: 120_000
  }, async () => {
    const [url, other] = [await postgres.newDatabase(), await postgres.newDatabase()]
    assert.strictEqual((await cairn(["migrate"], { database: url })).code, 0)
    const dump = join(tmpdir(), `cairn-${process.pid}-part.dump`)
    run("pg_dump", "--format=custom", "--section=pre-data", "--section=data", "--file", dump, url)
    run("pg_restore", "--exit-on-error", "--dbname", other, dump)
    rmSync(dump)
    const results = await examine({ CAIRN_DATABASE_URL: other, CAIRN_SECRET_KEY: SECRET_KEY })
    const causes = (id: string) =>
      (results.find((result) => result.id === id)?.findings ?? []).map(({ cause }) => cause)
    assert.include(causes("schema-objects"), "the index event_created_at is missing")
    assert.include(causes("append-only").join("\n"), "the trigger event_is_append_only on event is missing")
  })
})
