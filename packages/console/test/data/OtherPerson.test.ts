import { sessionCalls } from "@cairn/client/session"
import { assert, describe, it } from "@effect/vitest"
import { fetchOrBegin } from "../../src/page/data/OtherPerson.ts"

const answering =
  (status: number, body: string, asked: Array<Headers> = []): typeof fetch =>
  async (_, init) => {
    asked.push(new Headers(init?.headers))
    return new Response(body, { status, headers: { "content-type": "application/json" } })
  }

const error = (code: string) => JSON.stringify({ error: code, message: "why" })

describe("a page that shows one person while another one has signed in", () => {
  it("begins anew, and shows nothing of the answer", async () => {
    let begun = 0
    const calls = sessionCalls({
      url: "http://cairn.test",
      personId: "per_1",
      fetch: fetchOrBegin(answering(403, error("other_person")), () => begun++)
    })
    const shown = calls.me.get().then(
      () => "an answer",
      () => "an error"
    )
    const waited = new Promise((resolve) => setTimeout(() => resolve("nothing"), 20))
    assert.strictEqual(await Promise.race([shown, waited]), "nothing")
    assert.strictEqual(begun, 1)
  })

  it("goes on after every other answer, and says whom it shows", async () => {
    for (const [status, body] of [
      [200, JSON.stringify({ data: { id: "per_1" } })],
      [401, error("unauthenticated")],
      [403, error("insufficient_scope")],
      [403, "<html>"],
      [409, error("other_person")]
    ] as const) {
      const asked: Array<Headers> = []
      const ask = fetchOrBegin(answering(status, body, asked), () => assert.fail("it begins anew"))
      const calls = sessionCalls({ url: "http://cairn.test", personId: "per_1", fetch: ask })
      const outcome = await calls.me.get().then(
        () => 200,
        (fault) => fault.status
      )
      assert.strictEqual(outcome, status)
      assert.strictEqual(asked[0]?.get("x-cairn-person"), "per_1")
    }
  })
})
