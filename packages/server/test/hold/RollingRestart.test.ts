/** Servers that are restarted one by one, behind a balancer and clients that keep their connections. */
import { Agent, createServer, type Server as HttpServer, type IncomingMessage, request } from "node:http"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, makeTenant, type Server, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"

/** How often each server is restarted. */
const ROUNDS = isEndurance() ? 20 : 1
const CLIENTS = 8
/** Longer than the balancer takes to notice, even on a busy machine. */
const DRAIN_SECONDS = 3
const LOOK_MILLIS = 100

const EVENT = { actor_id: "rolling", action: "server.restarted" }

/** A server behind the balancer. */
interface Backend {
  readonly port: number
  isReady: boolean
}

/** Passes requests on to the servers that say they are ready, in turn, and never tries one twice. */
class Balancer {
  readonly backends = new Set<Backend>()
  readonly agent = new Agent({ keepAlive: true })
  readonly server: HttpServer
  readonly timer: NodeJS.Timeout
  private turn = 0

  constructor() {
    this.server = createServer((incoming, outgoing) => {
      const ready = [...this.backends].filter(({ isReady }) => isReady)
      const backend = ready[this.turn++ % ready.length]
      if (backend === undefined) return outgoing.writeHead(502).end()
      const { method, url, headers } = incoming
      const passed = request(
        {
          port: backend.port,
          method,
          path: url,
          headers: { ...headers, connection: "keep-alive" },
          agent: this.agent
        },
        (answer: IncomingMessage) => {
          const { connection: _connection, ...rest } = answer.headers
          outgoing.writeHead(answer.statusCode ?? 502, rest)
          answer.pipe(outgoing)
        }
      )
      passed.on("error", () => outgoing.writeHead(502).end())
      return incoming.pipe(passed)
    })
    this.timer = setInterval(() => this.look(), LOOK_MILLIS)
  }

  private look(): void {
    for (const backend of this.backends) {
      request({ port: backend.port, path: "/readyz?for=write", agent: false }, (answer) => {
        answer.resume()
        backend.isReady = answer.statusCode === 200
      })
        .on("error", () => {
          backend.isReady = false
        })
        .end()
    }
  }

  close(): void {
    clearInterval(this.timer)
    this.agent.destroy()
    this.server.closeAllConnections()
    this.server.close()
  }
}

describe("a rolling restart", () => {
  killLeftovers()
  const balancer = new Balancer()
  afterAll(() => balancer.close())

  it("fails no request of clients that keep their connections, and loses and doubles nothing", async () => {
    const database = await (await sharedPostgres()).newDatabase()
    const { key } = await makeTenant("Rolling", { database })
    const add = async (): Promise<{ readonly server: Server; readonly backend: Backend }> => {
      const variables = { CAIRN_DRAIN_SECONDS: String(DRAIN_SECONDS) }
      const server = await startServer({ database, variables })
      const backend = { port: Number(new URL(server.baseUrl).port), isReady: false }
      balancer.backends.add(backend)
      await eventually("the balancer sees it", () => backend.isReady || undefined)
      return { server, backend }
    }
    let running = [await add(), await add()]

    await new Promise<void>((resolve) => balancer.server.listen(0, "127.0.0.1", resolve))
    const address = balancer.server.address()
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
    const body = JSON.stringify(EVENT)
    const send = (): Promise<number> =>
      new Promise((resolve) => {
        const sent = request(
          {
            port: typeof address === "object" ? address?.port : 0,
            path: "/api/v1/events",
            method: "POST",
            agent,
            headers: {
              authorization: `Bearer ${key}`,
              "content-type": "application/json",
              "content-length": Buffer.byteLength(body)
            }
          },
          (answer) => {
            answer.resume()
            answer.on("end", () => resolve(answer.statusCode ?? 0))
          }
        )
        sent.on("error", () => resolve(0))
        sent.end(body)
      })

    const statuses = new Map<number, number>()
    let isOver = false
    const load = async () => {
      while (!isOver) {
        const status = await send()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const clients = Array.from({ length: CLIENTS }, load)
    for (let round = 0; round < ROUNDS; round++) {
      for (const { server, backend } of running) {
        const ended = server.stop()
        await eventually("the balancer sees that it leaves", () => !backend.isReady || undefined)
        assert.deepStrictEqual(await ended, { code: 0, signal: null }, server.stderr())
        balancer.backends.delete(backend)
        running = [...running.filter((one) => one.server !== server), await add()]
      }
    }
    isOver = true
    await Promise.all(clients)
    agent.destroy()

    const accepted = statuses.get(202) ?? 0
    assert.deepStrictEqual([...statuses.keys()], [202], JSON.stringify([...statuses]))
    assert.isAbove(accepted, 100 * ROUNDS)
    const client = apiClient(running[0]?.server.baseUrl ?? "", key)
    await eventually("every event is in the log", async () => {
      const { pagination } = await client.page({ action: EVENT.action, limit: "1" })
      return pagination.total === accepted || undefined
    })
    const verification = await cairnJson(["verify", "--workspace", "Rolling"], { database })
    assert.deepInclude(verification, { valid: true, complete: true })
    for (const { server } of running) await server.kill()
  })
})
