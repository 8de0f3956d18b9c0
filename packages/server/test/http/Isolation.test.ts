import { Micros } from "@cairn/core/encoding"
import { Cursor } from "@cairn/core/log"
import { wholeVerification } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"

/** An event whose every field can be asked for, and which says whose it is. */
const eventOf = (owner: string) => ({
  actor_id: "ada",
  actor_name: "Ada",
  action: "document.read",
  resource: "document",
  resource_id: "1",
  resource_name: "Report",
  tenant_id: "t",
  session_id: "s",
  idempotency_key: "k",
  metadata: { owner },
  targets: [{ type: "folder", id: "f" }]
})

interface Listed {
  readonly data: ReadonlyArray<{ readonly id: string; readonly metadata: { readonly owner: string } }>
  readonly pagination: { readonly total: number }
}

const setUp = Effect.gen(function* () {
  const mine = yield* makeTenant()
  const theirs = yield* makeTenant()
  const ingest = (key: string, owner: string) =>
    Effect.map(send({ path: EVENTS, key, body: eventOf(owner) }), (response) =>
      response.json<{ id: string; status: string }>()
    )
  const my = yield* ingest(mine.key, "me")
  const their = yield* ingest(theirs.key, "them")
  yield* sequence
  return { mine, theirs, my, their }
})

describe("Two workspaces", () => {
  it.live("do not share idempotency keys", () =>
    Effect.gen(function* () {
      const { my, their } = yield* setUp
      assert.strictEqual(my.status, "queued")
      assert.strictEqual(their.status, "queued")
      assert.notStrictEqual(my.id, their.id)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("never see each other's events, whatever is asked", () =>
    Effect.gen(function* () {
      const { mine, theirs } = yield* setUp
      const now = yield* Micros.now
      const queries = [
        "",
        "action=document.read",
        "action=document.*",
        "action=*",
        "actor_id=ada",
        "resource=document",
        "resource_id=1",
        "tenant_id=t",
        "session_id=s",
        "search=report",
        "search=owner",
        "target_type=folder&target_id=f",
        "from=2000-01-01",
        "to=2999-01-01",
        `cursor=${Cursor.encode(now + Micros.DAY)}`,
        "limit=100"
      ]
      for (const name of ["workspace_id", "workspace", "workspaceId"]) {
        const path = `${EVENTS}?${name}=${theirs.workspace.id}`
        assert.strictEqual((yield* send({ path, key: mine.key })).status, 400)
      }
      for (const query of queries) {
        const { data, pagination } = (yield* send({
          path: `${EVENTS}?${query}`,
          key: mine.key
        })).json<Listed>()
        assert.deepStrictEqual(
          data.map(({ metadata }) => metadata.owner),
          ["me"],
          query
        )
        assert.strictEqual(pagination.total, 1, query)
      }
      const { pagination } = (yield* send({ path: `${EVENTS}?search=them`, key: mine.key })).json<Listed>()
      assert.strictEqual(pagination.total, 0)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("get 404 for each other's ids, sequenced or waiting", () =>
    Effect.gen(function* () {
      const { mine, theirs, their } = yield* setUp
      const waiting = (yield* send({
        path: EVENTS,
        key: theirs.key,
        body: { ...eventOf("them"), idempotency_key: null }
      })).json<{
        id: string
      }>()
      for (const id of [their.id, waiting.id]) {
        assert.strictEqual((yield* send({ path: `${EVENTS}/${id}`, key: mine.key })).status, 404)
        assert.strictEqual((yield* send({ path: `${EVENTS}/${id}`, key: theirs.key })).status, 200)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("verify chains of their own", () =>
    Effect.gen(function* () {
      const { mine } = yield* setUp
      const response = yield* send({ path: "/api/v1/verify", key: mine.key })
      assert.deepStrictEqual(response.json(), { data: wholeVerification(1) })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("do not see, read or revoke each other's keys", () =>
    Effect.gen(function* () {
      const { mine, theirs } = yield* setUp
      const listed = (yield* send({ path: "/api/v1/api-keys", key: mine.key })).json<{
        data: Array<{ id: string }>
      }>()
      assert.deepStrictEqual(
        listed.data.map(({ id }) => id),
        [mine.stored.id]
      )
      const path = `/api/v1/api-keys/${theirs.stored.id}`
      assert.strictEqual((yield* send({ path, key: mine.key })).status, 404)
      assert.strictEqual((yield* send({ path, key: mine.key, method: "DELETE" })).status, 404)
      assert.strictEqual((yield* send({ path: EVENTS, key: theirs.key })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("see and change settings of their own only", () =>
    Effect.gen(function* () {
      const { mine, theirs } = yield* setUp
      const change = (body: object) =>
        send({ path: "/api/v1/workspace", method: "PATCH", key: mine.key, body })
      for (const name of ["id", "workspace_id"])
        assert.strictEqual((yield* change({ [name]: theirs.workspace.id, name: "Mine" })).status, 422)
      const patched = yield* change({ name: "Mine" })
      assert.strictEqual(patched.json<{ data: { id: string } }>().data.id, mine.workspace.id)
      const other = (yield* send({ path: "/api/v1/workspace", key: theirs.key })).json<{
        data: { name: string }
      }>()
      assert.strictEqual(other.data.name, "Test")
    }).pipe(Effect.provide(testServer()))
  )
})
