import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { apiClient, errorCode } from "../support/ApiClient.ts"
import {
  cairn,
  cairnJson,
  killLeftovers,
  makeTenant,
  startCairn,
  startServer
} from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

const folder = temporaryFolder()
killLeftovers()

const decodeClosed = Schema.decodeUnknownSync(
  Schema.Struct({
    workspace_id: Schema.String,
    closed_at: Schema.String,
    events: Schema.Number,
    checkpoint: Schema.String,
    file: Schema.String,
    verdict: Schema.Literals(["intact", "unproven"])
  })
)

describe.each(DATABASES)("closing a workspace on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)

  it("ends its log while servers take events: all that was acknowledged is in the bundle, and nothing follows", {
    timeout: 300_000
  }, async () => {
    const { database } = await newDatabase()
    const options = { database }
    const tenant = await makeTenant("Leaving", options)
    const other = await makeTenant("Staying", options)
    const server = await startServer(options)
    const client = apiClient(server.baseUrl, tenant.key)
    const staying = apiClient(server.baseUrl, other.key)
    const acknowledged = new Set<string>()
    let refusals = 0
    const load = Array.from({ length: 4 }, async () => {
      while (refusals < 20) {
        const idempotency_key = `key-${acknowledged.size}-${Math.random()}`
        const answer = await client.send({ actor_id: "a", action: "last.words", idempotency_key })
        if (answer.status === 202) acknowledged.add(idempotency_key)
        else {
          assert.strictEqual(answer.status, 403, JSON.stringify(answer.body))
          assert.strictEqual(errorCode(answer), "insufficient_scope")
          assert.match(JSON.stringify(answer.body), /The workspace was closed at .*Z: its log takes no more/)
          refusals++
        }
      }
    })
    await eventually("there are events", () => acknowledged.size > 100 || undefined)
    const file = join(folder, `${kind}.cairn`)
    const args = ["workspace", "export-and-close", tenant.workspaceId, "--yes"]

    // Killed once the workspace is marked.
    const killed = startCairn([...args, "--to", file], options)
    await Promise.all(load)
    killed.child.kill("SIGKILL")
    await killed.ended
    assert.isFalse(existsSync(file))

    const closed = decodeClosed(await cairnJson([...args, "--to", file], options))
    assert.strictEqual(closed.workspace_id, tenant.workspaceId)
    const bundle = gunzipSync(readFileSync(file)).toString()
    for (const key of acknowledged) assert.include(bundle, key)
    assert.include(bundle, "cairn.workspace.closed")
    assert.deepStrictEqual(
      readdirSync(folder).filter((name) => name.endsWith(".part")),
      []
    )
    const [, size] = closed.checkpoint.split("\n")
    assert.strictEqual(Number(size), closed.events)

    // Read on; nothing of that is recorded.
    assert.isAbove((await client.list({ action: "last.words" })).length, 0)
    assert.strictEqual((await client.verify()).events_checked, closed.events)
    // What a server knows of a workspace holds for a second or two; the log itself has refused all since.
    const hook = await eventually("a webhook is refused", async () => {
      const answer = await client.request("POST", "/api/v1/webhooks", { url: "https://example.com/" })
      return answer.status === 403 ? answer : undefined
    })
    assert.include(JSON.stringify(hook.body), "The workspace was closed at")
    await staying.accept({ actor_id: "a", action: "stays.open" })
    await cairnJson(["key", "create", "--workspace", tenant.workspaceId, "--scopes", "read"], options)
    const lines = join(folder, `${kind}.ndjson`)
    writeFileSync(lines, '{"actor_id":"a","action":"b"}\n')
    const imported = await cairn(["import", lines, "--workspace", tenant.workspaceId], options)
    assert.strictEqual(imported.code, 2)
    assert.include(imported.stderr, "its log takes no more events")

    // Again: the same end.
    assert.strictEqual((await cairn([...args, "--to", file], options)).code, 2)
    const again = decodeClosed(await cairnJson([...args, "--to", `${file}.again`], options))
    assert.strictEqual(again.events, closed.events)
    assert.strictEqual(again.closed_at, closed.closed_at)
    assert.strictEqual(again.checkpoint, closed.checkpoint)
    await server.stop()
  })
})
