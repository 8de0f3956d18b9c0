import { assert, describe, it } from "@effect/vitest"
import { Cairn, ClosedError } from "../src/index.ts"

const event = { actor_id: "ada", action: "a.b" }

/** A client whose service answers with these statuses, and then takes everything. */
const clientOf = (statuses: ReadonlyArray<number>, events = 100) => {
  const left = [...statuses]
  return new Cairn({
    url: "https://audit.test",
    apiKey: "key",
    queue: { events },
    batch: { delayMillis: 3_600_000 },
    retry: { baseMillis: 3_600_000, maxMillis: 3_600_000 },
    handleExit: false,
    onError: () => {},
    fetch: async () => {
      const status = left.shift() ?? 202
      const body = status === 202 ? { id: "1", status: "queued" } : { error: "unavailable", message: "later" }
      return new Response(JSON.stringify(body), { status })
    }
  })
}

describe("a client that is closed", () => {
  it("tries again within its limit, however long it would wait otherwise", async () => {
    const client = clientOf([503, 503])
    await client.enqueue(event)
    assert.deepStrictEqual(await client.close({ timeoutMillis: 60_000 }), { waiting: 0 })
    assert.deepInclude(client.counters, { queued: 1, dropped: 0 })
  })

  it("takes no event that waited for room", async () => {
    const client = clientOf([503], 1)
    await client.enqueue(event)
    const late = client.enqueue(event, { timeoutMillis: 60_000 }).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 1))
    await client.close({ timeoutMillis: 60_000 })
    assert.instanceOf(await late, ClosedError)
    assert.deepInclude(client.counters, { kept: 1, queued: 1 })
  })

  it("says of an event that was on its way and comes too late for the queue that it is lost", async () => {
    const reports: Array<string> = []
    const hanging: typeof fetch = (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
      })
    const client = new Cairn({
      url: "https://audit.test",
      apiKey: "key",
      fetch: hanging,
      onError: (_, { kind, events }) => reports.push(`${kind} ${events.length}`)
    })
    const recorded = client.record(event, { failure: "open", timeoutMillis: 50 })
    assert.deepStrictEqual(await client.close(), { waiting: 0 })
    assert.strictEqual((await recorded).status, "dropped")
    assert.deepStrictEqual(reports, ["dropped 1"])
    assert.deepInclude(client.counters, { deferred: 0, dropped: 1, waiting: 0 })
    // And so it counts one that comes later still.
    assert.strictEqual((await client.record(event, { failure: "open" })).status, "dropped")
    assert.strictEqual((await client.enqueue(event, { failure: "open" })).status, "dropped")
    assert.deepStrictEqual(reports, ["dropped 1", "dropped 0", "dropped 0"])
    assert.deepInclude(client.counters, { deferred: 0, dropped: 3, waiting: 0 })
  })
})
