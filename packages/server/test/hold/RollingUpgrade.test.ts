/**
 * Servers that are replaced one by one, those of the former version first, behind a balancer and clients that
 * keep their connections.
 */
import { Agent, type IncomingMessage, request } from "node:http"
import { formerVersion } from "@cairn/testing/FormerVersion"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { type Backend, Balancer } from "../support/Balancer.ts"
import { cairnJson, killLeftovers, makeTenant, type Server, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

const SERVERS = 3
/** Servers of this version that are replaced once no other is left. */
const AFTERWARDS = isEndurance() ? 20 * SERVERS : 1
const WRITERS = 6
const READERS = 2
/** Longer than the balancer takes to notice, even on a busy machine. */
const DRAIN_SECONDS = 3

const EVENT = { actor_id: "rolling", action: "server.replaced" }

const former = await formerVersion()
const missing = "missing" in former ? former.missing : ""
afterAll(() => ("missing" in former ? undefined : former.remove()))

/** A server and what the balancer knows of it. */
interface Running {
  readonly server: Server
  readonly backend: Backend
}

/** Starts servers on a database behind a balancer, and replaces them. */
const fleetOf = (balancer: Balancer, database: string, key: string) => {
  const variables = { CAIRN_DRAIN_SECONDS: String(DRAIN_SECONDS) }
  const running: Array<Running> = []
  const add = async (bin?: string): Promise<void> => {
    const server = await startServer({ database, variables, ...(bin === undefined ? {} : { bin }) })
    // Its log thread has opened the database: one of the former version opens none that this one migrated.
    await apiClient(server.baseUrl, key).page({ limit: "1" })
    const backend = { port: Number(new URL(server.baseUrl).port), isReady: false }
    balancer.backends.add(backend)
    await eventually("the balancer sees it", () => backend.isReady || undefined)
    running.push({ server, backend })
  }
  /** The oldest goes once a new one is there. */
  const replaceOldest = async (): Promise<void> => {
    await add()
    const oldest = running.shift()
    if (oldest === undefined) return
    const { server, backend } = oldest
    const ended = server.stop()
    await eventually("the balancer sees that it leaves", () => !backend.isReady || undefined)
    assert.deepStrictEqual(await ended, { code: 0, signal: null }, server.stderr())
    balancer.backends.delete(backend)
  }
  const kill = () => Promise.all(running.map(({ server }) => server.kill()))
  return { add, replaceOldest, kill, first: () => running[0]?.server.baseUrl ?? "" }
}

/** Clients that write and read over kept connections until they are stopped; gives the answers by status. */
const load = (port: number, key: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS + READERS })
  const authorization = `Bearer ${key}`
  const body = JSON.stringify(EVENT)
  const ask = (method: string, path: string, text = ""): Promise<number> =>
    new Promise((resolve) => {
      const headers = { authorization, "content-type": "application/json", "content-length": text.length }
      const sent = request({ port, path, method, agent, headers }, (answer: IncomingMessage) => {
        answer.resume()
        answer.on("end", () => resolve(answer.statusCode ?? 0))
        answer.on("error", () => resolve(0))
      })
      sent.on("error", () => resolve(0))
      sent.end(text)
    })
  const statuses = new Map<string, number>()
  let isOver = false
  const repeat = async (name: string, once: () => Promise<number>) => {
    while (!isOver) {
      const status = `${name} ${await once()}`
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const clients = [
    ...Array.from({ length: WRITERS }, () => repeat("write", () => ask("POST", "/api/v1/events", body))),
    ...Array.from({ length: READERS }, () =>
      repeat("read", () => ask("GET", `/api/v1/events?action=${EVENT.action}&limit=5`))
    )
  ]
  const stop = async (): Promise<ReadonlyMap<string, number>> => {
    isOver = true
    await Promise.all(clients)
    agent.destroy()
    return statuses
  }
  return { stop }
}

describe.skipIf(missing !== "").each(DATABASES)(
  `a rolling upgrade on %s${missing === "" ? "" : ` (skipped: ${missing})`}`,
  (kind) => {
    killLeftovers()
    const databases = testDatabases(kind)
    const balancer = new Balancer()
    afterAll(() => balancer.close())

    it("fails no request of clients that keep their connections, and loses and doubles nothing", async () => {
      const bin = "missing" in former ? undefined : former.bin
      const { database } = await databases.newDatabase()
      const { key } = await makeTenant("Rolling", { database, ...(bin === undefined ? {} : { bin }) })
      const fleet = fleetOf(balancer, database, key)
      for (let count = 0; count < SERVERS; count++) await fleet.add(bin)
      await new Promise<void>((resolve) => balancer.server.listen(0, "127.0.0.1", resolve))
      const address = balancer.server.address()
      const clients = load(typeof address === "object" && address !== null ? address.port : 0, key)
      for (let count = 0; count < SERVERS + AFTERWARDS; count++) await fleet.replaceOldest()
      const statuses = await clients.stop()

      assert.sameMembers([...statuses.keys()], ["write 202", "read 200"], JSON.stringify([...statuses]))
      const accepted = statuses.get("write 202") ?? 0
      assert.isAbove(accepted, 100)
      const client = apiClient(fleet.first(), key)
      await eventually("every event is in the log", async () => {
        const { pagination } = await client.page({ action: EVENT.action, limit: "1" })
        return pagination.total === accepted || undefined
      })
      const verification = await cairnJson(["verify", "--workspace", "Rolling"], { database })
      assert.deepInclude(verification, { valid: true, complete: true })
      await fleet.kill()
    })
  }
)
