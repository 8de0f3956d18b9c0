import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Alert } from "@cairn/core/consumer"
import { secretKeyFile } from "@cairn/storage-sqlite"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import {
  cairn,
  cairnJson,
  killLeftovers,
  type Server,
  startServer,
  type Tenant
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

const Consumer = Schema.Struct({
  consumer: Schema.String,
  sequence: Schema.Number,
  lag: Schema.Number,
  paused: Schema.Boolean
})
const decodeConsumer = Schema.decodeUnknownSync(Consumer)
const decodeConsumers = Schema.decodeUnknownSync(Schema.Array(Consumer))
const decodeAlerts = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(Alert) }))
const decodeMade = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
const decodeRule = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String, enabled: Schema.Boolean }))
const decodeRotated = Schema.decodeUnknownSync(
  Schema.Struct({ resealed: Schema.Number, current: Schema.Number })
)

const RULE = {
  name: "Twice",
  rule_type: "repeated_action",
  action: "document.*",
  parameters: { threshold: 2 }
}

const lines = (file: string): ReadonlyArray<string> => {
  try {
    return readFileSync(file, "utf8").trim().split("\n")
  } catch {
    return []
  }
}

describe("cairn consumer and cairn alert-rule, beside a server", () => {
  const database = join(folder, "cairn.db")
  const variables = { CAIRN_STREAM_FOLDER: join(folder, "streams") }
  const options = { database, variables }
  let tenant: Tenant
  let server: Server
  let client: ApiClient

  beforeAll(async () => {
    tenant = await seedTenant(database)
    server = await startServer(options)
    client = apiClient(server.baseUrl, tenant.key)
  })

  const consumers = async () => decodeConsumers(await cairnJson(["consumer", "list"], options))
  const alerts = async () => decodeAlerts((await client.get("/alerts")).body).data
  const twice = async (actor_id: string) => {
    const event = { actor_id, action: "document.deleted" }
    await client.acceptBatch([event, event])
  }
  const caughtUp = (consumer: string) =>
    eventually(`${consumer} has caught up`, async () =>
      (await consumers()).find((one) => one.consumer === consumer && one.lag === 0)
    )

  it("stop the alerts where they stand, show how far they are behind, and let them go on", {
    timeout: 120_000
  }, async () => {
    const rule = decodeRule(await cairnJson(["alert-rule", "create", JSON.stringify(RULE)], options))
    assert.isTrue(rule.enabled)
    await caughtUp("alerts")
    const paused = decodeConsumer(await cairnJson(["consumer", "pause", "alerts"], options))
    assert.isTrue(paused.paused)
    await twice("ada")
    const behind = await eventually("the log grows", async () =>
      (await consumers()).find(({ consumer, lag }) => consumer === "alerts" && lag >= 2)
    )
    assert.deepInclude(behind, { consumer: "alerts", paused: true })
    assert.deepStrictEqual(await alerts(), [])
    await cairnJson(["consumer", "resume", "alerts"], options)
    const [alert] = await eventually("the alert", async () => {
      const found = await alerts()
      return found.length > 0 ? found : undefined
    })
    assert.deepInclude(alert, { rule_id: rule.id })
  })

  it("replay the alerts from the first event on, which raises none twice, and from nowhere else", {
    timeout: 120_000
  }, async () => {
    const before = await alerts()
    assert.isNotEmpty(before)
    await cairnJson(["consumer", "replay", "alerts"], options)
    await caughtUp("alerts")
    assert.deepStrictEqual(await alerts(), before)
    const { code, stderr } = await cairn(["consumer", "replay", "alerts", "--from", "3"], options)
    assert.strictEqual(code, 2)
    assert.match(stderr, /from the first event on/)
  })

  it("replay a log stream from where they are told, by the stream's id", { timeout: 120_000 }, async () => {
    const made = await client.request("POST", "/api/v1/log-streams", {
      name: "File",
      start: "beginning",
      destination: { type: "file", path: "audit.ndjson" }
    })
    const { id } = decodeMade(made.body).data
    const file = join(folder, "streams", tenant.workspaceId, "audit.ndjson")
    const { sequence } = await caughtUp(`stream:${id}`)
    const sent = lines(file).length
    assert.isAtLeast(sent, sequence)
    await cairnJson(["consumer", "replay", id, "--from", String(sequence)], options)
    // The event of that sequence, and that of the replay, which may have gone out before the position was
    // moved.
    await eventually("two more lines", () => lines(file).length >= sent + 2 || undefined)
    assert.include(lines(file).slice(sent), lines(file)[sent - 1])
    const removed = await client.request("DELETE", `/api/v1/log-streams/${id}`)
    assert.strictEqual(removed.status, 200)
    const after = lines(file).length
    await eventually(
      "its position is gone",
      async () => !(await consumers()).some(({ consumer }) => consumer.startsWith("stream:")) || undefined
    )
    assert.strictEqual(lines(file).length, after)
  })

  it("change, try and delete rules, and tell the log who did", { timeout: 120_000 }, async () => {
    const rule = decodeRule(await cairnJson(["alert-rule", "create", JSON.stringify(RULE)], options))
    const off = ["alert-rule", "update", rule.id, '{"enabled":false}']
    assert.isFalse(decodeRule(await cairnJson(off, options)).enabled)
    const tried = await cairn(["alert-rule", "backtest", rule.id], options)
    assert.match(tried.stdout, /ada performed document\.deleted 2 times.*1 alerts in \d+ events/s)
    const wrong = await cairn(["alert-rule", "create", '{"name":"x","rule_type":"loud"}'], options)
    assert.strictEqual(wrong.code, 2)
    assert.match(wrong.stderr, /rule_type: must be one of/)
    await cairnJson(["alert-rule", "delete", rule.id], options)
    const events = await eventually("the deletion is in the log", async () => {
      const found = await client.list({ action: "cairn.alert_rule.*" })
      return found.some(({ action }) => action === "cairn.alert_rule.deleted") ? found : undefined
    })
    assert.deepStrictEqual(new Set(events.map(({ actor }) => actor.id)), new Set(["cairn-cli"]))
    await server.stop()
  })
})

