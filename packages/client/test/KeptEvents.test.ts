/** What a call says of an event is what becomes of it, however late its queue answers. */
import { assert, describe, it, vi } from "@effect/vitest"
import { Cairn, type CairnOptions } from "../src/index.ts"
import { memoryQueue } from "../src/MemoryQueue.ts"
import type { PendingEvents } from "../src/PendingEvents.ts"

type Body = { readonly events?: ReadonlyArray<Item> } & Item
interface Item {
  readonly actor_id: string
  readonly idempotency_key: string
}

/** A service that takes everything once for each key. */
const service = () => {
  const recorded: Array<Item> = []
  const fetch = async (_: unknown, init: { readonly body: string }) => {
    const body: Body = JSON.parse(init.body)
    const items = (body.events ?? [body]).map((item) => {
      if (item.actor_id === "bad") {
        return { status: "rejected", error: "validation_failed", message: "no", errors: [] }
      }
      const isKnown = recorded.some(({ idempotency_key }) => idempotency_key === item.idempotency_key)
      if (!isKnown) recorded.push(item)
      return { id: item.actor_id, status: isKnown ? "duplicate" : "queued" }
    })
    const [first] = items
    if (body.events) return new Response(JSON.stringify({ events: items }), { status: 202 })
    if (first?.status !== "rejected") return new Response(JSON.stringify(first), { status: 202 })
    return new Response('{"error":"validation_failed","message":"no","errors":[]}', { status: 422 })
  }
  return { fetch: fetch as unknown as typeof globalThis.fetch, recorded }
}

const clientOf = (options: Partial<CairnOptions>) =>
  new Cairn({
    url: "https://audit.test",
    apiKey: "cairn_secret_key",
    batch: { delayMillis: 3_600_000 },
    retry: { baseMillis: 1, maxMillis: 1 },
    handleExit: false,
    onError: () => {},
    ...options
  })

const ada = { actor_id: "ada", action: "a.b" }

/** A queue that keeps an event when it is told to. */
const lateQueue = () => {
  const inner = memoryQueue()
  const late: Array<{ readonly keep: () => void; readonly fail: (error: Error) => void }> = []
  const queue: PendingEvents = {
    ...inner,
    add: (event) =>
      new Promise((resolve, reject) => {
        late.push({ keep: () => resolve(inner.add(event)), fail: reject })
      })
  }
  return { queue, late }
}

describe("an event whose queue answers late", () => {
  const ways = {
    "after the time limit": () => ({ timeoutMillis: 1 }),
    "after its caller has gone": () => {
      const abort = new AbortController()
      setTimeout(() => abort.abort(), 1)
      return { signal: abort.signal, timeoutMillis: 3_600_000 }
    }
  }
  for (const [name, options] of Object.entries(ways)) {
    it(`is sent and counted once it is kept, ${name}`, async () => {
      const { queue, late } = lateQueue()
      const { fetch, recorded } = service()
      const client = clientOf({ queue, fetch })
      const { status } = await client.enqueue(ada, { ...options(), failure: "open" })
      assert.strictEqual(status, "deferred")
      assert.deepInclude(client.counters, { kept: 0, dropped: 0 })
      for (const { keep } of late) keep()
      await vi.waitFor(() => assert.strictEqual(client.counters.kept, 1))
      await client.flush()
      assert.strictEqual(recorded.length, 1)
      assert.deepInclude(client.counters, { queued: 1, dropped: 0, waiting: 0 })
    })
  }

  it("is reported and counted as dropped where it is not kept in the end", async () => {
    const { queue, late } = lateQueue()
    const kinds: Array<string> = []
    const client = clientOf({ queue, fetch: service().fetch, onError: (_, { kind }) => kinds.push(kind) })
    assert.strictEqual((await client.enqueue(ada, { timeoutMillis: 1, failure: "open" })).status, "deferred")
    for (const { fail } of late) fail(new Error("the disk is gone"))
    await vi.waitFor(() => assert.deepStrictEqual(kinds, ["deferred", "dropped"]))
    assert.deepInclude(client.counters, { kept: 0, dropped: 1 })
  })

  it("is not asked to keep anything for a caller who has gone already", async () => {
    const { queue, late } = lateQueue()
    const client = clientOf({ queue, fetch: service().fetch })
    const error = await client.enqueue(ada, { signal: AbortSignal.abort() }).catch((cause: Error) => cause)
    assert.instanceOf(error, Error)
    assert.strictEqual(late.length, 0)
  })
})

