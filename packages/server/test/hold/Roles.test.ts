import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

const folder = temporaryFolder()
killLeftovers()

describe.each(DATABASES)("a server's role on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)

  it("api takes requests and leaves sequencing to a worker, which takes none", async () => {
    const { database } = await newDatabase()
    const tenant = await makeTenant("Roles", { database })
    const api = await startServer({ database, role: "api" })
    const client = apiClient(api.baseUrl, tenant.key)
    const { id } = await client.accept({ actor_id: "a", action: "role.tested" })
    // The command that made the workspace sequenced nothing, and neither does this process.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    assert.deepStrictEqual(await client.list(), [])
    assert.strictEqual((await client.verify()).events_checked, 0)

    const worker = await startServer({ database, role: "worker" })
    await eventually("the worker sequenced it", async () =>
      (await client.list()).some((event) => event.id === id) ? true : undefined
    )
    assert.isTrue((await client.verify()).valid)
    for (const path of ["/healthz", "/readyz"]) {
      assert.strictEqual((await fetch(`${worker.baseUrl}${path}`)).status, 200)
    }
    const headers = { authorization: `Bearer ${tenant.key}` }
    assert.strictEqual((await fetch(`${worker.baseUrl}/api/v1/events`, { headers })).status, 404)
    assert.deepStrictEqual(
      (await Promise.all([api.stop(), worker.stop()])).map(({ code }) => code),
      [0, 0]
    )
  })
})

describe("a server's role", () => {
  it("that does not exist is refused", async () => {
    const { code, stderr, stdout } = await cairn(["serve", "--role", "boss"], {
      database: join(folder, "x.db")
    })
    assert.notStrictEqual(code, 0)
    assert.match(`${stdout}${stderr}`, /boss/)
  })
})
