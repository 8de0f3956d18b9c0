import { sessionCalls } from "@cairn/client/session"
import { assert, describe, it } from "@effect/vitest"
import { countingInTurn } from "../../src/page/data/Counts.ts"

describe("counts of events", () => {
  it("are asked for one after the other, also after one that failed", async () => {
    let running = 0
    let most = 0
    const calls = countingInTurn(
      sessionCalls({
        url: "https://audit.test",
        fetch: async (address) => {
          running++
          most = Math.max(most, running)
          await new Promise((resolve) => setTimeout(resolve, 5))
          running--
          const total = Number(new URL(String(address)).searchParams.get("actor_id"))
          const body = total === 2 ? { error: "not_found", message: "no" } : { data: { total } }
          return new Response(JSON.stringify(body), { status: total === 2 ? 404 : 200 })
        }
      })
    )
    const counted = await Promise.allSettled(
      ["1", "2", "3"].map((actor_id) => calls.events.count({ actor_id }))
    )
    assert.deepStrictEqual(
      counted.map((one) => (one.status === "fulfilled" ? one.value.data.total : "failed")),
      [1, "failed", 3]
    )
    assert.strictEqual(most, 1)
  })
})
