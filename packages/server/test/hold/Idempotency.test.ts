import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient, type BatchItem } from "../support/ApiClient.ts"
import { killLeftovers, type Server, startServer, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedDatabase } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const CLIENTS = 64

const numbers = Array.from({ length: CLIENTS }, (_, number) => number)

/** No two clients send the same body. */
const body = (number: number, key: string) => ({
  actor_id: `client-${number}`,
  action: "payment.sent",
  idempotency_key: key
})

describe("idempotency keys under concurrency", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  let tenants: ReadonlyArray<Tenant>
  let server: Server
  let client: ApiClient
  let neighbour: ApiClient

  const start = async () => {
    server = await startServer({ database })
    const clients = tenants.map(({ key }) => apiClient(server.baseUrl, key))
    const [first, second] = clients
    if (first === undefined || second === undefined) throw new Error("there are no workspaces")
    client = first
    neighbour = second
    // The keys are known, so that all the requests that follow go straight on.
    await Promise.all(clients.map((each) => each.page()))
  }

  beforeAll(async () => {
    tenants = await seedDatabase(database, [{ name: "A" }, { name: "B" }])
    await start()
  })

  const sequenced = (ids: ReadonlyArray<string | null>) =>
    eventually("the events are sequenced", async () => {
      const events = await client.list()
      return ids.every((id) => events.some((event) => event.id === id)) ? events : undefined
    })

  const holderOf = (items: ReadonlyArray<BatchItem>): string | null => {
    const queued = items.filter(({ status }) => status === "queued")
    assert.strictEqual(queued.length, 1)
    const [holder] = queued
    for (const { id, status } of items) {
      assert.strictEqual(id, holder?.id)
      if (status !== "queued") assert.strictEqual(status, "duplicate")
    }
    return holder?.id ?? null
  }

  it("makes one event of 64 concurrent requests with one key, and tells all its id", async () => {
    const items = await Promise.all(numbers.map((number) => client.accept(body(number, "one"))))
    assert.strictEqual(items.length, CLIENTS)
    const id = holderOf(items)
    const events = await sequenced([id])
    const found = events.filter(({ idempotency_key }) => idempotency_key === "one")
    assert.deepStrictEqual(
      found.map((event) => [event.id, event.actor.id]),
      [[id, `client-${items.findIndex(({ status }) => status === "queued")}`]]
    )
  })

  it("makes one event of a key that many concurrent batches hold, some of them twice", async () => {
    const batches = await Promise.all(
      numbers.map((number) =>
        client.acceptBatch([
          body(number, "shared"),
          body(number, `own-${number}`),
          body(number, number % 2 === 0 ? "shared" : "other")
        ])
      )
    )
    const at = (index: number) => batches.flatMap((items) => items.slice(index, index + 1))
    const shared = [...at(0), ...at(2).filter((_, number) => number % 2 === 0)]
    const other = at(2).filter((_, number) => number % 2 === 1)
    const ids = [holderOf(shared), holderOf(other), ...at(1).map(({ id }) => id)]
    assert.isTrue(at(1).every(({ status }) => status === "queued"))
    assert.strictEqual(new Set(ids).size, CLIENTS + 2)
    const events = await sequenced(ids)
    const keyed = events.filter(({ idempotency_key: key }) => key !== null && key !== "one")
    assert.strictEqual(keyed.length, CLIENTS + 2)
  })

  it("answers a repeated key with the first id, whatever the body, also after a restart", async () => {
    const first = await client.accept(body(1, "kept"))
    assert.strictEqual(first.status, "queued")
    const again = { id: first.id, status: "duplicate" }
    assert.deepStrictEqual(
      await client.accept({ actor_id: "x", action: "y", idempotency_key: "kept" }),
      again
    )
    await sequenced([first.id])
    assert.deepStrictEqual(await client.accept(body(2, "kept")), again)
    assert.deepStrictEqual(await server.stop(), { code: 0, signal: null })
    await start()
    assert.deepStrictEqual(await client.accept(body(3, "kept")), again)
    assert.strictEqual((await client.event(first.id ?? "")).actor.id, "client-1")
  })

  it("keeps the keys of another workspace apart", async () => {
    const here = await client.accept(body(1, "both"))
    const there = await neighbour.accept(body(1, "both"))
    assert.deepStrictEqual([here.status, there.status], ["queued", "queued"])
    assert.notStrictEqual(here.id, there.id)
  })

  it("refuses nothing and repeats nothing for events without a key", async () => {
    const items = await Promise.all(
      numbers.map(() => client.accept({ actor_id: "same", action: "same.same" }))
    )
    assert.strictEqual(new Set(items.map(({ id }) => id)).size, CLIENTS)
    assert.isTrue(items.every(({ status }) => status === "queued"))
  })
})
