/** Servers that read from a replica of their database, whatever happens to the replica. */
import { type ReplicatedPostgres, startReplicated } from "@cairn/testing/ReplicatedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, type Server, startServer, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { scrapedValue } from "../support/ScrapedMetrics.ts"

const TOKEN = "0123456789abcdef0123456789abcdef"
const HEADER = "x-cairn-position"

/** The same URL, on another server. */
const onPort = (url: string, port: number): string => {
  const other = new URL(url)
  other.port = String(port)
  return other.href
}

describe("servers with a read replica", () => {
  killLeftovers()
  let servers: ReplicatedPostgres
  let database: string
  let replicaUrl: string
  let tenant: Tenant
  const started: Array<Server> = []

  const start = async (): Promise<Server> => {
    const server = await startServer({
      database,
      variables: { CAIRN_DATABASE_READ_URL: replicaUrl, CAIRN_METRICS_TOKEN: TOKEN }
    })
    started.push(server)
    return server
  }

  /** Reads of the log that a source has answered for a server. */
  const readsBy = async ({ baseUrl }: Server, source: "primary" | "replica") => {
    const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    return scrapedValue(await answer.text(), "cairn_log_reads_total", { source }) ?? 0
  }

  const isUsed = (server: Server) =>
    eventually("the replica is used", () =>
      /A read replica is used/.test(server.stderr()) ? true : undefined
    )

  beforeAll(async () => {
    servers = await startReplicated()
    const [primary, standby] = servers.nodes
    // Its commits wait for nobody: what a replica has is another question.
    await primary.session(async (query) => {
      await query("ALTER SYSTEM SET synchronous_standby_names = ''")
      await query("SELECT pg_reload_conf()")
    })
    database = await primary.newDatabase()
    replicaUrl = onPort(database, standby.port)
    tenant = await makeTenant("one", { database, plan: "enterprise" })
  }, 120_000)
  afterAll(async () => {
    for (const server of started) await server.kill()
    await servers.stop()
  })

  it("read lists and events there, and never miss what was written", { timeout: 60_000 }, async () => {
    const one = await start()
    const other = await start()
    await isUsed(one)
    await isUsed(other)
    const writer = apiClient(one.baseUrl, tenant.key)
    const reader = apiClient(other.baseUrl, tenant.key)
    for (let index = 0; index < 20; index++) {
      const sent = await writer.send({ actor_id: "one", action: `user.step_${index}` })
      assert.strictEqual(sent.status, 202)
      const position = sent.headers.get(HEADER) ?? ""
      assert.match(position, /^1-[0-9a-f]{16}-[0-9a-f]{8}-[0-9a-f]{14}$/)
      const { id } = sent.body as { readonly id: string }
      const found = await reader.request("GET", `/api/v1/events/${id}`, undefined, { [HEADER]: position })
      assert.strictEqual(found.status, 200, JSON.stringify(found.body))
      assert.strictEqual((await reader.get(`/events/${id}`)).status, 200)
    }
    await eventually("all are listed", async () =>
      (await reader.list()).filter(({ action }) => action.startsWith("user.step")).length === 20
        ? true
        : undefined
    )
    assert.isAbove(await readsBy(other, "replica"), 20)
  })
})
