/** A server whose log is spread over machines, of which one dies; then the end of a log, and the way back. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  citusQuery,
  citusUrl,
  dropCitusDatabases,
  freezeMachine,
  holdCluster,
  killMachine,
  newCitusDatabase,
  unlessCitus
} from "@cairn/testing/CitusCluster"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient, errorCode } from "../support/ApiClient.ts"
import {
  cairn,
  killLeftovers,
  makeTenant,
  SECRET_KEY,
  startServer,
  type Tenant
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const EVENT = { actor_id: "ada", action: "document.created" }
/** Within what a machine that went must be missed, or one that came back found. */
const NOTICED = 60_000
/** Within what a server starts where a machine answers nothing: sooner than Citus gives it up. */
const STARTS = 25_000

/** Where a workspace is. */
const portOf = async (url: string, { workspaceId }: Tenant): Promise<number> => {
  const [row] = await citusQuery(
    url,
    `SELECT n.nodeport AS port FROM workspace w
     CROSS JOIN LATERAL get_shard_id_for_distribution_column('head', w.number) s (id)
     JOIN pg_dist_placement p ON p.shardid = s.id JOIN pg_dist_node n ON n.groupid = p.groupid
     WHERE w.id = '${workspaceId}'`
  )
  return Number(row?.port)
}

/** Tenants on two machines. */
const tenantsApart = async (url: string): Promise<readonly [Tenant, Tenant, number]> => {
  const first = await makeTenant("Acme", { database: url })
  const at = await portOf(url, first)
  for (let number = 1; number < 20; number++) {
    const other = await makeTenant(`Other ${number}`, { database: url })
    const port = await portOf(url, other)
    if (port !== at) return [first, other, port]
  }
  throw new Error("all workspaces are on one machine")
}

const succeed = async (args: ReadonlyArray<string>, database: string): Promise<void> => {
  const { code, stderr } = await cairn(args, { database })
  assert.strictEqual(code, 0, stderr)
}

/** Verifies a log with this many events of its clients, once they are in it. */
const holds = async (client: ApiClient, count: number): Promise<void> => {
  await eventually(
    `${count} events are in the log`,
    async () => (await client.list({ action: EVENT.action })).length === count || undefined,
    NOTICED
  )
  assert.isTrue((await client.verify()).valid)
}

/** Nothing of a log can be written or read: its machine is away. */
const isAway = async (client: ApiClient): Promise<void> => {
  for (const ask of [() => client.send(EVENT), () => client.get("/events"), () => client.get("/verify")]) {
    const refused = await ask()
    assert.strictEqual(refused.status, 503, JSON.stringify(refused.body))
    assert.strictEqual(errorCode(refused), "unavailable")
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/)
  }
}

/** Waits until events are taken again. */
const isBack = (client: ApiClient) =>
  eventually(
    "its events are taken again",
    async () => (await client.send(EVENT)).status === 202 || undefined,
    NOTICED
  )

describe.skipIf(citusUrl === "")(`a log over several machines${unlessCitus}`, () => {
  let release = async () => {}
  beforeAll(async () => {
    release = await holdCluster("alone")
  }, 600_000)
  afterAll(async () => {
    await dropCitusDatabases()
    await release()
  })

  it("is 503 for the workspaces of a machine that is away; ends, and is copied back to one database", async () => {
    const database = await newCitusDatabase()
    await succeed(["migrate", "--distribute"], database)
    const [tenant, away, port] = await tenantsApart(database)
    const server = await startServer({ database })
    const [here, there] = [tenant, away].map(({ key }) => apiClient(server.baseUrl, key)) as [
      ApiClient,
      ApiClient
    ]
    await here.accept(EVENT)
    await there.accept(EVENT)
    await holds(here, 1)
    await holds(there, 1)

    const restart = await killMachine(port)
    try {
      await isAway(there)
      await here.accept(EVENT)
      await holds(here, 2)
    } finally {
      await restart()
    }
    await isBack(there)
    await holds(there, 2)

    const bundle = join(folder, "end.cairn")
    const close = ["workspace", "export-and-close", tenant.workspaceId, "--yes", "--to", bundle]
    await succeed(close, database)
    assert.isTrue(existsSync(bundle))
    assert.strictEqual((await here.send(EVENT)).status, 403)
    await there.accept(EVENT)
    await holds(there, 3)
    await server.stop()

    const file = join(folder, "copy.db")
    await succeed(["copy", "--from", database, "--to", `sqlite:${file}`], "unused.db")
    const copied = await startServer({ database: file, variables: { CAIRN_SECRET_KEY: SECRET_KEY } })
    await holds(apiClient(copied.baseUrl, away.key), 3)
    assert.isTrue((await apiClient(copied.baseUrl, tenant.key).verify()).valid)
    await copied.stop()
  }, 300_000)

  it("starts while a machine is away, or answers nothing, and takes its workspaces once it is back", async () => {
    const database = await newCitusDatabase()
    await succeed(["migrate", "--distribute"], database)
    const [tenant, away, port] = await tenantsApart(database)
    for (const [before, harm] of [killMachine, freezeMachine].entries()) {
      const mend = await harm(port)
      try {
        const from = performance.now()
        const server = await startServer({ database })
        assert.isBelow(performance.now() - from, STARTS)
        const [here, there] = [apiClient(server.baseUrl, tenant.key), apiClient(server.baseUrl, away.key)]
        await here.accept(EVENT)
        await isAway(there)
        await holds(here, before + 1)
        await mend()
        await isBack(there)
        await holds(there, before + 1)
        await server.stop()
      } finally {
        await mend()
      }
    }
  }, 300_000)
})
