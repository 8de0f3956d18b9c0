import { gunzipSync } from "node:zlib"
import { Micros } from "@cairn/core/encoding"
import { ExportMaker } from "@cairn/core/export"
import { EventLog } from "@cairn/core/log"
import { ApiKeys, DEFAULT_SCOPES } from "@cairn/core/workspace"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ExportPace } from "../../src/http/endpoints/EventExportEndpoint.ts"
import { StreamPatience } from "../../src/http/plumbing/SentStream.ts"
import { ownEvents } from "./AccessSteps.ts"
import { breakableStorage, STORAGE_SECRET, setBroken } from "./BreakableStorage.ts"
import { rawRequest, until } from "./RawExchange.ts"
import { storage } from "./Storage.ts"
import { makeKey, makeTenant, send, sequence, testServer, testServerOver } from "./TestServer.ts"

const EXPORT = "/api/v1/events/export"

/** Accepts and sequences events. */
const accept = Effect.fnUntraced(function* (key: string, events: ReadonlyArray<unknown>) {
  for (let at = 0; at < events.length; at += 100) {
    const body = { events: events.slice(at, at + 100) }
    assert.strictEqual((yield* send({ path: "/api/v1/events/batch", key, body })).status, 202)
    yield* sequence
  }
})

const many = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    actor_id: index % 3 === 0 ? "ada" : "bob",
    actor_name: "Zoë 🦊",
    action: index % 2 === 0 ? "document.created" : "document.deleted",
    tenant_id: index % 5 === 0 ? "acme" : "other",
    metadata: { index },
    ...more
  }))

/** So much that neither system holds it all: some 16 MB. */
const LARGE = many(2_000, { metadata: { text: "é".repeat(4_000) } })

const token = Effect.fnUntraced(function* (key: string, body: object) {
  const made = yield* send({ path: "/api/v1/viewer-token", key, body })
  assert.strictEqual(made.status, 200, made.text)
  return made.json<{ token: string }>().token
})

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

/** A server whose log counts what is read of it, and can be made to fail. */
const reads = { entries: 0, millis: 0 }
const countedServer = (patience?: { millis: number; bytes: number }) => {
  const counted = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) =>
      EventLog.of({
        ...log,
        entries: (...given) => {
          reads.entries++
          return Effect.delay(log.entries(...given), reads.millis)
        }
      })
    )
  )
  const server = testServerOver(
    counted.pipe(Layer.provideMerge(breakableStorage), Layer.provideMerge(storage()))
  )
  return patience === undefined ? server : server.pipe(Layer.provide(Layer.succeed(StreamPatience, patience)))
}

const hasBody = (text: string) => text.length > 2_000

/** Whether nothing has been read of the log for a while. */
const isStill = Effect.gen(function* () {
  const before = reads.entries
  yield* Effect.sleep(300)
  return reads.entries === before
})

describe("an export whose client is slow or leaves", () => {
  it.live("is read no faster than it is taken, and not at all once the client has gone", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, LARGE)
      reads.entries = 0
      const answer = yield* rawRequest({ path: EXPORT, key })
      yield* Effect.promise(() => answer.read(hasBody))
      while (!(yield* isStill));
      const held = reads.entries
      assert.isBelow(held, 8)
      answer.socket.destroy()
      assert.isTrue(yield* isStill)
      assert.isAtMost(reads.entries, held + 1)
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )

  it.live("is cut off once the client takes next to nothing, and not as if it were whole", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, LARGE)
      const answer = yield* rawRequest({ path: EXPORT, key })
      yield* Effect.sleep(2_000)
      yield* Effect.promise(() => answer.read())
      assert.isFalse(answer.text().endsWith("0\r\n\r\n"))
      assert.isAbove(answer.text().length, 2_000)
    }).pipe(Effect.scoped, Effect.provide(countedServer({ millis: 300, bytes: 65_536 })))
  )

  it.live("is not cut off where the client waits for its server", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, many(600))
      reads.millis = 1_000
      const sent = yield* Effect.ensuring(
        send({ path: `${EXPORT}?format=ndjson`, key }),
        Effect.sync(() => {
          reads.millis = 0
        })
      )
      assert.isAtLeast(sent.text.trimEnd().split("\n").length, 600)
    }).pipe(Effect.scoped, Effect.provide(countedServer({ millis: 300, bytes: 65_536 })))
  )

  it.live("is sent whole to a client that is slow but takes it, and takes turns with others", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, LARGE)
      const answer = yield* rawRequest({ path: EXPORT, key, headers: { connection: "close" } })
      let wanted = 0
      while (answer.ended() === undefined) {
        wanted += 2_000_000
        yield* Effect.promise(() => answer.read((text) => text.length >= wanted))
        yield* Effect.sleep(50)
      }
      assert.isTrue(answer.text().endsWith("0\r\n\r\n"))
      assert.isAbove(answer.text().length, 16_000_000)
    }).pipe(Effect.scoped, Effect.provide(countedServer({ millis: 1_000, bytes: 65_536 })))
  )

  it.live("is one of five of a workspace and two of what a viewer token shows", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, LARGE)
      const other = yield* makeTenant()
      const begun = (key: string) =>
        Effect.tap(rawRequest({ path: EXPORT, key }), (answer) => Effect.promise(() => answer.read(hasBody)))
      const own = yield* token(key, { tenant_id: "other", export: true })
      yield* begun(own)
      yield* begun(own)
      const again = yield* token(key, { tenant_id: "other", export: true })
      const third = yield* send({ path: EXPORT, key: again })
      assert.strictEqual(third.status, 429)
      assert.strictEqual(third.headers["retry-after"], "10")
      const open = yield* begun(key)
      yield* begun(key)
      yield* begun(key)
      const sixth = yield* send({ path: EXPORT, key })
      assert.strictEqual(sixth.status, 429)
      assert.strictEqual(yield* meteredValue("cairn_open_answers", { kind: "exports" }), 5)
      assert.strictEqual(sixth.json().message, "The workspace has 5 exports open, and no more may be at once")
      assert.strictEqual((yield* send({ path: EXPORT, key: other.key })).status, 200)
      open.socket.destroy()
      yield* until(() => open.socket.destroyed)
      yield* Effect.sleep(100)
      yield* begun(key)
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )
})

