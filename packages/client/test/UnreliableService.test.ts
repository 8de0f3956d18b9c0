/** Whatever the service and the network do: nothing is lost, doubled or stuck, and the counters add up. */

import type { SeededRandom } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Cairn, type Outcome } from "../src/index.ts"
import { UnreliableService } from "./UnreliableService.ts"

const generated = generatedTests(import.meta.url)

/** An application's life with a client: what it was told, and what the service has in the end. */
const live = async (random: SeededRandom) => {
  const service = new UnreliableService(random, random.below(80))
  const refused: Array<Outcome> = []
  const client = new Cairn({
    url: "https://audit.test",
    apiKey: "key",
    fetch: service.fetch as typeof fetch,
    queue: { events: 20 + random.below(100) },
    batch: { count: 1 + random.below(20), delayMillis: random.below(3) },
    retry: { baseMillis: 1, maxMillis: 2 },
    timeoutMillis: 60_000,
    handleExit: false,
    onError: (_, report) => {
      if (report.kind === "refused") refused.push(...report.outcomes)
    }
  })
  const kinds = ["good", "good", "good", "good", "wrong", "malformed", "blocked"] as const
  const kept = new Map<string, (typeof kinds)[number]>()
  let dropped = 0
  const enqueue = async () => {
    const kind = random.pick(kinds)
    const whenFull = random.chance(0.3) ? "drop" : "wait"
    const event = { actor_id: "ada", action: "a.b", metadata: { kind } }
    const { status, key } = await client.enqueue(event, { whenFull })
    if (status === "kept") kept.set(key, kind)
    else dropped++
  }
  const calls: Array<Promise<unknown>> = []
  for (let step = 0; step < 150; step++) {
    calls.push(enqueue())
    if (random.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, random.below(4)))
    if (random.chance(0.05)) calls.push(client.flush({ timeoutMillis: random.below(20) }))
  }
  await new Promise((resolve) => setTimeout(resolve, random.below(30)))
  service.heal()
  await Promise.all(calls)
  const { waiting } = await client.close({ timeoutMillis: 60_000 })
  return { service, client, kept, refused, dropped, waiting }
}

describe("a queue that is sent", () => {
  it("loses nothing, doubles nothing, never stands still, and counts right", () =>
    generated.promises({ count: 6 }, async (random) => {
      const { service, client, kept, refused, dropped, waiting } = await live(random)
      const keys = (...wanted: ReadonlyArray<string>) =>
        [...kept].filter(([, kind]) => wanted.includes(kind)).map(([key]) => key)
      assert.strictEqual(waiting, 0)
      assert.sameMembers([...service.recorded.keys()], keys("good", "blocked"))
      assert.isTrue([...service.recorded.values()].every((times) => times === 1))
      assert.sameMembers(
        refused.map(({ key }) => key),
        keys("wrong", "malformed")
      )
      const { counters } = client
      assert.deepInclude(counters, { kept: kept.size, dropped, waiting: 0, refused: refused.length })
      assert.strictEqual(counters.queued + counters.duplicates + counters.refused, kept.size)
    }))
})
