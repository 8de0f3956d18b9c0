/**
 * A database that was put back under a running server: it is not ready until the operator accepts the loss,
 * and says so in the log.
 */
import { copyFileSync } from "node:fs"
import { siblingFile } from "@cairn/storage-sqlite"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { testDatabases } from "../support/TestDatabase.ts"

killLeftovers()
const PATIENCE = 120_000

describe("cairn recover on PostgreSQL", () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  it("says what is missing, and makes what is there the log beside a running server", {
    timeout: 300_000
  }, async () => {
    const database = await postgres.newDatabase()
    const [name, root] = [new URL(database).pathname.slice(1), new URL(database)]
    root.pathname = "/postgres"
    /** Nobody may be connected to a database that is copied or renamed. */
    const alone = async (...statements: ReadonlyArray<string>) => {
      for (const statement of statements) {
        await eventually(
          statement,
          async () => {
            await postgres.query(
              root.href,
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE '${name}%'`
            )
            return postgres.query(root.href, statement).then(
              () => true,
              () => undefined
            )
          },
          PATIENCE
        )
      }
    }
    const none = await cairn(["recover"], { database })
    assert.strictEqual(none.code, 0, none.stderr)
    assert.match(none.stdout, /No known losses/)

    const tenant = await makeTenant("Recovered", { database })
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, tenant.key)
    const ready = async () => (await fetch(`${server.baseUrl}/readyz`)).status
    const send = (action: string) => client.request("POST", "/api/v1/events", { actor_id: "ada", action })
    const logged = (action: string) =>
      eventually(
        `${action} is in the log`,
        async () => ((await client.list({ action })).length > 0 ? true : undefined),
        PATIENCE
      )
    await send("a.first")
    await logged("a.first")
    await alone(`CREATE DATABASE ${name}_copy TEMPLATE ${name}`)
    await eventually(
      "it is there again",
      async () => ((await send("a.second")).status === 202 ? true : undefined),
      PATIENCE
    )
    await logged("a.second")
    for (let count = 0; count < 3; count++) await send("a.lost")
    await eventually(
      "all are in the log",
      async () => ((await client.list({ action: "a.lost" })).length === 3 ? true : undefined),
      PATIENCE
    )
    assert.strictEqual((await client.get("/checkpoint")).status, 200)

    await alone(
      `ALTER DATABASE ${name} RENAME TO ${name}_old`,
      `ALTER DATABASE ${name}_copy RENAME TO ${name}`
    )
    await eventually(
      "it says that it is not ready, and why",
      async () =>
        (await (await fetch(`${server.baseUrl}/readyz`)).text()).includes("cairn recover") ? true : undefined,
      PATIENCE
    )
    assert.strictEqual((await send("a.third")).status, 503)
    assert.strictEqual((await client.get("/checkpoint")).status, 503)
    const told = await cairn(["recover"], { database })
    assert.strictEqual(told.code, 1)
    assert.include(told.stdout, `the log of ${tenant.workspaceId} was seen at event`)
    assert.include(told.stdout, "cairn recover --accept-loss")
    assert.include(server.stderr(), "The database is behind what was seen of it")

    const accepted = await cairn(["recover", "--accept-loss"], { database })
    assert.strictEqual(accepted.code, 0, accepted.stdout + accepted.stderr)
    await eventually("it is ready", async () => ((await ready()) === 200 ? true : undefined), PATIENCE)
    await eventually(
      "it accepts",
      async () => ((await send("a.fourth")).status === 202 ? true : undefined),
      PATIENCE
    )
    await logged("cairn.log.loss_accepted")
    await logged("a.fourth")
    // It had more events when it was signed for.
    const refused = await client.get("/checkpoint")
    assert.deepStrictEqual(
      [refused.status, /once it has more than \d+/.test(JSON.stringify(refused.body))],
      [503, true]
    )
    assert.isTrue((await client.verify()).valid)
    await server.stop()

    // A command that was ended right after it had accepted: the next start writes what it did not, and
    // nothing does it twice.
    await postgres.query(
      database,
      `INSERT INTO log_loss (workspace_id, seen_sequence, furthest, found_sequence, noticed_at, accepted_at, acceptance)
       VALUES ('${tenant.workspaceId}', 9, 9, 8, 1, 2, 'ended')`
    )
    const [again, third] = [await startServer({ database }), await startServer({ database })]
    const later = apiClient(again.baseUrl, tenant.key)
    const records = () => later.list({ action: "cairn.log.loss_accepted" })
    await eventually(
      "the second is in the log",
      async () => ((await records()).length > 1 ? true : undefined),
      PATIENCE
    )
    assert.strictEqual((await cairn(["recover", "--accept-loss"], { database })).code, 0)
    assert.lengthOf(await records(), 2)
    const unwritten = await postgres.query(database, "SELECT FROM log_loss WHERE recorded_at IS NULL")
    assert.deepStrictEqual(unwritten, [])
    for (const each of [again, third]) await each.stop()
  })
})

describe("cairn recover on SQLite", () => {
  const { newDatabase } = testDatabases("SQLite")

  it("says that nothing is lost, and accepts that a checkpoint was signed for more than there is", {
    timeout: 300_000
  }, async () => {
    const target = await newDatabase()
    const { database } = target
    const tenant = await makeTenant("Recovered", { database })
    const first = await startServer({ database })
    const client = apiClient(first.baseUrl, tenant.key)
    await client.accept({ actor_id: "ada", action: "a.b" })
    assert.strictEqual((await client.get("/checkpoint")).status, 200)
    await first.stop()
    assert.match((await cairn(["recover"], { database })).stdout, /No known losses/)
    // What was signed is another log's, as after a restore of the log alone.
    await target.run(`UPDATE checkpoint SET root = '${"0".repeat(64)}'`)
    const told = await cairn(["recover"], { database })
    assert.strictEqual(told.code, 1)
    assert.match(told.stdout, /does not begin with the \d+ events that a checkpoint was signed for/)
    const accepted = await cairn(["recover", "--accept-loss"], { database })
    assert.strictEqual(accepted.code, 0, accepted.stderr)
    const again = await startServer({ database })
    const later = apiClient(again.baseUrl, tenant.key)
    await later.accept({ actor_id: "ada", action: "a.c" })
    await eventually(
      "it is signed beyond what was",
      async () => ((await later.get("/checkpoint")).status === 200 ? true : undefined),
      PATIENCE
    )
    await again.stop()
  })

  it("names a log that was put back together with what was signed, and has it signed beyond what it held", {
    timeout: 300_000
  }, async () => {
    const { database } = await newDatabase()
    const [log, consumers] = [database, siblingFile(database, "consumers")]
    const tenant = await makeTenant("Put back", { database })
    const signedOf = async (client: ReturnType<typeof apiClient>) => {
      const { status, body } = await client.request("GET", "/api/v1/checkpoint")
      const [, size, root] = String(body).split("\n")
      return status === 200 ? { size: Number(size), root } : undefined
    }
    /** Runs `use` beside a server. */
    const served = async <A>(
      use: (
        client: ReturnType<typeof apiClient>,
        server: Awaited<ReturnType<typeof startServer>>
      ) => Promise<A>
    ) => {
      const server = await startServer({ database })
      const answer = await use(apiClient(server.baseUrl, tenant.key), server)
      await server.stop()
      return answer
    }
    await served((client) => client.accept({ actor_id: "ada", action: "a.first" }))
    for (const file of [log, consumers]) copyFileSync(file, `${file}.copy`)
    const signed = await served(async (client) => {
      await client.accept({ actor_id: "ada", action: "a.second" })
      return signedOf(client)
    })
    for (const file of [log, consumers]) copyFileSync(`${file}.copy`, file)
    await served(async (client, server) => {
      assert.include(server.stderr() + server.stdout(), "A log no longer has events that it once had")
      assert.strictEqual((await fetch(`${server.baseUrl}/readyz`)).status, 200)
      await client.accept({ actor_id: "ada", action: "a.third" })
      assert.isUndefined(await signedOf(client))
      assert.isFalse((await client.verify()).valid)
      const told = await cairn(["recover"], { database })
      assert.strictEqual(told.code, 1)
      assert.include(told.stdout, `no longer has the ${signed?.size} events that it once had`)
      assert.strictEqual((await cairn(["recover", "--accept-loss"], { database })).code, 0)
      const after = await eventually("it is signed again", () => signedOf(client), PATIENCE)
      assert.isAbove(after.size, signed?.size ?? 0)
      assert.isTrue((await client.verify()).valid)
      const [record, ...others] = await client.list({ action: "cairn.log.loss_accepted" })
      assert.deepStrictEqual(others, [])
      assert.deepNestedInclude(record, {
        "metadata.signed_size": null,
        "metadata.losses[0].seen.sequence": signed?.size
      })
    })
    assert.match((await cairn(["recover"], { database })).stdout, /No known losses/)
  })
})
