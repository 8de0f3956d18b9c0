/**
 * The client of the product whose interface this service has (PyPI `getimmutable`), unchanged, against a real
 * server: each of its methods.
 */
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { append, closePeriod } from "../support/AnchoredLog.ts"
import { apiClient } from "../support/ApiClient.ts"
import { type Server, startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { pythonPackages, run, toolsFolder } from "./Tools.ts"

const home = join(toolsFolder, "getimmutable")

/** What the program's results have, by path. */
const expected = (id: string, anchor: string): Readonly<Record<string, unknown>> => ({
  built: { id, status: "queued" },
  built_again: { id, status: "duplicate" },
  "track.status": "queued",
  "track_batch.events[2].status": "queued",
  "get_events.pagination.total": 4,
  "get_events.pagination.has_more": true,
  "get_events.data[0].tenant_id": "acme",
  "get_events.data[0].occurred_at": "2026-01-02T03:04:05.678000Z",
  "next_page.pagination": { has_more: false, next_cursor: null, total: 4 },
  "every_filter.pagination.total": 1,
  "every_filter.data[0].id": id,
  "get_event.id": id,
  "get_event.actor": { id: "ada", name: "Ada", type: "user" },
  "get_event.action": "invoice.paid",
  "get_event.action_category": "billing",
  "get_event.resource": { type: "invoice", id: "42", name: "March" },
  "get_event.targets": [
    { type: "customer", id: "7" },
    { type: "account", id: "9", name: "Nine", metadata: { vip: true } }
  ],
  "get_event.metadata": { amount: 12 },
  "get_event.session_id": "s1",
  "get_event.idempotency_key": "original-1",
  "get_event.version": 3,
  "verify.data.valid": true,
  "verify.data.breaks": [],
  "verify.data.complete": true,
  "get_alerts.pagination.total": 1,
  "get_alerts.data[0].rule_name": "Too fast",
  "get_alerts.data[0].rule_type": "repeated_action",
  "create_export.data.status": "pending",
  "get_export.data.status": "completed",
  "get_export.data.total_rows": 4,
  "get_anchors.data[0].id": anchor,
  "get_anchor.data.id": anchor,
  "verify_anchor.data.anchor_id": anchor,
  "verify_anchor.data.valid": true,
  "wrong_key.message": "unauthenticated",
  "wrong_key.status": 401,
  "wrong_event.message": "validation_failed",
  "wrong_event.status": 422,
  "wrong_event.data.errors[0].field": "action"
})

describe("the original product's client", () => {
  const folder = temporaryFolder()
  let server: Server

  beforeAll(async () => {
    server = await startServer({ database: join(folder, "cairn.db"), tenant: true })
  })

  it("goes on working, in each of its methods", { timeout: 120_000 }, async ({ skip }) => {
    const tools = await pythonPackages("getimmutable", join(home, "requirements.txt"))
    if ("missing" in tools) return skip(tools.missing)
    const client = apiClient(server.baseUrl, server.key)
    const rule = {
      name: "Too fast",
      rule_type: "repeated_action",
      action: "document.*",
      parameters: { threshold: 2 }
    }
    assert.strictEqual((await client.request("POST", "/api/v1/alert-rules", rule)).status, 201)
    await append(client, 3)
    const env = {
      PYTHONPATH: tools.folder,
      BASE_URL: server.baseUrl,
      API_KEY: server.key,
      ANCHOR: await closePeriod(client)
    }
    const { code, output, said } = await run("python3", [join(home, "program.py")], { env })
    assert.strictEqual(code, 0, said)
    const { results, called, methods } = JSON.parse(output)
    assert.deepStrictEqual(called, methods)
    assert.lengthOf(methods, 20)
    assert.deepNestedInclude(results, expected(results.built.id, env.ANCHOR))
    assert.lengthOf(results.track_batch.events, 3)
    const pages = [...results.get_events.data, ...results.next_page.data]
    assert.deepStrictEqual(
      pages.map(({ actor }) => actor.id),
      ["b2", "b1", "b0", "bob"]
    )
    assert.match(results.create_viewer_token.token, /^[^.]+\.[^.]+\.[^.]+$/)
    assert.strictEqual((await fetch(results.get_export.data.download_url)).status, 200)
  })
})
