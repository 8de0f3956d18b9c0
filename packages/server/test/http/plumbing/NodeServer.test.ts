import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { makeNodeServer } from "../../../src/http/plumbing/NodeServer.ts"

describe("the HTTP server", () => {
  it("answers what came before there was anybody to answer, once and in whole", async () => {
    const server = makeNodeServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const came = new Promise((resolve) => server.once("connection", resolve))
    const early = [1, 2, 3].map((number) => fetch(url, { method: "POST", body: `early ${number}` }))
    await came
    // Long enough for the requests themselves to be there.
    await new Promise((resolve) => setTimeout(resolve, 200))
    let answered = 0
    server.on("request", async (request, response) => {
      answered++
      let body = ""
      for await (const chunk of request) body += chunk
      response.end(`answer to ${body}`)
    })
    const late = fetch(url, { method: "POST", body: "late" })
    const texts = await Promise.all([...early, late].map(async (answer) => (await answer).text()))
    assert.deepStrictEqual(texts, [
      "answer to early 1",
      "answer to early 2",
      "answer to early 3",
      "answer to late"
    ])
    assert.strictEqual(answered, 4)
    server.close()
    server.closeAllConnections()
  })
})
