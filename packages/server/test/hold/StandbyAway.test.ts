/** Commits that wait for a synchronous standby which is not there, and a primary that falls silent. */
import { type ReplicatedPostgres, startReplicated } from "@cairn/testing/ReplicatedPostgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient, decodeItem } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { BACK_MILLIS } from "../support/FailoverLoad.ts"

const EVENT = { actor_id: "a", action: "standby.tried" }

describe("a primary whose synchronous standby is away", () => {
  killLeftovers()
  let postgres: ReplicatedPostgres
  beforeAll(async () => {
    postgres = await startReplicated()
  })
  afterAll(() => postgres.stop())

  it("accepts nothing, says so, goes on reading, and accepts again once it is back", {
    timeout: 240_000
  }, async () => {
    const [primary, standby] = postgres.nodes
    const database = await primary.newDatabase()
    const tenant = await makeTenant("Away", { database })
    const { baseUrl, stderr, stop } = await startServer({ database })
    const api = apiClient(baseUrl, tenant.key)
    const listed = () => api.list({ action: EVENT.action })
    const before = await api.accept({ ...EVENT, idempotency_key: "before" })
    await eventually("it is sequenced", async () => (await listed()).length > 0 || undefined)

    await standby.kill()
    const began = performance.now()
    const first = await api.send({ ...EVENT, idempotency_key: "during" })
    assert.isBelow(performance.now() - began, 9_000)
    assert.strictEqual(first.status, 503)
    assert.isAbove(Number(first.headers.get("retry-after")), 0)
    // From then on without a wait, and what is read is answered.
    for (let count = 0; count < 20; count++) {
      const again = performance.now()
      const { status, headers } = await api.send({ ...EVENT, idempotency_key: "during" })
      assert.strictEqual(status, 503)
      assert.isTrue(headers.has("retry-after"))
      assert.isBelow(performance.now() - again, 1_000)
    }
    assert.strictEqual((await api.event(before.id ?? "")).id, before.id)
    assert.include(stderr(), "no synchronous standby confirms commits")
    const waiting = () =>
      primary.query(
        database,
        "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()"
      )
    assert.isBelow((await waiting()).length, 20, "sessions that wait are not piled up")

    // An operator who cancels the waits makes what waited visible on this server alone: it is not answered.
    const seen = (await listed()).length
    assert.strictEqual(seen, 1)
    for (let count = 0; count < 2; count++) {
      const [asked] = await Promise.all([
        api.send({ ...EVENT, idempotency_key: "during" }),
        new Promise((resolve) => setTimeout(resolve, 1_500)).then(() =>
          primary.query(
            database,
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()"
          )
        )
      ])
      assert.strictEqual(asked.status, 503)
    }

    await standby.start()
    const after = await eventually("it is accepted", async () => {
      const answer = await api.send({ ...EVENT, idempotency_key: "during" })
      return answer.status === 202 ? decodeItem(answer.body) : undefined
    })
    await eventually("it is sequenced", async () => (await listed()).length > 1 || undefined)
    const events = await listed()
    assert.deepStrictEqual(
      events.map(({ id }) => id),
      [after.id, before.id]
    )
    assert.isTrue((await api.verify()).valid)
    await stop()
  })

  it("or that falls silent is left for its standby, and what was answered is there", {
    timeout: 240_000
  }, async () => {
    const [primary, standby] = postgres.nodes
    const database = postgres.withBoth(await primary.newDatabase())
    const tenant = await makeTenant("Silent", { database })
    const { baseUrl, stderr, stop } = await startServer({ database })
    const api = apiClient(baseUrl, tenant.key)
    const before = await api.accept({ ...EVENT, idempotency_key: "before" })
    await primary.freeze()
    const during = Array.from({ length: 5 }, (_, index) =>
      api.send({ ...EVENT, idempotency_key: `during ${index}` })
    )
    const promotedAt = performance.now()
    await standby.promote()
    await eventually(
      "it is accepted",
      async () => (await api.send({ ...EVENT, idempotency_key: "after" })).status === 202 || undefined
    )
    assert.isBelow(performance.now() - promotedAt, BACK_MILLIS)
    for (const { status, headers, body } of await Promise.all(during)) {
      const told = JSON.stringify({ status, body, log: stderr() })
      assert.isTrue(status === 202 || (status === 503 && headers.has("retry-after")), told)
    }
    const events = await eventually("they are sequenced", async () => {
      // The thread that reads may still find out that the primary is silent.
      const found = await api.list({ action: EVENT.action }).catch(() => [])
      return found.length >= 2 ? found : undefined
    })
    assert.include(
      events.map(({ id }) => id),
      before.id
    )
    assert.isTrue((await api.verify()).valid)
    await stop()
  })
})
