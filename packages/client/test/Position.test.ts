/** How far the service was written when it had made a change: what is read after it says so. */
import { assert, describe, it } from "@effect/vitest"
import { Cairn } from "../src/index.ts"

/** What is sealed in it is no text that could be compared. */
const position = (time: string) =>
  `${time.padStart(14, "0")}.${String.fromCharCode(122 - Number(time)).repeat(68)}`

describe("the position of an answer", () => {
  it("is sent back by the reads after it, the newest one of all", async () => {
    const sent: Array<string> = []
    const answers = [position("5"), position("9"), position("7"), null, null]
    const cairn = new Cairn({
      url: "http://127.0.0.1",
      apiKey: "key",
      fetch: async (_url, init) => {
        const headers = new Headers(init?.headers)
        sent.push(`${init?.method} ${headers.get("x-cairn-position")}`)
        const answered = answers.shift() ?? null
        return new Response(JSON.stringify({ data: { id: "rule" } }), {
          headers: answered === null ? {} : { "x-cairn-position": answered }
        })
      }
    })
    for (let count = 0; count < 3; count++) await cairn.alertRules.delete("rule")
    await cairn.alertRules.get("rule")
    await cairn.alertRules.get("rule")
    const none = "DELETE null"
    assert.deepStrictEqual(sent, [none, none, none, `GET ${position("9")}`, `GET ${position("9")}`])
  })
})
