/** The client against a real server: what it says became of events is what the log holds. */
import { join } from "node:path"
import { afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Server, startServer } from "../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../server/test/support/TemporaryFolder.ts"
import { Cairn, CairnApiError, type CairnOptions, EventRefusedError, type Report } from "../src/index.ts"

describe("a client of a real server", () => {
  const folder = temporaryFolder()
  let server: Server
  const open: Array<Cairn> = []
  const reports: Array<Report & { readonly message: string }> = []

  beforeAll(async () => {
    server = await startServer({ database: join(folder, "cairn.db"), tenant: true })
  })

  afterEach(async () => {
    await Promise.all(open.splice(0).map((client) => client.close()))
    reports.length = 0
  })

  const clientOf = (options: Partial<CairnOptions> = {}): Cairn => {
    const client = new Cairn({
      url: server.baseUrl,
      apiKey: server.key,
      timeoutMillis: 60_000,
      onError: ({ message }, report) => reports.push({ ...report, message }),
      ...options
    })
    open.push(client)
    return client
  }

  const read = async (path: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${server.baseUrl}/api/v1${path}`, {
      headers: { authorization: `Bearer ${server.key}` }
    })
    assert.strictEqual(answer.status, 200)
    return JSON.parse(await answer.text())
  }

  it("records an event with a key and the time at which it happened", async () => {
    const before = Date.now()
    const recorded = await clientOf().record({ actor_id: "ada", action: "client.recorded" })
    assert.strictEqual(recorded.status, "queued")
    const event = await read(`/events/${"id" in recorded ? recorded.id : ""}`)
    assert.strictEqual(event.idempotency_key, recorded.key)
    assert.match(recorded.key, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const occurred = Date.parse(String(event.occurred_at))
    assert.isAtLeast(occurred, before)
    assert.isAtMost(occurred, Date.now())
  })

  it("tells a duplicate, and has its first id", async () => {
    const client = clientOf()
    const event = { actor_id: "ada", action: "client.doubled", idempotency_key: "the same" }
    const [first, second] = [await client.record(event), await client.record(event)]
    assert.deepStrictEqual(
      [first.status, second.status, "id" in first && "id" in second && first.id === second.id],
      ["queued", "duplicate", true]
    )
    assert.deepInclude(client.counters, { queued: 1, duplicates: 1, waiting: 0 })
  })

  it("sends what is enqueued in batches, and reports those that are refused", async () => {
    const client = clientOf()
    const names = Array.from({ length: 250 }, (_, index) => `actor ${index}`)
    await Promise.all(
      names.map((actor_id, index) =>
        client.enqueue({
          actor_id,
          action: "client.enqueued",
          session_id: index % 100 === 7 ? "x".repeat(300) : "short"
        })
      )
    )
    assert.deepStrictEqual(await client.flush({ timeoutMillis: 60_000 }), { waiting: 0 })
    assert.deepInclude(client.counters, { kept: 250, queued: 247, refused: 3, dropped: 0, retries: 0 })
    assert.deepStrictEqual(
      reports.map(({ kind, events, message }) => [
        kind,
        JSON.parse(events[0]?.json ?? "").actor_id,
        message.includes("session_id")
      ]),
      ["actor 7", "actor 107", "actor 207"].map((actor) => ["refused", actor, true])
    )
    // A member that nobody knows is refused as well, and holds up none of the others.
    const unknown: object = { actor_id: "ada", action: "client.enqueued", sesion_id: "s" }
    await client.enqueue(unknown as { actor_id: string; action: string })
    await client.enqueue({ actor_id: "after", action: "client.enqueued" })
    await client.flush({ timeoutMillis: 60_000 })
    assert.deepInclude(client.counters, { queued: 248, refused: 4 })
  })

  it("throws what the service says of a key that is wrong, without the key", async () => {
    const client = clientOf({ apiKey: "cairn_wrong_key" })
    const error = await client.record({ actor_id: "ada", action: "client.refused" }).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.instanceOf(error, CairnApiError)
    assert.deepInclude(error as CairnApiError, { code: "unauthenticated", status: 401 })
    assert.isString((error as CairnApiError).requestId)
    assert.notInclude(String((error as CairnApiError).message), "cairn_wrong_key")
  })

  it("throws what is wrong with an event, and resolves all the same where the caller fails open", async () => {
    const client = clientOf()
    const event = { actor_id: "ada", action: "client.refused", tenant_id: "x".repeat(300) }
    const error = await client.record(event).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.instanceOf(error, EventRefusedError)
    assert.strictEqual((error as EventRefusedError).refusal.errors?.[0]?.field, "tenant_id")
    const { status } = await client.record(event, { failure: "open" })
    assert.strictEqual(status, "refused")
    assert.deepStrictEqual(
      reports.map(({ kind }) => kind),
      ["refused"]
    )
  })

  it("goes on in the queue when the service is away, and fails closed with the event's key", async () => {
    const client = clientOf({ url: "http://127.0.0.1:9", timeoutMillis: 300, retry: { baseMillis: 10 } })
    const event = { actor_id: "ada", action: "client.away" }
    const error = await client.record(event).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.match((error as { key: string }).key, /^[0-9a-f-]{36}$/)
    assert.strictEqual((await client.record(event, { failure: "open" })).status, "deferred")
    assert.deepStrictEqual(await client.close({ timeoutMillis: 100 }), { waiting: 1 })
    assert.deepInclude(client.counters, { deferred: 1, dropped: 1, waiting: 1 })
  })

  it("reads what it has sent: lists over pages, a proof, a checkpoint, an export", async () => {
    const client = clientOf()
    const sent = await Promise.all(
      [1, 2, 3].map((n) => client.record({ actor_id: "reader", action: "client.read", metadata: { n } }))
    )
    const listed = async () => {
      const ids: Array<string> = []
      for await (const { id } of client.events.list({ actor_id: "reader", limit: 2 })) ids.push(id)
      return ids
    }
    let ids = await listed()
    while (ids.length < sent.length) ids = await listed()
    assert.sameMembers(
      ids,
      sent.map((one) => ("id" in one ? one.id : ""))
    )
    assert.strictEqual((await client.events.count({ actor_id: "reader" })).data.total, 3)
    assert.include(await client.checkpoints.latest(), "\n— ")
    assert.strictEqual((await client.events.proof(ids[0] ?? "")).header.id, ids[0])
    const { id } = (await client.exports.create({ actor_id: "reader" })).data
    for (;;) {
      const { status } = (await client.exports.get(id)).data
      if (status === "completed") break
      assert.include(["pending", "processing"], status)
    }
    const lines = (await (await client.exports.download(id)).text()).trim().split("\n")
    assert.strictEqual(lines.length, 4)
  })
})
