import type { IncomingMessage, ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
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

  it("reads on once answers are sent, for a client that waits for none of them", async () => {
    const server = makeNodeServer()
    const waiting: Array<[request: IncomingMessage, response: ServerResponse]> = []
    server.on("request", (request, response) => {
      // Node reads a connection on for a body.
      request.on("data", () => {}).on("end", () => waiting.push([request, response]))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const count = 3_000
    const body = "x".repeat(1_000)
    const sent = Array.from(
      { length: count },
      (_, index) => `POST /${index} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    )
    let answers = ""
    const client = connect(port, "127.0.0.1", () => client.write(sent.join("")))
    client.setEncoding("utf8").on("data", (text) => {
      answers += text
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    // What Node reads at once are 64 KiB.
    assert.isAbove(waiting.length, 1)
    assert.isBelow(waiting.length, 200)
    let most = 0
    for (let answered = 0; answered < count; answered++) {
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
      most = Math.max(most, waiting.length)
      const [request, response] = waiting.shift() ?? []
      response?.end(`answer to ${request?.url}`)
    }
    assert.isBelow(most, 200)
    while (!answers.includes(`answer to /${count - 1}`)) await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(
      [...answers.matchAll(/answer to \/(\d+)/g)].map(([, number]) => Number(number)),
      sent.map((_, index) => index)
    )
    server.close()
    server.closeAllConnections()
  })
})
