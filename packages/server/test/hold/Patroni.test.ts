/** Patroni and etcd that replace a killed primary by themselves. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { BACK_MILLIS, startLoad } from "../support/FailoverLoad.ts"
import { findPatroni, type PatroniCluster, startPatroni } from "../support/PatroniCluster.ts"

const PROCESSES = 3
const BETWEEN = 300

describe("a primary that Patroni replaces, under load", () => {
  killLeftovers()
  let cluster: PatroniCluster | undefined
  afterAll(() => cluster?.stop())

  it("is gone on with: nothing answered is lost or doubled, and it comes back as a standby", {
    timeout: 400_000
  }, async ({ skip }) => {
    const found = await findPatroni()
    if ("missing" in found) return skip(found.missing)
    cluster = await startPatroni(found.folder)
    const { members, memberOf } = cluster
    const [primary, standby] = members
    assert.strictEqual(await memberOf("leader"), primary.name)
    const url = await primary.newDatabase()
    const database = url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`)
    const tenant = await makeTenant("Load", { database, plan: "enterprise" })
    const servers = await Promise.all(Array.from({ length: PROCESSES }, () => startServer({ database })))
    const load = startLoad(
      servers.map(({ baseUrl }) => baseUrl),
      tenant
    )
    await load.more(BETWEEN)
    primary.kill()
    const here = url.replace(`:${primary.port}/`, `:${standby.port}/`)
    const promotedAt = await eventually(
      "the standby is promoted",
      async () => {
        const before = performance.now()
        const [row] = await standby.query(here, "SELECT pg_is_in_recovery() AS standby")
        return row?.standby === false ? before : undefined
      },
      90_000
    )
    assert.isBelow(await load.backAfter(promotedAt), BACK_MILLIS)
    await load.more(BETWEEN)
    await load.stop()
    primary.start()
    await eventually(
      "it comes back as a standby",
      async () => (await memberOf("sync_standby")) === primary.name || undefined,
      90_000
    )
    await load.check(database, (statement) => standby.query(here, statement))
    await Promise.all(servers.map((server) => server.stop()))
  })
})