describe("the queue in memory", () => {
  it("keeps a mended event beside the one of its key that is refused", async () => {
    const { fetch, recorded } = service()
    const client = clientOf({ fetch })
    await client.enqueue({ ...ada, actor_id: "bad", idempotency_key: "k" })
    await client.enqueue({ ...ada, idempotency_key: "k" })
    await client.flush()
    assert.deepStrictEqual(
      recorded.map(({ actor_id }) => actor_id),
      ["ada"]
    )
    assert.deepInclude(client.counters, { kept: 2, refused: 1, queued: 1, waiting: 0 })
  })

  it("counts the same event twice as a duplicate", async () => {
    const { fetch, recorded } = service()
    const client = clientOf({ fetch })
    await client.enqueue({ ...ada, idempotency_key: "k" })
    await client.enqueue({ ...ada, idempotency_key: "k" })
    await client.flush()
    assert.strictEqual(recorded.length, 1)
    assert.deepInclude(client.counters, { kept: 2, queued: 1, duplicates: 1 })
  })

  it("wakes as many of those who wait for room as there is room for, in their order", async () => {
    const queue = memoryQueue({ events: 10 })
    const event = (key: number) => ({ key: String(key), json: "{}" })
    for (let key = 0; key < 10; key++) await queue.add(event(key))
    const woken: Array<number> = []
    for (let key = 10; key < 40; key++) {
      void queue.room(new AbortController().signal).then(() => {
        woken.push(key)
        return queue.add(event(key))
      })
    }
    for (const expected of [4, 8, 12]) {
      const taken = await queue.take({ count: 4, bytes: 1000 })
      await queue.settle(taken.map(({ key }) => ({ key, status: "queued", id: key })))
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepStrictEqual(
        woken,
        Array.from({ length: expected }, (_, index) => 10 + index)
      )
    }
  })

  it("takes a burst of several times its size", async () => {
    const { fetch, recorded } = service()
    const client = clientOf({ fetch, queue: { events: 500 }, timeoutMillis: 3_600_000 })
    const calls = Array.from({ length: 5000 }, () => client.enqueue(ada))
    await Promise.all(calls)
    await client.close()
    assert.strictEqual(recorded.length, 5000)
  })
})

describe("a time limit", () => {
  for (const timeoutMillis of [Number.POSITIVE_INFINITY, 1e12, 2 ** 31]) {
    it(`may be ${timeoutMillis} ms, which no timer can be set for`, async () => {
      const { fetch, recorded } = service()
      const slow: typeof fetch = async (...request) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return fetch(...request)
      }
      const client = clientOf({ fetch: slow, retry: { baseMillis: 1, maxMillis: timeoutMillis } })
      assert.strictEqual((await client.record(ada, { timeoutMillis })).status, "queued")
      await client.enqueue(ada, { timeoutMillis })
      await client.close({ timeoutMillis })
      assert.strictEqual(recorded.length, 2)
    })
  }
})

