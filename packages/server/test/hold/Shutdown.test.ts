import { type ClientRequest, request } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { wholeVerification } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { apiClient, decodeItem } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { withoutSlowness } from "../support/LogLines.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { chainOfSoundStore } from "../support/SoundStore.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const EVENT = { actor_id: "shutdown", action: "request.finished" }

/** A request whose body is still to come, but which the server has begun to answer. */
interface BegunRequest {
  readonly finish: () => Promise<{ readonly status: number; readonly body: unknown }>
}

/**
 * Sends the head of a request and the beginning of its body, and waits until the server reads it: with
 * `isAsked` it is asked for the body first, which only requests that are handled by an Effect are.
 */
const begin = (baseUrl: string, key: string, isAsked = true): Promise<BegunRequest> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify(EVENT)
    const sent: ClientRequest = request(`${baseUrl}/api/v1/events`, {
      method: "POST",
      agent: false,
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        ...(isAsked ? { Expect: "100-continue" } : {})
      }
    })
    sent.on("error", reject)
    const goOn = () => {
      sent.write(body.slice(0, 10))
      resolve({
        finish: () =>
          new Promise((answered, failed) => {
            sent.off("error", reject).on("error", failed)
            sent.on("response", (response) => {
              let text = ""
              response.setEncoding("utf8")
              response.on("data", (chunk: string) => {
                text += chunk
              })
              response.on("end", () => answered({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
            })
            sent.end(body.slice(10))
          })
      })
    }
    sent.on("continue", goOn)
    sent.flushHeaders()
    if (isAsked) return
    // What comes on another connection after the head is answered after the head was read.
    sent.on("socket", (socket) =>
      socket.once("connect", () => fetch(`${baseUrl}/healthz`).then(goOn, reject))
    )
  })

/** A request on a connection of its own, whose body comes a byte at a time. */
const trickle = (baseUrl: string, key: string, everyMillis: number) => {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  const chunks: Array<Buffer> = []
  const body = JSON.stringify({ ...EVENT, metadata: { long: "x".repeat(10_000) } })
  socket.write(
    `POST /api/v1/events HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  )
  const bytes = body[Symbol.iterator]()
  const timer = setInterval(() => socket.writable && socket.write(bytes.next().value ?? ""), everyMillis)
  return new Promise<string>((resolve) => {
    const end = () => {
      clearInterval(timer)
      resolve(Buffer.concat(chunks).toString())
    }
    socket
      .on("data", (chunk) => chunks.push(chunk))
      .on("error", end)
      .on("close", end)
  })
}

describe("stopping", () => {
  const folder = temporaryFolder()
  killLeftovers()

  it("finishes what was begun under load, exits 0, and leaves everything it acknowledged in the log", async () => {
    const database = join(folder, "load.db")
    const { key } = await seedTenant(database)
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)
    const acknowledged = new Set<string>()
    let isStopping = false
    const load = async () => {
      for (;;) {
        try {
          for (const { id } of await client.acceptBatch([EVENT, EVENT, EVENT])) acknowledged.add(id ?? "")
        } catch (error) {
          if (isStopping) return
          throw error
        }
      }
    }
    const clients = Array.from({ length: 8 }, load)
    await eventually("the load is on", () => acknowledged.size > 200 || undefined)
    const begun = await Promise.all(
      Array.from({ length: 10 }, (_, at) => begin(server.baseUrl, key, at % 2 === 0))
    )

    isStopping = true
    const ended = server.stop()
    await eventually("it takes no new connection", async () => {
      try {
        await fetch(`${server.baseUrl}/healthz`, { headers: { Connection: "close" } })
        return undefined
      } catch {
        return true
      }
    })
    for (const { status, body } of await Promise.all(begun.map(({ finish }) => finish()))) {
      assert.strictEqual(status, 202)
      acknowledged.add(decodeItem(body).id ?? "")
    }
    await Promise.all(clients)
    // Connections that are kept alive do not hold it back until its grace of 15 seconds is over.
    const finished = performance.now()
    await server.ended
    assert.isBelow(performance.now() - finished, 10_000)
    assert.deepStrictEqual(await ended, { code: 0, signal: null }, server.stderr())

    // The verification appends nothing, so what it counts was in the log when the server ended.
    const verification = chainOfSoundStore(await cairnJson(["verify"], { database }))
    const restarted = await startServer({ database })
    const events = await apiClient(restarted.baseUrl, key).list()
    const ids = events.map(({ id }) => id)
    assert.deepStrictEqual<object>(verification, wholeVerification(ids.length))
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.deepStrictEqual(
      [...acknowledged].filter((id) => !ids.includes(id)),
      []
    )
    await restarted.kill()
  })

  it("exits 0 at once when there is nothing to finish, for SIGINT too", async () => {
    const server = await startServer({ database: join(folder, "idle.db") })
    assert.strictEqual((await fetch(`${server.baseUrl}/readyz`)).status, 200)
    server.child.kill("SIGINT")
    assert.deepStrictEqual(await server.ended, { code: 0, signal: null })
    assert.deepStrictEqual(
      withoutSlowness(server.stderr()).map(({ message }) => message),
      [`Cairn listens on ${server.baseUrl}`, "Cairn has stopped"]
    )
  })

  it("says that it leaves before it does, answers until then, and waits for no body that hangs", async () => {
    const database = join(folder, "leaving.db")
    const { key } = await seedTenant(database)
    const server = await startServer({ database, variables: { CAIRN_DRAIN_SECONDS: "5" } })
    const client = apiClient(server.baseUrl, key)
    await begin(server.baseUrl, key)
    const began = performance.now()
    const ended = server.stop()
    const refusal = await eventually("it is not ready", async () => {
      const response = await fetch(`${server.baseUrl}/readyz`)
      return response.status === 503 ? response : undefined
    })
    assert.include(await refusal.text(), "shutting down")
    const { status, headers } = await client.send(EVENT)
    assert.strictEqual(status, 202)
    assert.strictEqual(headers.get("connection"), "close")
    assert.deepStrictEqual(await ended, { code: 0, signal: null }, server.stderr())
    // The body that hangs would have held it for its grace of 15 seconds after those in which it leaves.
    assert.isBelow(performance.now() - began, 19_000)
  })

  it("ends what its grace does not suffice for with an answer, and takes nothing of it", async () => {
    const database = join(folder, "grace.db")
    const { key } = await seedTenant(database)
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)
    // The key is remembered from now on, so that nothing about the next request needs to be looked up.
    await client.accept(EVENT)
    const answer = trickle(server.baseUrl, key, 100)
    await client.accept(EVENT)
    assert.deepStrictEqual(await server.stop(), { code: 0, signal: null }, server.stderr())
    assert.match(await answer, /^HTTP\/1\.1 503 [^\r]*\r\n/)
    const restarted = await startServer({ database })
    const events = await apiClient(restarted.baseUrl, key).list()
    assert.lengthOf(
      events.filter(({ action }) => action === EVENT.action),
      2
    )
    await restarted.kill()
  })

  it("ends at once at a second signal", async () => {
    const database = join(folder, "twice.db")
    const { key } = await seedTenant(database)
    const server = await startServer({ database, variables: { CAIRN_DRAIN_SECONDS: "3600" } })
    const { id } = await apiClient(server.baseUrl, key).accept(EVENT)
    server.child.kill("SIGTERM")
    const again = setInterval(() => server.child.kill("SIGTERM"), 100)
    assert.deepStrictEqual(await server.ended, { code: 143, signal: null }, server.stderr())
    clearInterval(again)
    const restarted = await startServer({ database })
    assert.strictEqual((await apiClient(restarted.baseUrl, key).event(id ?? "")).action, EVENT.action)
    await restarted.kill()
  })

  it("keeps the data and the key of a first start with --demo", async () => {
    const database = join(folder, "demo.db")
    const first = await startServer({ database, demo: true })
    const { key } = first
    assert.match(key, /^cairn_[0-9A-Za-z]{46}$/)
    const { id } = await apiClient(first.baseUrl, key).accept(EVENT)
    assert.deepStrictEqual(await first.stop(), { code: 0, signal: null })

    const second = await startServer({ database, demo: true })
    assert.notInclude(second.stdout(), "cairn_")
    assert.include(second.stdout(), "those of the first start")
    assert.match(second.stdout(), /^Viewer {5}http\S+\/viewer\?token=\S+/m)
    const client = apiClient(second.baseUrl, key)
    assert.strictEqual((await client.event(id ?? "")).action, EVENT.action)
    assert.deepInclude(await client.verify(), { valid: true, complete: true })
    await second.kill()
  })
})
