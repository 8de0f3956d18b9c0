/** What waits is sent before a process ends: by itself, and by SIGTERM. */
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const CLIENT = fileURLToPath(new URL("../src/index.ts", import.meta.url))

/** A server that takes everything, and the actors that it was told of. */
const withServer = async (use: (url: string, actors: ReadonlyArray<string>) => Promise<void>) => {
  const actors: Array<string> = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (part: string) => {
      text += part
    })
    request.on("end", () => {
      const body = JSON.parse(text)
      const events: ReadonlyArray<{ actor_id: string }> = body.events ?? [body]
      actors.push(...events.map(({ actor_id }) => actor_id))
      const items = events.map(({ actor_id }) => ({ id: actor_id, status: "queued" }))
      response.writeHead(202, { "content-type": "application/json" })
      response.end(JSON.stringify(body.events === undefined ? items[0] : { events: items }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, actors)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Runs a program with a client `cairn`; kills it with SIGTERM when it prints `ready`. */
const run = (
  url: string,
  program: string
): Promise<{ code: number | null; signal: string | null; out: string }> =>
  new Promise((resolve, reject) => {
    const script = `
      import { Cairn } from ${JSON.stringify(CLIENT)}
      const cairn = new Cairn({ url: ${JSON.stringify(url)}, apiKey: "key", batch: { delayMillis: 3_600_000 } })
      const event = (actor_id) => ({ actor_id, action: "process.ended" })
      ${program}`
    const child = spawn(process.execPath, ["--conditions=@cairn/source", "--input-type=module", "-e", script])
    let out = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        out += text
        if (text.includes("ready")) child.kill("SIGTERM")
      })
    }
    child.on("error", reject)
    child.on("close", (code, signal) => resolve({ code, signal, out }))
  })

describe("a process with a client", () => {
  it("sends what waits before it ends by itself", () =>
    withServer(async (url, actors) => {
      const { code } = await run(url, `await cairn.enqueue(event("ada")); await cairn.enqueue(event("eve"))`)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(actors, ["ada", "eve"])
    }))

  it("sends what waits on SIGTERM, and then ends by the signal", () =>
    withServer(async (url, actors) => {
      const { signal } = await run(
        url,
        `await cairn.enqueue(event("ada")); setInterval(() => {}, 1000); console.log("ready")`
      )
      assert.strictEqual(signal, "SIGTERM")
      assert.deepStrictEqual(actors, ["ada"])
    }))

  it("leaves the end to an application that listens to SIGTERM itself", () =>
    withServer(async (url, actors) => {
      const { code } = await run(
        url,
        `process.on("SIGTERM", async () => { await cairn.close(); process.exit(7) })
         await cairn.enqueue(event("ada")); setInterval(() => {}, 1000); console.log("ready")`
      )
      assert.strictEqual(code, 7)
      assert.deepStrictEqual(actors, ["ada"])
    }))

  it("says what is lost when the service is away until the end", async () => {
    const { code, out } = await run(
      "http://127.0.0.1:9",
      `const { flush } = cairn; cairn.flush = () => flush.call(cairn, { timeoutMillis: 50 })
       await cairn.enqueue(event("ada"))`
    )
    assert.strictEqual(code, 0)
    assert.match(out, /1 events waited in memory when the client ended/)
  })
})