describe("an option that is none", () => {
  const calls: ReadonlyArray<readonly [string, object]> = [
    ["failure", { failure: "opne" }],
    ["whenFull", { whenFull: "wiat" }],
    ["timeoutMillis", { timeoutMillis: "2000" }],
    ["timeoutMillis", { timeoutMillis: Number.NaN }],
    ["timeoutMillis", { timeoutMillis: -1 }]
  ]
  const makings: typeof calls = [
    ...calls,
    ["count", { batch: { count: "many" } }],
    ["delayMillis", { batch: { delayMillis: Number.NaN } }],
    ["maxMillis", { retry: { maxMillis: -1 } }],
    ["events", { queue: { events: "10000" } }],
    ["timeoutMillis", { handleExit: { timeoutMillis: "1s" } }]
  ]
  it("is named at the making", () => {
    for (const [name, options] of makings) {
      assert.throws(() => clientOf(options), new RegExp(`^${name} must be `), JSON.stringify(options))
    }
  })
  it("is named by the call, and nothing is sent without it", async () => {
    const { fetch, recorded } = service()
    const client = clientOf({ fetch, failure: "open" })
    for (const [name, options] of calls) {
      for (const call of ["record", "enqueue"] as const) {
        const error = await client[call](ada, options).catch((cause: Error) => cause)
        assert.match(String(error), new RegExp(`TypeError: ${name} must be `))
      }
    }
    await client.close()
    assert.strictEqual(recorded.length, 0)
  })
})

describe("a context that fails", () => {
  const none = "the context failed: TypeError: it gave no object"
  const ways: Readonly<Record<string, readonly [context: () => unknown, report?: string]>> = {
    throws: [
      () => {
        throw new Error("the session store is down")
      },
      "the context failed: Error: the session store is down"
    ],
    "gives a text": [() => "acme", none],
    "gives a number": [() => 42, none],
    "gives a list": [() => [{ tenant_id: "acme" }], none],
    "gives a promise": [async () => ({ tenant_id: "acme" }), none],
    "gives a promise that is rejected": [() => Promise.reject(new Error("down")), none],
    "gives an object that throws": [
      () => ({
        get tenant_id() {
          throw new Error("no tenant")
        }
      }),
      "the context failed: Error: no tenant"
    ],
    "gives null": [() => null]
  }
  for (const [name, [context, report]] of Object.entries(ways)) {
    it(`costs its members and not the event, and is reported: it ${name}`, async () => {
      const { fetch, recorded } = service()
      const reports: Array<string> = []
      const rejected: Array<unknown> = []
      const listen = (error: unknown) => rejected.push(error)
      process.on("unhandledRejection", listen)
      const client = clientOf({
        fetch,
        context: context as () => undefined,
        onError: (error, { kind }) => reports.push(`${kind}: ${error.message}`)
      })
      await client.record(ada)
      await client.enqueue(ada)
      await client.close()
      process.off("unhandledRejection", listen)
      const names = ["actor_id", "action", "idempotency_key", "occurred_at"]
      assert.deepStrictEqual(recorded.map(Object.keys), [names, names])
      assert.deepStrictEqual(reports, report === undefined ? [] : Array(2).fill(`fields: ${report}`))
      assert.deepStrictEqual(rejected, [])
    })
  }
})

describe("a flush while a try is waited for", () => {
  const failing = (headers: Readonly<Record<string, string>>) => {
    let failures = 1
    const { fetch, recorded } = service()
    const answer: typeof fetch = async (...request) => {
      if (failures-- <= 0) return fetch(...request)
      return new Response('{"error":"unavailable","message":"later"}', { status: 503, headers })
    }
    return { fetch: answer, recorded }
  }
  const retry = { baseMillis: 3_600_000, maxMillis: 3_600_000 }

  it("tries at once", async () => {
    const { fetch, recorded } = failing({})
    const client = clientOf({ fetch, retry, batch: { delayMillis: 0 } })
    await client.enqueue(ada)
    await vi.waitFor(() => assert.strictEqual(client.counters.retries, 1))
    assert.deepStrictEqual(await client.flush({ timeoutMillis: 3_600_000 }), { waiting: 0 })
    assert.strictEqual(recorded.length, 1)
  })

  it("waits where it is the service that asked for it", async () => {
    const { fetch, recorded } = failing({ "retry-after": "3600" })
    const client = clientOf({ fetch, retry, batch: { delayMillis: 0 } })
    await client.enqueue(ada)
    await vi.waitFor(() => assert.strictEqual(client.counters.retries, 1))
    assert.deepStrictEqual(await client.flush({ timeoutMillis: 20 }), { waiting: 1 })
    assert.strictEqual(recorded.length, 0)
  })
})

