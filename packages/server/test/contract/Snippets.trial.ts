/**
 * The snippets that send an event, run where their language is: against a real service behind a proxy that is
 * busy at first, and then loses an answer. One event is in the log.
 */
import { spawnSync } from "node:child_process"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type Server, startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { SNIPPETS } from "./Snippets.ts"
import { run } from "./Tools.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** Forwards requests: the first is answered `503`, the answer to the second is lost. */
const withProxy = async (target: string, use: (url: string) => Promise<void>): Promise<number> => {
  let asked = 0
  const server = createServer(async (request, response) => {
    const at = ++asked
    const parts: Array<Buffer> = []
    for await (const part of request) parts.push(part)
    if (at === 1) {
      response.writeHead(503, { "content-type": "application/json", "retry-after": "0" })
      return void response.end('{"error":"unavailable","message":"later"}')
    }
    const { authorization = "", "content-type": type = "" } = request.headers
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? "",
      headers: { authorization, "content-type": type },
      body: Buffer.concat(parts)
    })
    const text = await answer.text()
    if (at === 2) return void response.socket?.resetAndDestroy()
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
  return asked
}

/** A peer that answers each request so, and how often it was asked. */
const withPeer = async (
  answer: (response: ServerResponse, at: number) => void,
  use: (url: string) => Promise<void>
) => {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response, ++asked))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
  return asked
}

describe("a snippet that sends an event", () => {
  const folder = temporaryFolder()
  let server: Server
  let recorded = 0

  beforeAll(async () => {
    server = await startServer({ database: join(folder, "cairn.db"), tenant: true })
  })

  const read = async (path: string) => {
    const answer = await fetch(`${server.baseUrl}/api/v1/events${path}`, {
      headers: { authorization: `Bearer ${server.key}` }
    })
    assert.strictEqual(answer.status, 200)
    return JSON.parse(await answer.text())
  }

  for (const { language, program, args } of SNIPPETS) {
    it(`records it once, in ${language}`, async ({ skip }) => {
      if (spawnSync(program, ["--version"]).error !== undefined) return skip(`there is no ${program} here`)
      const asked = await withProxy(server.baseUrl, async (url) => {
        const env = {
          CAIRN_URL: url,
          CAIRN_API_KEY: server.key,
          PYTHONPATH: join(root, "clients/python/src"),
          NODE_OPTIONS: "--disable-warning=ExperimentalWarning"
        }
        const { code, said } = await run(program, args, { cwd: folder, env })
        assert.strictEqual(code, 0, said)
        assert.match(said, /queued|duplicate/)
      })
      assert.strictEqual(asked, 3)
      recorded++
      while ((await read("/count?action=invoice.paid")).data.total < recorded);
      const { data, pagination } = await read("?action=invoice.paid&limit=1")
      assert.strictEqual(pagination.total, recorded)
      const [event] = data
      assert.isAbove(event.idempotency_key.length, 20)
      assert.isBelow(Math.abs(Date.parse(event.occurred_at) - Date.now()), 600_000)
      assert.isBelow(Date.parse(event.occurred_at), Date.parse(event.created_at))
      assert.deepInclude(event.resource, { type: "invoice", id: "42" })
    })

    it(`says what is wrong with its key, in ${language}`, async ({ skip }) => {
      if (spawnSync(program, ["--version"]).error !== undefined) return skip(`there is no ${program} here`)
      const env = {
        CAIRN_URL: server.baseUrl,
        CAIRN_API_KEY: "wrong",
        PYTHONPATH: join(root, "clients/python/src")
      }
      const { code, said } = await run(program, args, { cwd: folder, env })
      assert.notStrictEqual(code, 0)
      assert.match(said, /unauthenticated|API key/)
    })

    it(`sends its event and key nowhere else, in ${language}`, async ({ skip }) => {
      if (spawnSync(program, ["--version"]).error !== undefined) return skip(`there is no ${program} here`)
      let elsewhere = 0
      const count = (response: ServerResponse) => {
        elsewhere++
        response.writeHead(202, { "content-type": "application/json" }).end('{"id":"1","status":"queued"}')
      }
      await withPeer(count, async (other) => {
        const redirect = (response: ServerResponse) => {
          response.writeHead(307, { location: `${other}/api/v1/events` }).end()
        }
        await withPeer(redirect, async (url) => {
          const env = { CAIRN_URL: url, CAIRN_API_KEY: "key", PYTHONPATH: join(root, "clients/python/src") }
          const { code } = await run(program, args, { cwd: folder, env })
          assert.notStrictEqual(code, 0)
        })
      })
      assert.strictEqual(elsewhere, 0)
    })

    it.skipIf(language !== "curl")(
      `does not wait for a month where it is told to, in ${language}`,
      async () => {
        const later = (response: ServerResponse) => {
          response.writeHead(429, { "content-type": "application/json", "retry-after": "2592000" })
          response.end('{"error":"quota_exceeded","message":"The events of the month are used up"}')
        }
        const asked = await withPeer(later, async (url) => {
          const { code, said } = await run(program, args, {
            cwd: folder,
            env: { CAIRN_URL: url, CAIRN_API_KEY: "key" }
          })
          assert.notStrictEqual(code, 0)
          assert.match(said, /used up/)
        })
        assert.strictEqual(asked, 1)
      }
    )

    it(`does not wait for the rest of an answer for ever, in ${language}`, async ({ skip }) => {
      if (spawnSync(program, ["--version"]).error !== undefined) return skip(`there is no ${program} here`)
      const stall = (response: ServerResponse, at: number) => {
        response.writeHead(202, { "content-type": "application/json" })
        if (at === 1) response.write('{"id":')
        else response.end('{"id":"1","status":"queued"}')
      }
      let code: number | null = null
      const asked = await withPeer(stall, async (url) => {
        const env = { CAIRN_URL: url, CAIRN_API_KEY: "key", PYTHONPATH: join(root, "clients/python/src") }
        code = (await run(program, args, { cwd: folder, env })).code
      })
      // It tries again, or its whole time limit is over: it says that it does not know.
      assert.strictEqual(code === 0, asked === 2)
    })
  }
})