describe.concurrent("an export whose reader is let in no more", () => {
  const server = () => countedServer().pipe(Layer.provide(Layer.succeed(ExportPace, 50)))

  /** What a client has of an export that something happened in the middle of. */
  const during = Effect.fnUntraced(function* <E, R>(key: string, happening: Effect.Effect<unknown, E, R>) {
    const answer = yield* rawRequest({ path: EXPORT, key, headers: { connection: "close" } })
    yield* Effect.promise(() => answer.read(hasBody))
    yield* happening
    yield* Effect.sleep(300)
    yield* Effect.promise(() => answer.read())
    return answer
  })

  it.live("is cut when its key is revoked, and when the key that signs its viewer token is", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      yield* accept(key, LARGE)
      const { key: other, stored } = yield* makeKey(workspace.id)
      const revoke = Effect.flatMap(ApiKeys, (keys) =>
        Effect.flatMap(Micros.now, (now) => keys.revoke(workspace.id, stored.id, now))
      )
      const rotate = send({ path: "/api/v1/workspace/viewer-key/rotate", key, body: { revoke: true } })
      const own = yield* token(key, { export: true })
      const answers = [
        yield* during(other, Effect.andThen(revoke, Effect.sleep(1_500))),
        yield* during(own, Effect.andThen(rotate, Effect.sleep(1_500)))
      ]
      for (const answer of answers) {
        assert.isFalse(answer.text().endsWith("0\r\n\r\n"))
        assert.isBelow(answer.text().length, 12_000_000)
      }
    }).pipe(Effect.scoped, Effect.provide(server()))
  )

  it.live("goes on to its end though the time of its key is over", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      yield* accept(key, LARGE.slice(0, 1_200))
      const { key: brief } = yield* makeKey(workspace.id, DEFAULT_SCOPES, {
        expires_at: (yield* Micros.now) + 2 * Micros.SECOND
      })
      const answer = yield* during(brief, Effect.sleep(2_500))
      assert.strictEqual((yield* send({ path: EXPORT, key: brief })).status, 401)
      assert.isTrue(answer.text().endsWith("0\r\n\r\n"))
    }).pipe(Effect.scoped, Effect.provide(server()))
  )
})

describe("an export while the database goes away", () => {
  /** What a client has of an export in the middle of which the database went away. */
  const interrupted = Effect.fnUntraced(function* (version: "1.0" | "1.1", query = "") {
    const { key } = yield* makeTenant()
    yield* accept(key, LARGE)
    const answer = yield* rawRequest({ path: `${EXPORT}?format=ndjson${query}`, key }, version)
    yield* Effect.promise(() => answer.read(hasBody))
    yield* setBroken(true)
    yield* Effect.promise(() => answer.read())
    yield* setBroken(false)
    // The server goes on, and so does what is exported next.
    const next = yield* send({ path: `${EXPORT}?format=ndjson&tenant_id=acme`, key })
    assert.deepStrictEqual([next.status, next.text.trimEnd().split("\n").length], [200, LARGE.length / 5])
    return answer
  })

  it.live.each(["", "&time=occurred"])("is cut, without the chunk that says that it is whole (%j)", (query) =>
    Effect.gen(function* () {
      const answer = yield* interrupted("1.1", query)
      assert.isFalse(answer.text().endsWith("0\r\n\r\n"))
      assert.notInclude(answer.text(), STORAGE_SECRET)
      assert.isBelow(answer.text().length, 16_000_000)
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )

  it.live("is reset for a client of HTTP/1.0, to which an end would say that it is whole", () =>
    Effect.gen(function* () {
      const answer = yield* interrupted("1.0")
      assert.strictEqual(answer.ended(), "reset")
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )

  it.live("does not begin", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: "/api/v1/events", key })
      yield* setBroken(true)
      const refused = yield* send({ path: EXPORT, key })
      assert.strictEqual(refused.status, 503)
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )
})