describe("a runtime that lets what waits for a request die with it", () => {
  it("does not stop the client: what the dead request had is sent by a later one", async () => {
    vi.useFakeTimers()
    try {
      const { fetch, recorded } = service()
      let isDead = true
      // Neither an answer nor the end by its signal ever comes.
      const dying = ((...request: Parameters<typeof fetch>) =>
        isDead ? new Promise<Response>(() => {}) : fetch(...request)) as typeof fetch
      const client = clientOf({ fetch: dying, queue: { events: 3 } })
      await client.enqueue(ada)
      const first = client.flush()
      await vi.advanceTimersByTimeAsync(10_000)
      assert.deepStrictEqual(await first, { waiting: 1 })
      vi.clearAllTimers()
      isDead = false
      await vi.advanceTimersByTimeAsync(60_000)
      await client.enqueue(ada)
      assert.deepStrictEqual(await client.flush(), { waiting: 0 })
      assert.strictEqual(recorded.length, 2)
      assert.deepInclude(client.counters, { queued: 2, waiting: 0 })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("a report that fails", () => {
  it("is ignored, whether it throws or rejects", async () => {
    const onErrors: ReadonlyArray<() => void> = [
      () => assert.fail("alerting is away"),
      async () => assert.fail("alerting is away")
    ]
    const rejected: Array<unknown> = []
    const listen = (error: unknown) => rejected.push(error)
    process.on("unhandledRejection", listen)
    for (const onError of onErrors) {
      const client = clientOf({ fetch: service().fetch, onError })
      await client.record({ ...ada, actor_id: "" }, { failure: "open" })
      await client.enqueue(ada)
      await client.close()
      assert.deepInclude(client.counters, { refused: 1, queued: 1 })
    }
    await new Promise((resolve) => setImmediate(resolve))
    process.off("unhandledRejection", listen)
    assert.deepStrictEqual(rejected, [])
  })
})

describe("a call that fails open", () => {
  it("leaves its event to the queue where its caller breaks off", async () => {
    const { fetch, recorded } = service()
    const abort = new AbortController()
    let isFirst = true
    const hanging: typeof fetch = async (...request) => {
      if (!isFirst) return fetch(...request)
      isFirst = false
      const signal = request[1]?.signal
      const ended = new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason))
      })
      abort.abort()
      return ended
    }
    const kinds: Array<string> = []
    const client = clientOf({ fetch: hanging, onError: (_, { kind }) => kinds.push(kind) })
    const { status } = await client.record(ada, { failure: "open", signal: abort.signal })
    assert.strictEqual(status, "deferred")
    assert.deepStrictEqual(kinds, ["deferred"])
    await client.close()
    assert.strictEqual(recorded.length, 1)
    assert.deepInclude(client.counters, { deferred: 1, queued: 1, dropped: 0 })
  })
})

describe("a date in Retry-After", () => {
  it("is read by the clock of whoever answers, however wrong this one is", async () => {
    const { fetch, recorded } = service()
    let isFirst = true
    const answer: typeof fetch = async (...request) => {
      if (!isFirst) return fetch(...request)
      isFirst = false
      const day = 86_400_000
      const headers = {
        date: new Date(Date.now() + day).toUTCString(),
        "retry-after": new Date(Date.now() + day - 1000).toUTCString()
      }
      return new Response("busy", { status: 503, headers })
    }
    const client = clientOf({ fetch: answer })
    assert.strictEqual((await client.record(ada)).status, "queued")
    assert.strictEqual(recorded.length, 1)
  })
})
