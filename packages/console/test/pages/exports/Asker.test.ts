import type { SessionCalls } from "@cairn/client/session"
import { assert, describe, it } from "@effect/vitest"
import { askersEvery, askersOf } from "../../../src/page/pages/exports/Asker.ts"

const ADA = { id: "mem_1", name: "Ada", type: "member" }
const KEY = { id: "key_1", name: "Billing", type: "api_key" }

const EXPORTS = [
  { id: "exp_2", created_at: "2026-01-02T00:00:00.000000Z" },
  { id: "exp_1", created_at: "2026-01-01T00:00:00.000000Z" }
]

/** A log of events of exports, newest first, and what it was asked. */
const logOf = (...events: ReadonlyArray<readonly [id: string | null, actor: typeof ADA]>) => {
  const asked: Array<Readonly<Record<string, unknown>>> = []
  let read = 0
  const list = (query: Readonly<Record<string, unknown>>) => {
    asked.push(query)
    return (async function* () {
      for (const [id, actor] of events) {
        read++
        yield { resource: { type: "export", id, name: null }, actor }
      }
    })()
  }
  const calls = { events: { list } } as unknown as SessionCalls
  return { calls, asked, read: () => read }
}

const { signal } = new AbortController()

describe("who asked for exports", () => {
  it("is who the log says, of the exports that are shown and no others", async () => {
    const { calls, asked, read } = logOf(
      ["exp_3", ADA],
      ["exp_2", KEY],
      [null, ADA],
      ["exp_1", ADA],
      ["exp_0", KEY]
    )
    assert.deepStrictEqual(await askersOf(calls, EXPORTS, signal), { exp_1: ADA, exp_2: KEY })
    assert.strictEqual(read(), 4, "no more is read than is wanted")
    assert.deepInclude(asked[0], {
      action: "cairn.export.created",
      from: "2025-12-31T23:59:00.000Z",
      to: "2026-01-02T01:00:00.000Z"
    })
  })

  it("is nobody where the log does not say it, or no longer", async () => {
    assert.deepStrictEqual(await askersOf(logOf().calls, EXPORTS, signal), {})
    const { calls, asked } = logOf()
    assert.deepStrictEqual(await askersOf(calls, [], signal), {})
    assert.deepStrictEqual(asked, [])
  })

  it("is looked for again while a new export's event may be on its way", () => {
    const now = Date.parse("2026-01-02T00:00:10Z")
    assert.isUndefined(askersEvery(EXPORTS, undefined, now), "it is being read")
    assert.strictEqual(askersEvery(EXPORTS, { exp_1: ADA }, now), 2_000)
    assert.isUndefined(askersEvery(EXPORTS, { exp_2: KEY }, now), "an old one does not come any more")
    assert.isUndefined(askersEvery(EXPORTS, { exp_1: ADA }, now + 60_000))
  })
})
