/** `cairn erase` beside a server that is sent as much as it takes, on SQLite. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, makeTenant, startServer, type Tenant } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const ERASURES = 3
const WRITERS = 4
const BATCH = 100

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe("cairn erase", () => {
  killLeftovers()
  const folder = temporaryFolder()

  const filled = async () => {
    const database = join(folder, "cairn.db")
    const tenant = await makeTenant("loaded", { database, plan: "enterprise" })
    const server = await startServer({ database, variables: { CAIRN_INBOX_CAPACITY: "2000" } })
    const api = apiClient(server.baseUrl, tenant.key)
    const events = Array.from({ length: ERASURES }, (_, at) => ({ actor_id: `gone-${at}`, action: "opened" }))
    await api.acceptBatch(events)
    return { database, tenant, server, api }
  }

  const erase = async (database: string, { workspaceId }: Tenant, actor: string) => {
    const args = ["erase", "-w", workspaceId, "--actor", actor, "--reason", "asked", "--yes"]
    const { code, stderr } = await cairn(args, { database })
    assert.strictEqual(code, 0, stderr)
  }

  it("erases beside a server that writes all the time", { timeout: 180_000 }, async () => {
    const { database, tenant, server, api } = await filled()
    let over = false
    const events = Array.from({ length: BATCH }, () => ({ actor_id: "stays", action: "file.opened" }))
    const writing = Array.from({ length: WRITERS }, async () => {
      // A server that is full answers 503.
      while (!over)
        if ((await api.request("POST", "/api/v1/events/batch", { events })).status === 503) await pause(20)
    })
    try {
      for (let at = 0; at < ERASURES; at++) await erase(database, tenant, `gone-${at}`)
    } finally {
      over = true
      await Promise.all(writing)
    }
    for (let at = 0; at < ERASURES; at++)
      assert.deepStrictEqual(await api.list({ actor_id: `gone-${at}` }), [])
    await server.kill()
  })
})
