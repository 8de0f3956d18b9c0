import { makeClient } from "@cairn/api"
import { wholeVerification } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { EVENT, makeTenant, sequence, TestServer, testServer } from "./TestServer.ts"

const clientFor = Effect.fnUntraced(function* (apiKey: string) {
  const { port } = yield* TestServer
  return yield* makeClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
})

describe("The client that derives from the contract", () => {
  it.live("speaks to the server: every endpoint answers what the contract says", () =>
    Effect.gen(function* () {
      const { key, workspace, stored } = yield* makeTenant()
      const client = yield* clientFor(key)
      const metadata = { nested: { list: [1, "two", null] } }
      const accepted = yield* client.events.ingest({ payload: { ...EVENT, metadata, version: 2 } })
      assert.strictEqual(accepted.status, "queued")
      const batch = yield* client.events.ingestBatch({ payload: { events: [EVENT, EVENT] } })
      assert.deepStrictEqual(
        batch.events.map(({ status }) => status),
        ["queued", "queued"]
      )
      yield* sequence
      const event = yield* client.events.getEvent({ params: { id: accepted.id } })
      assert.deepStrictEqual(event.metadata, metadata)
      const page = yield* client.events.listEvents({ query: { limit: 2, action: ["document.*"] } })
      assert.strictEqual(page.data.length, 2)
      assert.strictEqual(page.pagination.total, 3)
      const rest = yield* client.events.listEvents({ query: { cursor: page.pagination.next_cursor ?? "" } })
      assert.deepStrictEqual(
        rest.data.map(({ id }) => id),
        [accepted.id]
      )
      assert.deepStrictEqual(
        (yield* client.events.verify({ query: { limit: 100 } })).data,
        wholeVerification(3)
      )
      assert.strictEqual((yield* client.management.getWorkspace()).data.id, workspace.id)
      const renamed = yield* client.management.updateWorkspace({ payload: { name: "Other" } })
      assert.strictEqual(renamed.data.name, "Other")
      const created = yield* client.management.createApiKey({ payload: { scopes: ["read"] } })
      assert.match(created.data.key, /^cairn_/)
      const found = yield* client.management.getApiKey({ params: { id: created.data.id } })
      assert.strictEqual(found.data.prefix, created.data.prefix)
      const keys = yield* client.management.listApiKeys({ query: {} })
      assert.deepStrictEqual(
        keys.data.map(({ id }) => id),
        [created.data.id, stored.id]
      )
      const revoked = yield* client.management.revokeApiKey({ params: { id: created.data.id } })
      assert.isNotNull(revoked.data.revoked_at)
      assert.strictEqual((yield* client.health.healthz()).status, "ok")
      assert.strictEqual((yield* client.health.readyz({ query: {} })).status, "ready")
    }).pipe(Effect.provide(testServer()), Effect.provide(FetchHttpClient.layer))
  )

  it.live("fails with the contract's errors, by their codes", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const client = yield* clientFor(key)
      const stranger = yield* clientFor("cairn_wrong")
      const codeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.flip(effect), (error) =>
          typeof error === "object" && error !== null && "error" in error ? error.error : error
        )
      assert.strictEqual(yield* codeOf(stranger.events.listEvents({ query: {} })), "unauthenticated")
      assert.strictEqual(yield* codeOf(client.events.getEvent({ params: { id: "x" } })), "not_found")
      assert.strictEqual(
        yield* codeOf(client.events.listEvents({ query: { from: "x" } })),
        "invalid_parameter"
      )
      // What the contract says the client checks by itself; that it lies in the future only the server can.
      const past = client.management.createApiKey({ payload: { expires_at: "2020-01-01T00:00:00Z" } })
      const refused = yield* Effect.flip(past)
      assert.deepStrictEqual(refused, {
        error: "validation_failed",
        message: "expires_at: must be an ISO 8601 date-time in the future",
        errors: [{ field: "expires_at", message: "must be an ISO 8601 date-time in the future" }]
      })
    }).pipe(Effect.provide(testServer()), Effect.provide(FetchHttpClient.layer))
  )
})
