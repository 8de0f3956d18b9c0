import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it, vi } from "@effect/vitest"
import { Cairn, type CairnOptions } from "../src/index.ts"

const generated = generatedTests(import.meta.url)

type Sent = { readonly events?: ReadonlyArray<{ readonly actor_id: string }>; readonly actor_id?: string }

/** A service behind something that lets no request with one of these actors through. */
const behindFirewall = (blocked: ReadonlySet<string>, how: () => Promise<Response>) => {
  const recorded: Array<string> = []
  const sizes: Array<number> = []
  const fetch = async (_: unknown, init: { readonly body: string; readonly signal: AbortSignal }) => {
    const body: Sent = JSON.parse(init.body)
    const events = body.events ?? [{ actor_id: String(body.actor_id) }]
    sizes.push(events.length)
    if (events.some(({ actor_id }) => blocked.has(actor_id))) {
      return Promise.race([
        how(),
        new Promise<never>((_, reject) => {
          init.signal.addEventListener("abort", () => reject(init.signal.reason))
        })
      ])
    }
    recorded.push(...events.map(({ actor_id }) => actor_id))
    const items = events.map(({ actor_id }) => ({ id: actor_id, status: "queued" }))
    return new Response(JSON.stringify(body.events === undefined ? items[0] : { events: items }), {
      status: 202
    })
  }
  return { fetch: fetch as unknown as typeof globalThis.fetch, recorded, sizes }
}

const answers = {
  "a page of its own": async () => new Response("<html>blocked</html>", { status: 403 }),
  "an error of its own, with the status of a refusal": async () =>
    new Response('{"statusCode":422,"error":"Unprocessable Entity","message":"no"}', { status: 422 }),
  "an error of the service": async () => new Response('{"error":"internal","message":"no"}', { status: 500 }),
  "a connection that is cut": async () => {
    throw new TypeError("fetch failed")
  },
  "an answer that is none": async () => new Response('{"ok":true}', { status: 200 })
}

const client = (options: Partial<CairnOptions>) =>
  new Cairn({
    url: "https://audit.test",
    apiKey: "cairn_secret_key",
    batch: { delayMillis: 3_600_000 },
    retry: { baseMillis: 1, maxMillis: 1 },
    timeoutMillis: 60_000,
    handleExit: false,
    onError: () => {},
    ...options
  })

const event = (actor_id: string | number) => ({ actor_id: String(actor_id), action: "a.b" })

describe("events that something never lets through", () => {
  for (const [name, how] of Object.entries(answers)) {
    it(`hold up no other: ${name}`, () =>
      generated.promises({ count: 4 }, async (random) => {
        const count = 1 + random.below(400)
        const names = Array.from({ length: count }, (_, index) => String(index))
        const blocked = new Set(
          names.filter((each) => each !== "0" && random.chance(random.pick([0.005, 0.05])))
        )
        const { fetch, recorded } = behindFirewall(blocked, how)
        const kinds: Array<string> = []
        const cairn = client({ fetch, onError: (_, { kind }) => kinds.push(kind) })
        for (const each of names) await cairn.enqueue(event(each))
        // Its limit is never reached.
        const { waiting } = await cairn.flush({ timeoutMillis: 3_600_000 })
        assert.sameMembers(
          recorded,
          names.filter((each) => !blocked.has(each))
        )
        assert.strictEqual(waiting, blocked.size)
        assert.deepInclude(cairn.counters, { queued: count - blocked.size, refused: 0, dropped: 0 })
        assert.isTrue(kinds.every((kind) => kind === "retry"))
        const [released] = [...blocked]
        blocked.clear()
        await cairn.flush({ timeoutMillis: 3_600_000 })
        assert.sameMembers(recorded, names)
        assert.isTrue(released === undefined || recorded.includes(released))
        await cairn.close()
      }))
  }

  it("are found in few requests, and cost later events none", async () => {
    const { fetch, recorded, sizes } = behindFirewall(new Set(["50"]), answers["a page of its own"])
    const cairn = client({ fetch })
    for (let index = 0; index < 100; index++) await cairn.enqueue(event(index))
    await cairn.flush()
    assert.strictEqual(recorded.length, 99)
    // Three whole ones, and four levels of at most four parts; the rest are its own tries.
    const several = () => sizes.filter((size) => size > 1).length
    assert.isAtMost(several(), 3 + 16)
    const before = several()
    await Promise.all(Array.from({ length: 1000 }, (_, index) => cairn.enqueue(event(100 + index))))
    await cairn.flush()
    assert.strictEqual(recorded.length, 1099)
    assert.isAtMost(several() - before, 12)
  })

  it("and items on which the service fails in an answer for others wait apart at once", async () => {
    const asked: Array<number> = []
    const fetch = async (_: unknown, init: { readonly body: string }) => {
      const body: Sent = JSON.parse(init.body)
      asked.push(body.events?.length ?? 1)
      const items = (body.events ?? [body]).map(({ actor_id }) =>
        actor_id === "1"
          ? { status: "rejected", error: "internal", message: "no" }
          : { id: actor_id, status: "queued" }
      )
      return new Response(JSON.stringify(body.events ? { events: items } : items[0]), { status: 202 })
    }
    const cairn = client({ fetch: fetch as unknown as typeof globalThis.fetch })
    for (let index = 0; index < 3; index++) await cairn.enqueue(event(index))
    assert.deepStrictEqual(await cairn.flush({ timeoutMillis: 3_600_000 }), { waiting: 1 })
    for (let index = 3; index < 6; index++) await cairn.enqueue(event(index))
    assert.deepStrictEqual(await cairn.flush({ timeoutMillis: 3_600_000 }), { waiting: 1 })
    assert.deepStrictEqual(
      asked.filter((count) => count > 1),
      [3, 3]
    )
    assert.deepInclude(cairn.counters, { queued: 5, waiting: 1 })
  })

  it("are looked for after the first request that is not answered in time", async () => {
    vi.useFakeTimers()
    try {
      const { fetch, recorded, sizes } = behindFirewall(new Set(["7"]), () => new Promise(() => {}))
      const cairn = client({ fetch })
      for (let index = 0; index < 16; index++) await cairn.enqueue(event(index))
      const flushed = cairn.flush({ timeoutMillis: 3_600_000 })
      // The batch, a quarter and the event; each for as long as a request may take.
      await vi.advanceTimersByTimeAsync(31_000)
      assert.strictEqual(recorded.length, 15)
      assert.isAtMost(sizes.length, 16)
      await vi.advanceTimersByTimeAsync(60_000)
      assert.deepStrictEqual(await flushed, { waiting: 1 })
    } finally {
      vi.useRealTimers()
    }
  })
})
