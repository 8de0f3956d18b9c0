/** A primary that is killed under load, and its standby that is promoted. */
import {
  type PostgresNode,
  type ReplicatedPostgres,
  startReplicated
} from "@cairn/testing/ReplicatedPostgres"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient, decodeItem, errorCode } from "../support/ApiClient.ts"
import {
  cairnJson,
  killLeftovers,
  makeTenant,
  type Server,
  startServer,
  type Tenant
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { chainOfSoundStore } from "../support/SoundStore.ts"

/** How often the primary is killed. */
const FAILOVERS = isEndurance() ? 10 : 1
const PROCESSES = 3
const CLIENTS = 24
/** How long it may take from the promotion until an event is accepted again. */
const BACK_MILLIS = 10_000
/** Events that are accepted before each failover, and after it. */
const BETWEEN = 300

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** What the clients have seen. */
interface Load {
  /** Ids of events whose request was answered 202, by idempotency key. */
  readonly accepted: Map<string, string>
  /** When the last of them was. */
  lastAt: number
  readonly unavailable: { count: number; readonly wrong: Array<string> }
  readonly others: Array<number>
  over: boolean
}

/** Sends one event after the other, each until it is accepted, by whichever process is there. */
const client = async (number: number, apis: ReadonlyArray<ApiClient>, load: Load) => {
  for (let count = 0; !load.over; count++) {
    const idempotency_key = `${number}-${count}`
    const event = { actor_id: `client-${number}`, action: "load.sent", idempotency_key }
    for (let attempt = 0; ; attempt++) {
      const answer = await apis[(number + attempt) % apis.length]?.send(event).catch(() => undefined)
      if (answer?.status === 202) {
        load.accepted.set(idempotency_key, decodeItem(answer.body).id ?? "")
        load.lastAt = performance.now()
        break
      }
      if (answer?.status === 503) {
        load.unavailable.count++
        const seconds = Number(answer.headers.get("retry-after"))
        const isWell = Number.isInteger(seconds) && seconds >= 1 && errorCode(answer) === "unavailable"
        if (!isWell) load.unavailable.wrong.push(JSON.stringify([seconds, answer.body]))
      } else if (answer !== undefined) load.others.push(answer.status)
      await pause(100)
    }
  }
}

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
    const tenant: Tenant = await makeTenant("Load", { database, plan: "enterprise" })
    const servers: ReadonlyArray<Server> = await Promise.all(
      Array.from({ length: PROCESSES }, () => startServer({ database }))
    )
    const apis = servers.map(({ baseUrl }) => apiClient(baseUrl, tenant.key))
    const load: Load = {
      accepted: new Map(),
      lastAt: 0,
      unavailable: { count: 0, wrong: [] },
      others: [],
      over: false
    }
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number, apis, load))
    const more = (count: number) => {
      const enough = load.accepted.size + count
      return eventually(`${count} more events`, () => load.accepted.size >= enough || undefined, 60_000)
    }
    const back: Array<number> = []
    for (let round = 0; round < FAILOVERS; round++) {
      await more(BETWEEN)
      await primary.kill()
      const killedAt = load.accepted.size
      await pause(300)
      const promotedAt = performance.now()
      await standby.promote()
      await eventually("an event is accepted", () => load.lastAt > promotedAt || undefined, 60_000)
      back.push(performance.now() - promotedAt)
      assert.isAtLeast(load.accepted.size, killedAt)
      await more(BETWEEN)
      ;[primary, standby] = [standby, primary]
      if (round + 1 < FAILOVERS) await standby.follow(primary)
    }
    load.over = true
    await Promise.all(clients)
    console.info({ back, accepted: load.accepted.size, unavailable: load.unavailable.count })

    assert.isBelow(Math.max(...back), BACK_MILLIS)
    assert.isAbove(load.unavailable.count, 0, "the failover was not felt")
    assert.deepStrictEqual(load.unavailable.wrong, [])
    assert.deepStrictEqual(load.others, [])

    const here = url.replace(/:\d+\//, `:${primary.port}/`)
    const rows = (statement: string) => primary.query(here, statement)
    await eventually("everything is sequenced", async () => {
      const [row] = await rows("SELECT count(*)::int AS count FROM inbox")
      return row?.count === 0 ? true : undefined
    })
    assert.deepStrictEqual(await rows("SELECT * FROM parked"), [])
    assert.deepStrictEqual(await rows("SELECT * FROM log_loss"), [])
    const stored = await rows(
      "SELECT id, content::json ->> 'idempotency_key' AS key FROM event WHERE content::json ->> 'action' = 'load.sent'"
    )
    const found = new Map(stored.map(({ id, key }) => [String(key), String(id)]))
    assert.strictEqual(stored.length, found.size, "an event is there twice")
    for (const [key, id] of load.accepted) assert.strictEqual(found.get(key), id, key)
    const verified = chainOfSoundStore(await cairnJson(["verify"], { database }))
    assert.deepInclude(verified, { valid: true, breaks: [] })
    await Promise.all(servers.map((server) => server.stop()))
    for (const { stderr } of servers) assert.notMatch(stderr(), /fork|behind what was seen/i)
  })
})
