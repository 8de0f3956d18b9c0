/** A primary that is killed under load, and its standby that is promoted. */
import {
  type PostgresNode,
  type ReplicatedPostgres,
  startReplicated
} from "@cairn/testing/ReplicatedPostgres"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { BACK_MILLIS, startLoad } from "../support/FailoverLoad.ts"

/** How often the primary is killed. */
const FAILOVERS = isEndurance() ? 10 : 1
const PROCESSES = 3
/** Events that are accepted before each failover, and after it. */
const BETWEEN = 300
/** How long the primary is away before its standby is promoted, at most. */
const AWAY_MILLIS = 1_000

describe("a primary with a synchronous standby, under load", () => {
  killLeftovers()
  let postgres: ReplicatedPostgres
  beforeAll(async () => {
    postgres = await startReplicated()
  })
  afterAll(() => postgres.stop())

  it(`is killed and its standby promoted, ${FAILOVERS} times: nothing answered is lost or doubled`, {
    timeout: (FAILOVERS * 60 + 200) * 1_000
  }, async () => {
    let [primary, standby]: readonly [PostgresNode, PostgresNode] = postgres.nodes
    const url = await primary.newDatabase()
    const database = postgres.withBoth(url)
    const tenant = await makeTenant("Load", { database, plan: "enterprise" })
    const servers = await Promise.all(Array.from({ length: PROCESSES }, () => startServer({ database })))
    const load = startLoad(
      servers.map(({ baseUrl }) => baseUrl),
      tenant
    )
    for (let round = 0; round < FAILOVERS; round++) {
      await load.more(BETWEEN)
      await primary.kill()
      await new Promise((resolve) => setTimeout(resolve, AWAY_MILLIS * ((round % 3) / 2)))
      const promotedAt = performance.now()
      await standby.promote()
      assert.isBelow(await load.backAfter(promotedAt), BACK_MILLIS)
      await load.more(BETWEEN)
      ;[primary, standby] = [standby, primary]
      if (round + 1 < FAILOVERS) await standby.follow(primary)
    }
    await load.stop()
    const here = url.replace(/:\d+\//, `:${primary.port}/`)
    await load.check(database, (statement) => primary.query(here, statement))
    await Promise.all(servers.map((server) => server.stop()))
    for (const { stderr } of servers) assert.notInclude(stderr(), "behind what was seen")
  })
})
