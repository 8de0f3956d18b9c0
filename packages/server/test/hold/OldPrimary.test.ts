/** An old primary that comes back unfenced, beside the standby that was promoted. */
import { type ReplicatedPostgres, startReplicated } from "@cairn/testing/ReplicatedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Answer, type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { chainOfSoundStore } from "../support/SoundStore.ts"

const event = (idempotency_key: string) => ({ actor_id: "a", action: "old.tried", idempotency_key })

const assertUnavailable = ({ status, headers, body }: Answer) => {
  assert.strictEqual(status, 503, JSON.stringify(body))
  assert.isAbove(Number(headers.get("retry-after")), 0)
}

const accepts = (api: ApiClient, key: string) =>
  eventually(`${key} is accepted`, async () =>
    (await api.send(event(key))).status === 202 ? true : undefined
  )

describe("an old primary that comes back", () => {
  killLeftovers()
  let postgres: ReplicatedPostgres
  beforeAll(async () => {
    postgres = await startReplicated()
  })
  afterAll(() => postgres.stop())

  it("commits nothing, is refused by who has seen a newer timeline, and by nobody else", {
    timeout: 300_000
  }, async () => {
    const [old, newer] = postgres.nodes
    const oldUrl = await old.newDatabase()
    const newUrl = oldUrl.replace(`:${old.port}/`, `:${newer.port}/`)
    const database = postgres.withBoth(oldUrl)
    const tenant = await makeTenant("Old", { database })
    const one = await startServer({ database })
    const api = apiClient(one.baseUrl, tenant.key)
    const eventsOf = async (node: typeof old, url: string) => {
      const [row] = await node.query(
        url,
        "SELECT (SELECT count(*) FROM event) + (SELECT count(*) FROM inbox) AS count"
      )
      return Number(row?.count)
    }
    await accepts(api, "before")
    await old.kill()
    await newer.promote()
    await accepts(api, "promoted")
    await eventually("it is sequenced on the new timeline", async () => {
      const [row] = await newer.query(newUrl, "SELECT max(timeline) AS newest FROM head")
      return String(row?.newest) === "2" || undefined
    })

    // It comes back as it was, and waits for the standby that is no more.
    await old.start()
    const unknowing = await startServer({ database: oldUrl })
    const apart = apiClient(unknowing.baseUrl, tenant.key)
    const before = await eventsOf(old, oldUrl)
    assertUnavailable(await apart.send(event("nowhere")))
    assertUnavailable(await apart.send(event("nowhere")))
    assert.include(unknowing.stderr(), "no synchronous standby confirms commits")
    assert.strictEqual(await eventsOf(old, oldUrl), before)

    // Who has both names uses the newer one, also who starts now, and is told of the other.
    await accepts(api, "beside")
    const late = await startServer({ database })
    await accepts(apiClient(late.baseUrl, tenant.key), "late")
    assert.include(late.stderr(), `127.0.0.1:${old.port} is an old primary that still takes writes`)
    assert.strictEqual(await eventsOf(old, oldUrl), before)

    // Where no standby is named, a process that has seen neither cannot know: fencing is the operator's.
    await old.session(async (query) => {
      await query("ALTER SYSTEM SET synchronous_standby_names = ''")
      await query("SELECT pg_reload_conf()")
    })
    await accepts(apart, "forked")
    assert.isAbove(await eventsOf(old, oldUrl), before)

    // Only the old one is left: who has seen the newer one refuses it, and tells those that have not.
    await newer.kill()
    const refused = await eventually("it is refused for what it is", async () => {
      const answer = await api.send(event("refused"))
      assertUnavailable(answer)
      return one.stderr().includes("The database is behind what was seen of it") ? answer : undefined
    })
    assertUnavailable(refused)
    assert.match(one.stderr(), /timeline 2.*timeline 1/)
    await eventually("the other is told", async () => {
      const answer = await apart.send(event("told"))
      return answer.status === 503 || undefined
    })
    const left = await eventsOf(old, oldUrl)
    for (let count = 0; count < 10; count++) assertUnavailable(await api.send(event("refused")))
    assert.strictEqual(await eventsOf(old, oldUrl), left)

    await newer.start()
    await accepts(api, "back")
    await eventually("everything is sequenced", async () => {
      // What was read of the old one meanwhile is no part of the log.
      assert.deepStrictEqual(await newer.query(newUrl, "SELECT * FROM log_loss"), [])
      const [row] = await newer.query(newUrl, "SELECT count(*)::int AS count FROM inbox")
      return row?.count === 0 || undefined
    })
    const keys = await newer.query(
      newUrl,
      "SELECT content::json ->> 'idempotency_key' AS key FROM event WHERE content::json ->> 'action' = 'old.tried' ORDER BY sequence"
    )
    assert.deepStrictEqual(
      keys.map(({ key }) => key),
      ["before", "promoted", "beside", "late", "back"]
    )
    assert.deepInclude(chainOfSoundStore(await cairnJson(["verify"], { database })), {
      valid: true,
      breaks: []
    })
    await Promise.all([one.stop(), late.stop(), unknowing.stop()])
  })
})
