import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { webCryptoRandomness } from "@cairn/core/hashing"
import { apiKeyPublicId, generateApiKey } from "@cairn/core/workspace"
import { ordinaryEvents } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { apiClient, type BatchItem, errorCode } from "../support/ApiClient.ts"
import { killLeftovers, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const EVENT = { actor_id: "load", action: "load.generated" }
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A key with the id of another, a secret of its own and a checksum that is right. */
const wrongKey = (key: string): string => {
  const id = apiKeyPublicId(key) ?? ""
  const random = webCryptoRandomness()
  let calls = 0
  const { key: wrong } = generateApiKey({
    bytes: (count) =>
      calls++ === 0 ? Uint8Array.from(id, (character) => BASE62.indexOf(character)) : random.bytes(count)
  })
  return wrong
}

describe("under pressure", () => {
  const folder = temporaryFolder()
  killLeftovers()

  it("answers 503 while the inbox is full, and recovers by itself", async () => {
    const capacity = 100
    const database = join(folder, "backlog.db")
    const { key } = await seedTenant(database)
    const server = await startServer({
      database,
      variables: { CAIRN_INBOX_CAPACITY: String(capacity) }
    })
    const client = apiClient(server.baseUrl, key)
    await client.page()
    const readiness = async () => (await fetch(`${server.baseUrl}/readyz`)).status
    assert.strictEqual(await readiness(), 200)

    // Holding the log's lock stops the sequencer.
    const lock = new DatabaseSync(database, { timeout: 10_000 })
    lock.exec("BEGIN IMMEDIATE")
    const accepted: Array<BatchItem> = []
    const tenEvents = Array.from({ length: 10 }, () => EVENT)
    while (accepted.length < capacity) accepted.push(...(await client.acceptBatch(tenEvents)))
    for (const answer of [
      await client.send(EVENT),
      await client.request("POST", "/api/v1/events/batch", { events: tenEvents })
    ]) {
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(errorCode(answer), "unavailable")
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    }
    assert.strictEqual(await readiness(), 503)
    lock.exec("ROLLBACK")
    lock.close()

    await eventually("the server is ready again", async () => (await readiness()) === 200 || undefined)
    accepted.push(await client.accept(EVENT))
    const ids = await eventually("every event is sequenced", async () => {
      const events = await client.list({ actor_id: "load" })
      return events.length >= accepted.length ? events.map(({ id }) => id) : undefined
    })
    assert.deepStrictEqual(
      [...ids].reverse(),
      accepted.map(({ id }) => id)
    )
    assert.isTrue((await client.verify()).valid)
  })

  it("takes a flood faster than it sequences without losing an event", async () => {
    const database = join(folder, "flood.db")
    const { key } = await seedTenant(database)
    const server = await startServer({ database, variables: { CAIRN_INBOX_CAPACITY: "200" } })
    const client = apiClient(server.baseUrl, key)
    const accepted: Array<string> = []
    let refused = 0
    const events = Array.from({ length: 100 }, () => EVENT)
    /** A client that ignores `Retry-After`. */
    const flood = async () => {
      for (let batches = 0; batches < 5; ) {
        const answer = await client.request("POST", "/api/v1/events/batch", { events })
        if (answer.status === 202) {
          batches++
          for (const [id] of JSON.stringify(answer.body).matchAll(/[0-9a-f-]{36}/g)) accepted.push(id)
        } else {
          assert.strictEqual(answer.status, 503)
          refused++
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, flood))
    assert.isAbove(refused, 0)
    assert.strictEqual(accepted.length, 4_000)
    const count = await eventually("every event is sequenced", async () => {
      const { total } = (await client.page({ limit: 1, actor_id: "load" })).pagination
      return total >= accepted.length ? total : undefined
    })
    assert.strictEqual(count, accepted.length)
    const ids = new Set((await client.list({ actor_id: "load" })).map(({ id }) => id))
    assert.isTrue(accepted.every((id) => ids.has(id)))
    assert.isTrue((await client.verify()).valid)
  })

  it("answers every good request while a hundred wrong keys a second come in", async () => {
    const database = join(folder, "keys.db")
    const { key } = await seedTenant(database)
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)
    await client.page()
    const wrong = new Set<Promise<number>>()
    const started = performance.now()
    let good = 0
    while (performance.now() - started < 3_000 || good <= 50) {
      // As many as are due by now.
      while (wrong.size < (performance.now() - started) / 10) {
        const stranger = apiClient(server.baseUrl, wrongKey(key))
        wrong.add(stranger.get("/events").then(({ status }) => status))
      }
      await client.accept(EVENT)
      good++
    }
    const statuses = await Promise.all(wrong)
    assert.isAbove(statuses.length, 200)
    assert.deepStrictEqual([...new Set(statuses)], [401])
  })

  it("accepts events while a chain of 100,000 is verified", { timeout: 300_000 }, async () => {
    const count = 100_000
    const database = join(folder, "long.db")
    const { key } = await seedTenant(database, {
      name: "Long",
      events: ordinaryEvents(count, { seed: 3, keyed: 0 })
    })
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)
    await client.accept(EVENT)
    let accepted = 0
    // Who had to wait for a verification would be accepted once or twice in each.
    for (let times = 0; times < 5; times++) {
      let isVerifying = true
      const verify = client.verify().finally(() => {
        isVerifying = false
      })
      while (isVerifying) {
        await client.accept(EVENT)
        if (isVerifying) accepted++
      }
      const verification = await verify
      assert.isTrue(verification.valid)
      assert.isAtLeast(verification.events_checked, count)
    }
    assert.isAbove(accepted, 20)
  })
})
