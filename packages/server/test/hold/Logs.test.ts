import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, type Server, startServer } from "../support/CairnProcess.ts"
import { type LogLine, logLines, withoutSlowness } from "../support/LogLines.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** Stands wherever a client can put something of its own. */
const CANARY = "canary-5e1f"

const EVENT = {
  actor_id: `${CANARY}-actor`,
  actor_name: `${CANARY}-name`,
  action: `${CANARY}.action`,
  resource_id: `${CANARY}-resource`,
  tenant_id: `${CANARY}-tenant`,
  idempotency_key: `${CANARY}-idempotency`,
  metadata: { [`${CANARY}-key`]: `${CANARY}-value` }
}

describe("logs at CAIRN_LOG_LEVEL=debug", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  let server: Server
  let key: string
  let newKey: string
  const statuses = new Set<number>()
  let requests = 0
  let lines: ReadonlyArray<LogLine>

  beforeAll(async () => {
    key = (await seedTenant(database)).key
    server = await startServer({ database, variables: { CAIRN_LOG_LEVEL: "debug" } })
    const send = async (sender: string, method: string, path: string, body?: unknown) => {
      const { request } = apiClient(server.baseUrl, sender)
      const answer = await request(method, path, body, { "X-Request-Id": `request-${++requests}` })
      statuses.add(answer.status)
      return answer
    }
    const wrongKey = `${key.slice(0, 20)}${CANARY.replace("-", "")}`
    await send(key, "POST", "/api/v1/events", EVENT)
    await send(key, "POST", "/api/v1/events", { ...EVENT, action: 1 })
    await send(key, "POST", "/api/v1/events", `{"actor_id": "${CANARY}"`)
    await send(key, "POST", "/api/v1/events/batch", { events: [EVENT, { actor_id: CANARY }] })
    await send(key, "GET", `/api/v1/events?search=${CANARY}&actor_id=${CANARY}`)
    await send(key, "GET", `/api/v1/events?from=${CANARY}`)
    await send(key, "GET", `/api/v1/events/${CANARY}`)
    await send(key, "GET", `/${CANARY}?token=${CANARY}`)
    await send(key, "PUT", `/api/v1/events/${CANARY}`, EVENT)
    await send(key, "GET", "/api/v1/verify?limit=100")
    await send(wrongKey, "GET", "/api/v1/events")
    const created = await send(key, "POST", "/api/v1/api-keys", { name: CANARY })
    newKey = /cairn_[0-9A-Za-z]{46}/.exec(JSON.stringify(created.body))?.[0] ?? ""
    await send(newKey, "GET", "/api/v1/events")
    await send(newKey, "GET", "/api/v1/workspace")
    await server.stop()
    lines = logLines(server.stderr())
  })

  it("are written for requests of every kind", () => {
    assert.deepStrictEqual([...statuses].sort(), [200, 201, 202, 400, 401, 403, 404, 405, 422])
    assert.isAbove(lines.length, 5)
  })

  it("are JSON, one object a line, with a level and a time", () => {
    for (const { level, timestamp } of lines) {
      assert.include(["DEBUG", "INFO", "WARN", "ERROR"], level)
      assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    }
  })

  it("have one line for each request, which names its id, route and status", () => {
    const ids = lines.map(({ annotations }) => annotations.requestId).filter((id) => id !== undefined)
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.deepStrictEqual(
      ids,
      Array.from({ length: requests }, (_, index) => `request-${index + 1}`)
    )
    const [first] = lines.filter(({ annotations }) => annotations.requestId === "request-1")
    assert.strictEqual(first?.annotations.route, "/api/v1/events")
    assert.strictEqual(first?.annotations.status, 202)
  })

  it("hold no key and nothing of an event or of a query", () => {
    assert.match(newKey, /^cairn_/)
    const text = server.stderr() + server.stdout()
    for (const secret of [key, newKey]) {
      // Neither the whole nor the secret half: the public id alone is no secret.
      assert.notInclude(text, secret)
      assert.notInclude(text, secret.slice(14, 46))
    }
    for (const word of [CANARY, "Bearer", "actor_id", CANARY.replace("-", "")]) assert.notInclude(text, word)
  })

  it.each([
    ["the default level", {}],
    [
      "--log-level none, whatever the variable says",
      { logLevel: "none", variables: { CAIRN_LOG_LEVEL: "debug" } }
    ]
  ])("have a first and a last line at %s, and no other when all goes well", async (_, options) => {
    const quiet = await startServer({ database, ...options })
    await apiClient(quiet.baseUrl, key).accept({ actor_id: "a", action: "b" })
    assert.strictEqual((await apiClient(quiet.baseUrl, "none").get("/events")).status, 401)
    await quiet.stop()
    assert.strictEqual(quiet.stdout(), "")
    assert.deepStrictEqual(
      withoutSlowness(quiet.stderr()).map(({ level, message }) => [level, message]),
      [
        ["INFO", `Cairn listens on ${quiet.baseUrl}`],
        ["INFO", "Cairn has stopped"]
      ]
    )
  })
})
