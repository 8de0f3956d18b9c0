import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { killLeftovers, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

/** Stands wherever somebody can put something that is nobody else's business. */
const CANARY = "canary7d20"
/** Nothing listens there: whatever is sent fails, and what fails is worth a line. */
const NOWHERE = "127.0.0.1:1"

const text = (fields: Record<string, Schema.Codec<unknown, unknown>>) =>
  Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct(fields) }))
const decodeSecret = text({ id: Schema.String, secret: Schema.String })
const decodeId = text({ id: Schema.String })
const decodeToken = Schema.decodeUnknownSync(Schema.Struct({ token: Schema.String }))
const decodeExport = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({ status: Schema.String, download_url: Schema.NullOr(Schema.String) })
  })
)
const decodeDeliveries = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(Schema.Struct({ channel: Schema.String, attempts: Schema.Number }))
  })
)

describe("logs at CAIRN_LOG_LEVEL=debug, of all that has secrets", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const secrets: Array<string> = []
  let logged: string

  /** The answer's body, of a request that must succeed. */
  const succeed = async (client: ApiClient, method: string, path: string, body?: unknown) => {
    const answer = await client.request(method, path, body)
    assert.isBelow(answer.status, 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const sendAndFail = async (client: ApiClient) => {
    const hook = decodeSecret(
      await succeed(client, "POST", "/api/v1/webhooks", {
        url: `http://${NOWHERE}/${CANARY}-path?q=${CANARY}`
      })
    )
    const rotated = decodeSecret(
      await succeed(client, "POST", `/api/v1/webhooks/${hook.data.id}/rotate-secret`)
    )
    secrets.push(String(hook.data.secret), String(rotated.data.secret))
    await succeed(client, "POST", "/api/v1/log-streams", {
      name: CANARY,
      destination: { type: "splunk_hec", url: `http://${NOWHERE}`, token: CANARY }
    })
    await succeed(client, "POST", "/api/v1/members", { email: `${CANARY}@example.com`, role: "admin" })
    await succeed(client, "POST", "/api/v1/alert-rules", {
      name: CANARY,
      rule_type: "repeated_action",
      parameters: { threshold: 2, window_seconds: 60 }
    })
    for (let count = 0; count < 3; count++)
      await client.accept({ actor_id: CANARY, action: `${CANARY}.again` })
    await eventually("the webhook and the mail were tried", async () => {
      const { data } = decodeDeliveries(await succeed(client, "GET", "/api/v1/deliveries"))
      const tried = data.filter(({ attempts }) => attempts > 0).map(({ channel }) => channel)
      return new Set(tried).size === 2 || undefined
    })
  }

  const exportAndFetch = async (client: ApiClient, baseUrl: string) => {
    const asked = decodeId(await succeed(client, "POST", "/api/v1/exports", { search: CANARY }))
    const url = await eventually("the export is made", async () => {
      const { data } = decodeExport(await succeed(client, "GET", `/api/v1/exports/${asked.data.id}`))
      assert.notStrictEqual(data.status, "failed")
      return data.download_url ?? undefined
    })
    const moved = await fetch(url, { redirect: "manual" })
    assert.strictEqual(moved.status, 302)
    const file = moved.headers.get("location") ?? ""
    assert.include(await (await fetch(file)).text(), `${CANARY}.again`)
    for (const link of [url, file]) secrets.push(new URL(link).searchParams.get("signature") ?? "")
    assert.strictEqual((await fetch(`${url}0`, { redirect: "manual" })).status, 401)
    assert.strictEqual((await fetch(`${baseUrl}/files/exports/${CANARY}?signature=${CANARY}`)).status, 401)
  }

  const view = async (client: ApiClient, baseUrl: string) => {
    const { token } = decodeToken(
      await succeed(client, "POST", "/api/v1/viewer-token", { tenant_id: CANARY })
    )
    secrets.push(token, ...token.split("."))
    await succeed(apiClient(baseUrl, token), "GET", `/api/v1/events?search=${CANARY}`)
    assert.strictEqual((await apiClient(baseUrl, `${token}0`).get("/events")).status, 401)
    assert.strictEqual((await apiClient(baseUrl, token).get("/workspace")).status, 403)
    assert.strictEqual((await fetch(`${baseUrl}/viewer?token=${token}`)).status, 200)
  }

  beforeAll(async () => {
    const database = join(folder, "cairn.db")
    const { key } = await seedTenant(database)
    secrets.push(key, key.slice(14, 46))
    const server = await startServer({
      database,
      variables: {
        CAIRN_LOG_LEVEL: "debug",
        CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
        CAIRN_OUTBOUND_HTTP: "true",
        CAIRN_SMTP_URL: `smtp://${CANARY}:${CANARY}@${NOWHERE}`,
        CAIRN_MAIL_FROM: `${CANARY}@example.com`
      }
    })
    const client = apiClient(server.baseUrl, key)
    await sendAndFail(client)
    await exportAndFetch(client, server.baseUrl)
    await view(client, server.baseUrl)
    await server.stop()
    logged = server.stderr() + server.stdout()
  }, 60_000)

  it("tell of the requests", () => {
    for (const route of ["webhooks", "log-streams", "exports", "viewer-token"]) {
      assert.include(logged, `/api/v1/${route}`)
    }
  })

  it("hold no secret of a webhook, no signature of a link and no token", () => {
    assert.lengthOf(secrets, 10)
    for (const secret of secrets) {
      assert.isAtLeast(secret.length, 20)
      assert.notInclude(logged, secret)
    }
  })

  it("hold no password, no address of a person and nothing of an event, also of what failed", () => {
    assert.notInclude(logged, CANARY)
  })
})
