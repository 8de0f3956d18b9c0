import { gunzipSync } from "node:zlib"
import { ExportMaker } from "@cairn/core/export"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ownEvents } from "./AccessSteps.ts"
import { accept, EXPORT, many, token } from "./ExportSteps.ts"
import { makeKey, makeTenant, send, testServer } from "./TestServer.ts"

/** The file that an export makes in the background. */
const fileOf = Effect.fnUntraced(function* (key: string, body: object) {
  const made = yield* send({ path: "/api/v1/exports", key, body })
  const { id } = made.json<{ data: { id: string } }>().data
  const { advance } = yield* ExportMaker
  while (yield* Effect.orDie(advance));
  const { location } = (yield* send({ path: `/api/v1/exports/${id}/download`, key })).headers
  const { pathname, search } = new URL(location ?? "")
  return yield* send({ path: `${pathname}${search}` })
})

describe("GET /api/v1/events/export", () => {
  it.live("sends the bytes that the file of an export has, in both formats", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant({ name: "Acme & Söhne" })
      yield* accept(key, many(620))
      for (const format of ["csv", "ndjson"]) {
        for (const filter of [{ action: "document.*" }, { actor_id: "ada", search: "zoë" }]) {
          const query = new URLSearchParams({ ...filter, format })
          const file = yield* fileOf(key, { ...filter, format })
          const sent = yield* send({ path: `${EXPORT}?${query}`, key })
          assert.strictEqual(sent.status, 200, sent.text)
          assert.strictEqual(sent.text, file.text)
          assert.isAbove(sent.text.split("\n").length, 200)
          assert.strictEqual(sent.headers["content-type"], file.headers["content-type"])
          assert.strictEqual(sent.headers["transfer-encoding"], "chunked")
          assert.match(
            sent.headers["content-disposition"] ?? "",
            new RegExp(
              `^attachment; filename="cairn-acme-sohne-events-until-[0-9-]{10}-[0-9a-f]{8}.${format}"$`
            )
          )
        }
      }
      const zipped = yield* send({ path: EXPORT, key, headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(zipped.headers["content-encoding"], "gzip")
      assert.isAbove(gunzipSync(zipped.bytes).toString().split("\r\n").length, 620)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("rejects what no format is, and does not export to who asks by HEAD", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const wrong = yield* send({ path: `${EXPORT}?format=evidence`, key })
      assert.strictEqual(wrong.status, 400)
      assert.strictEqual(wrong.json().message, "format: must be one of csv, ndjson")
      const head = yield* send({ method: "HEAD", path: EXPORT, key })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.headers["content-type"], "text/csv; charset=utf-8; header=present")
      const recorded = yield* ownEvents(workspace.id)
      assert.notInclude(
        recorded.map(({ action }) => action),
        "cairn.export.created"
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("counts toward the month's exports when it begins, and is no export of the list", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant({ overrides: { exports_per_month: 2 } })
      assert.strictEqual((yield* send({ path: EXPORT, key })).status, 200)
      assert.strictEqual((yield* send({ path: "/api/v1/exports", key, body: {} })).status, 202)
      const refused = yield* send({ path: EXPORT, key })
      assert.strictEqual(refused.status, 429, refused.text)
      assert.strictEqual(refused.json().error, "quota_exceeded")
      assert.strictEqual((yield* send({ path: "/api/v1/exports", key, body: {} })).status, 429)
      const usage = (yield* send({ path: "/api/v1/usage", key })).json<{ data: { exports: object } }>()
      assert.deepStrictEqual(usage.data.exports, { used: 2, limit: 2 })
      const list = (yield* send({ path: "/api/v1/exports", key })).json<{
        data: ReadonlyArray<unknown>
        pagination: { total: number }
      }>()
      assert.strictEqual(list.data.length, 1)
      assert.strictEqual(list.pagination.total, 1)
      const recorded = (yield* ownEvents(workspace.id)).filter(({ action }) =>
        action.startsWith("cairn.export")
      )
      assert.strictEqual(recorded.length, 2)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("records who was sent what, by the names of what may be a person", () =>
    Effect.gen(function* () {
      const { workspace, key, stored } = yield* makeTenant()
      yield* send({
        path: `${EXPORT}?format=ndjson&action=a.*&actor_id=ada&from=2026-01-01&time=occurred`,
        key
      })
      const events = yield* ownEvents(workspace.id)
      const created = events.find(({ action }) => action === "cairn.export.created")
      assert.deepInclude(created?.actor, { id: stored.id, type: "api_key" })
      assert.strictEqual(created?.resource.type, "export")
      assert.match(created?.resource.id ?? "", /^exp_[0-9a-f-]{36}$/)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(created?.metadata)), {
        format: "ndjson",
        streamed: true,
        filters: { from: "2026-01-01T00:00:00.000000Z", action: "a.*", time: "occurred" },
        narrowed_by: ["actor_id"]
      })
    }).pipe(Effect.provide(testServer()))
  )
})

describe("an export by a viewer token", () => {
  it.live("needs the claim, which only who may export gives", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const without = yield* send({ path: EXPORT, key: yield* token(key, { tenant_id: "acme" }) })
      assert.strictEqual(without.status, 403)
      assert.strictEqual(
        without.json().message,
        "The viewer token may not export; one that was made with export: true may"
      )
      const { key: lesser } = yield* makeKey(workspace.id, ["viewer"])
      const refused = yield* send({ path: "/api/v1/viewer-token", key: lesser, body: { export: true } })
      assert.strictEqual(refused.status, 403)
      assert.match(String(refused.json().message), /^export: the API key lacks the scope export/)
      assert.strictEqual(
        (yield* send({ path: EXPORT, key: yield* token(lesser, { export: false }) })).status,
        403
      )
      const wrong = yield* send({ path: "/api/v1/viewer-token", key, body: { export: "yes" } })
      assert.strictEqual(wrong.status, 422)
      assert.match(String(wrong.json().message), /^export/)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("has what the token shows, and is recorded as the viewer's", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      yield* accept(key, many(30))
      const own = yield* token(key, { tenant_id: "acme", actor_id: "bob", export: true })
      const sent = yield* send({ path: `${EXPORT}?format=ndjson`, key: own })
      assert.strictEqual(sent.status, 200, sent.text)
      const events = sent.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        events.map(({ metadata: { index } }) => index),
        [5, 10, 20, 25]
      )
      const none = yield* send({ path: `${EXPORT}?tenant_id=other`, key: own })
      assert.strictEqual(none.status, 200)
      assert.strictEqual(none.text.split("\r\n").length, 2)
      const nothing = yield* send({ path: `${EXPORT}?actor_id=ada&format=ndjson`, key: own })
      assert.strictEqual(nothing.text, "")
      const recorded = (yield* ownEvents(workspace.id)).filter(
        ({ action }) => action === "cairn.export.created"
      )
      assert.strictEqual(recorded.length, 3)
      const readers = (yield* ownEvents(workspace.id)).filter(
        ({ action }) => action === "cairn.access.events"
      )
      assert.deepStrictEqual(recorded[0]?.actor, readers[0]?.actor)
      assert.deepInclude(recorded[0]?.actor, { type: "viewer", name: "acme" })
      assert.deepStrictEqual(JSON.parse(JSON.stringify(recorded[0]?.metadata)), {
        tenant_id: "acme",
        format: "ndjson",
        streamed: true,
        filters: {},
        narrowed_by: ["actor_id", "tenant_id"]
      })
    }).pipe(Effect.provide(testServer()))
  )
})