describe("cairn secret rotate", () => {
  it("seals everything with the new key, after which the old one is not needed", {
    timeout: 120_000
  }, async () => {
    const database = join(folder, "secrets.db")
    const tenant = await seedTenant(database)
    const before = await startServer({ database })
    const client = apiClient(before.baseUrl, tenant.key)
    const hook = await client.request("POST", "/api/v1/webhooks", { url: "https://hooks.example.com/" })
    assert.strictEqual(hook.status, 201)
    const stream = await client.request("POST", "/api/v1/log-streams", {
      name: "SIEM",
      destination: { type: "splunk_hec", url: "https://splunk.example.com", token: "token" }
    })
    const { id } = decodeMade(stream.body).data
    await client.accept({ actor_id: "ada", action: "a.b" })
    assert.strictEqual((await client.get("/checkpoint")).status, 200)
    await before.stop()

    const old = readFileSync(secretKeyFile(database), "utf8").trim()
    const anew = Buffer.alloc(32, 9).toString("base64")
    const both = { database, variables: { CAIRN_SECRET_KEY: `${anew},${old}` } }
    // A webhook, a stream and the key that signs checkpoints.
    assert.deepStrictEqual(decodeRotated(await cairnJson(["secret", "rotate"], both)), {
      resealed: 3,
      current: 0
    })
    assert.deepStrictEqual(decodeRotated(await cairnJson(["secret", "rotate"], both)), {
      resealed: 0,
      current: 3
    })
    const after = await startServer({ database, variables: { CAIRN_SECRET_KEY: anew } })
    const again = apiClient(after.baseUrl, tenant.key)
    await again.accept({ actor_id: "ada", action: "a.c" })
    assert.strictEqual((await again.get("/checkpoint")).status, 200)
    const kept = await again.request("PATCH", `/api/v1/log-streams/${id}`, {
      destination: { type: "splunk_hec", url: "https://splunk.example.com", token: "***" }
    })
    assert.strictEqual(kept.status, 200, JSON.stringify(kept.body))
    await after.stop()
  })
})
