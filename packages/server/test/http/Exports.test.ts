import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import S3rver from "@20minutes/s3rver"
import { CheckpointSigner } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { ExportMaker, Exports } from "@cairn/core/export"
import { Sha256 } from "@cairn/core/hashing"
import { EventCounts } from "@cairn/core/log"
import { parseVerifierKey } from "@cairn/core/note"
import { Export } from "@cairn/core/outbound"
import { Archive, Erasure } from "@cairn/core/retention"
import { manualClock, meteredValue } from "@cairn/testing"
import { layerTools, verifyEvidence } from "@cairn/verifier"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { readExportStore } from "../../src/settings/ExportSettings.ts"
import { standing } from "./StandingClock.ts"
import { EVENT, makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EXPORTS = "/api/v1/exports"

const decodeExport = Schema.decodeUnknownSync(Schema.Struct({ data: Export }))

/** A server on a clock of its own, which starts again with each test. */
const withClock = <A, E, R>(
  test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>,
  start = "2026-05-01T12:00:00Z"
) => {
  const time = manualClock(Micros.parse(start) ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

/** Accepts and sequences events. */
const accept = Effect.fnUntraced(function* (key: string, events: ReadonlyArray<unknown>) {
  assert.strictEqual((yield* send({ path: "/api/v1/events/batch", key, body: { events } })).status, 202)
  yield* sequence
})

/** Asks for an export; gives its id. */
const request = Effect.fnUntraced(function* (key: string, body: unknown = {}) {
  const response = yield* send({ path: EXPORTS, key, body })
  assert.strictEqual(response.status, 202, response.text)
  const { data, ...rest } = response.json<{ data: { id: string; status: string } }>()
  assert.deepStrictEqual(rest, {})
  assert.deepStrictEqual(Object.keys(data), ["id", "status", "filters"])
  assert.strictEqual(data.status, "pending")
  assert.match(data.id, /^exp_[0-9a-f-]{36}$/)
  return data.id
})

/** What the background does: makes every export that waits. */
const makeAll = Effect.gen(function* () {
  const { advance } = yield* ExportMaker
  while (yield* Effect.orDie(advance));
})

const get = Effect.fnUntraced(function* (key: string, id: string) {
  const response = yield* send({ path: `${EXPORTS}/${id}`, key })
  assert.strictEqual(response.status, 200, response.text)
  return decodeExport(response.json()).data
})

/** The path and query of an address of the server. */
const target = (address: string | null | undefined): string => {
  const { pathname, search } = new URL(address ?? "")
  return `${pathname}${search}`
}

/** Follows the download with a key; gives the file's answer. */
const download = Effect.fnUntraced(function* (key: string, id: string) {
  const redirect = yield* send({ path: `${EXPORTS}/${id}/download`, key })
  assert.strictEqual(redirect.status, 302, redirect.text)
  assert.strictEqual(redirect.text, "")
  return yield* send({ path: target(redirect.headers.location) })
})

/**
 * Makes evidence and downloads it; it must be intact, as far as there is anything in it that the service's
 * key can vouch for.
 */
const bundle = Effect.fnUntraced(function* (key: string, filters: object) {
  const id = yield* request(key, { format: "evidence", ...filters })
  yield* makeAll
  const made = yield* get(key, id)
  const file = yield* download(key, id)
  assert.strictEqual(file.status, 200)
  assert.strictEqual(file.bytes.length, made.file_size)
  const keys = yield* (yield* CheckpointSigner).list
  const sha256 = yield* Sha256
  const trustedKeys = keys.map(({ verifierKey }) => Result.getOrThrow(parseVerifierKey(sha256, verifierKey)))
  const report = yield* verifyEvidence(Stream.make(file.bytes), { trustedKeys }).pipe(
    Effect.provide(layerTools)
  )
  const verdict = report.counts.events === 0 ? "unproven" : "intact"
  assert.strictEqual(report.verdict, verdict, JSON.stringify(report.failed))
  return { made, file, report, text: gunzipSync(file.bytes).toString() }
})

describe("POST /api/v1/exports", () => {
  it.live("makes a CSV file of the events that satisfy the filters, newest last", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        yield* accept(key, [
          { actor_id: "ada", action: "document.created" },
          { actor_id: "bob", action: "document.created" },
          { actor_id: "ada", action: "document.deleted", metadata: { formula: "=1+1" }, actor_name: "=cmd" }
        ])
        const id = yield* request(key, { actor_id: "ada" })
        const pending = yield* get(key, id)
        assert.deepInclude(pending, {
          id,
          status: "pending",
          filters: { actor_id: "ada" },
          total_rows: null,
          file_size: null,
          download_url: null,
          expires_at: null
        })
        yield* makeAll
        const made = yield* get(key, id)
        assert.deepInclude(made, { status: "completed", total_rows: 2, progress: 100 })
        const created = Micros.parse(made.created_at) ?? 0
        assert.strictEqual(made.expires_at, Micros.format(created + 7 * Micros.DAY))

        const file = yield* download(key, id)
        assert.strictEqual(file.status, 200)
        assert.strictEqual(Buffer.byteLength(file.text), made.file_size)
        assert.match(file.headers["content-type"] ?? "", /^text\/csv/)
        const day = made.created_at.slice(0, 10)
        const filename = `cairn-test-events-until-${day}-${id.slice(4, 12)}.csv`
        assert.strictEqual(file.headers["content-disposition"], `attachment; filename="${filename}"`)
        assert.strictEqual(file.headers["cache-control"], "no-store")
        const [header = "", first = "", second = "", ...rest] = file.text.split("\r\n")
        assert.deepStrictEqual(rest, [""])
        assert.include(header, "actor_id")
        assert.include(first, "document.created")
        assert.include(second, "document.deleted")
        assert.include(second, "'=cmd")
      })
    )
  )

  it.live("makes NDJSON whose lines are the events of the list", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        yield* accept(key, [EVENT, { ...EVENT, metadata: { nested: { deep: [1, "ü"] } } }])
        const id = yield* request(key, { format: "ndjson", action: "document.*" })
        yield* makeAll
        const file = yield* download(key, id)
        const lines = file.text.trimEnd().split("\n")
        const list = yield* send({ path: "/api/v1/events?action=document.*", key })
        const { data } = list.json<{ data: ReadonlyArray<unknown> }>()
        assert.deepStrictEqual(
          lines.map((line) => JSON.parse(line)),
          data.toReversed()
        )
      })
    )
  )

  it.live("makes the evidence of a range, which the offline verifier finds intact", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant()
        const events = Array.from({ length: 60 }, (_, index) => ({ ...EVENT, metadata: { index } }))
        yield* accept(key, events)
        assert.strictEqual((yield* send({ path: "/api/v1/anchors", key, method: "POST" })).status, 202)
        time.advance(Micros.DAY)
        yield* accept(key, events)
        const all = yield* bundle(key, {})
        assert.deepInclude(all.report.bundle, { workspace_id: workspace.id, from: 1, to: 120 })
        assert.deepInclude(all.report.counts, { events: 120, anchors: 1 })
        assert.strictEqual(all.made.total_rows, 120)
        assert.strictEqual(all.file.headers["content-type"], "application/gzip")
        assert.match(
          all.file.headers["content-disposition"] ?? "",
          /^attachment; filename="cairn-test-evidence-until-2026-\d\d-\d\d-[\da-f]{8}\.cairn"$/
        )
        const part = yield* bundle(key, { from: "2026-05-02T00:00:00Z" })
        assert.deepInclude(part.report.bundle, { from: 61, to: 120 })
        assert.strictEqual(part.made.total_rows, 60)
        const none = yield* bundle(key, { to: "2020-01-01" })
        assert.strictEqual(none.made.total_rows, 0)
      })
    )
  )

  it.live("begins evidence where the retention window begins", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ overrides: { retention_days: 10 } })
        yield* accept(key, [{ ...EVENT, actor_id: "old" }])
        time.advance(11 * Micros.DAY)
        yield* accept(key, [{ ...EVENT, actor_id: "new" }])
        for (const filter of [{}, { from: "2020-01-01" }]) {
          const { report, text } = yield* bundle(key, filter)
          assert.deepInclude(report.bundle, { from: 2, to: 2 })
          assert.include(text, '"new"')
          assert.notInclude(text, '"old"')
        }
      })
    )
  )

  it.live("refuses evidence under conditions on single events, and names the first", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        for (const field of ["actor_id", "action", "resource", "tenant_id", "session_id", "search"]) {
          const body = { format: "evidence", from: "2026-01-01", [field]: "x" }
          const response = yield* send({ path: EXPORTS, key, body })
          assert.strictEqual(response.status, 422, field)
          const { error, message } = response.json<{ error: string; message: string }>()
          assert.strictEqual(error, "validation_failed")
          assert.isTrue(message.startsWith(`${field}: cannot narrow evidence`), message)
        }
      })
    )
  )

  it.live("takes every condition of the list, with several values each", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const folder = { targets: [{ type: "folder", id: "f" }] }
        const plan = { resource: "plan", resource_id: "p", resource_name: "Plan" }
        yield* accept(key, [
          { actor_id: "ada", action: "document.deleted", action_category: "change", ...folder, ...plan },
          { actor_id: "bob", action: "plan.deleted", action_category: "access", ...plan },
          { actor_id: "eve", action: "plan.made", metadata: { note: "a deleted plan" } }
        ])
        const cases: ReadonlyArray<readonly [filters: object, actors: string]> = [
          [{ action: "*.deleted" }, "ada bob"],
          [{ action: ["plan.*", "none"], search: ["deleted", "plan"] }, "bob eve"],
          [{ actor_id: ["eve", ...Array.from({ length: 19 }, (_, at) => `none-${at}`)] }, "eve"],
          [{ category: ["change", "access"], actor_id: "ada" }, "ada"],
          [{ resource_id: "p", resource_name: ["Plan", "None"], resource: ["none", "plan"] }, "ada bob"],
          [{ target_type: ["folder", "none"], target_id: "f" }, "ada"],
          [{ country: ["DE", "FR"] }, ""],
          [{ action: ["*", "none"] }, "ada bob eve"]
        ]
        for (const [filters, actors] of cases) {
          const id = yield* request(key, { format: "ndjson", ...filters })
          yield* makeAll
          assert.deepStrictEqual((yield* get(key, id)).filters, filters)
          const lines = (yield* download(key, id)).text.split("\n").filter((line) => line !== "")
          const found = lines.map((line) => (JSON.parse(line) as { actor: { id: string } }).actor.id)
          assert.strictEqual(found.join(" "), actors, JSON.stringify(filters))
        }
      })
    )
  )

  it.live("leaves out what lies outside the retention window", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ overrides: { retention_days: 10 } })
        yield* accept(key, [{ ...EVENT, actor_id: "old" }])
        time.advance(11 * Micros.DAY)
        yield* accept(key, [{ ...EVENT, actor_id: "new" }])
        const id = yield* request(key, { format: "ndjson" })
        yield* makeAll
        const file = yield* download(key, id)
        assert.include(file.text, '"new"')
        assert.notInclude(file.text, '"old"')
      })
    )
  )

  it.live("refuses a body with 422 and the name of the field", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const wrong: ReadonlyArray<readonly [unknown, string]> = [
          [{ from: "yesterday" }, "from"],
          [{ to: 5 }, "to"],
          [{ actor_id: [] }, "actor_id: must have 1 to 20 values"],
          [{ actor_id: Array.from({ length: 21 }, () => "ada") }, "actor_id: must have 1 to 20 values"],
          [{ actor_id: ["ada", ""] }, "actor_id[1]"],
          [{ actor_id: ["ada", 5] }, "actor_id[1]"],
          [{ actor_id: { ada: true } }, "actor_id"],
          [{ country: "de" }, "country: must be two upper-case letters"],
          [{ country: ["DE", "D"] }, "country[1]: must be two upper-case letters"],
          [{ resource_name: "x".repeat(1_025) }, "resource_name"],
          [{ format: "evidence", category: ["a"] }, "category: cannot narrow evidence"],
          [{ format: "evidence", target_id: "a" }, "target_id: cannot narrow evidence"],
          [{ action: "x".repeat(514) }, "action"],
          [{ search: "a\u0000b" }, "search"],
          [{ tenant_id: "\ud800" }, "tenant_id"],
          [{ format: "pdf" }, "format"],
          [[], ""]
        ]
        for (const [body, field] of wrong) {
          const response = yield* send({ path: EXPORTS, key, body })
          assert.strictEqual(response.status, 422, JSON.stringify(body))
          const { error, message } = response.json<{ error: string; message: string }>()
          assert.strictEqual(error, "validation_failed")
          assert.isTrue(message.startsWith(field), message)
        }
        assert.strictEqual((yield* send({ path: EXPORTS, key, body: "{" })).status, 400)
      })
    )
  )

  it.live("are listed newest first, page by page, with the links of those that are completed", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        // At a clock that stands.
        for (let count = 0; count < 3; count++) yield* request(key)
        yield* request((yield* makeTenant()).key)
        yield* makeAll
        const list = (query: string) =>
          Effect.map(send({ path: `${EXPORTS}${query}`, key }), ({ json }) =>
            json<{
              readonly data: ReadonlyArray<{ readonly id: string; readonly download_url: string | null }>
              readonly pagination: { readonly next_cursor: string | null; readonly total: number }
            }>()
          )
        const all = yield* list("")
        assert.lengthOf(all.data, 3)
        assert.strictEqual(all.pagination.total, 3)
        for (const one of all.data) {
          const got = yield* send({ path: `${EXPORTS}/${one.id}`, key })
          assert.deepStrictEqual(got.json<{ data: object }>().data, one)
          assert.isString(one.download_url)
        }
        const first = yield* list("?limit=2")
        const second = yield* list(`?limit=2&cursor=${first.pagination.next_cursor}`)
        assert.deepStrictEqual([...first.data, ...second.data], all.data)
        assert.isNull(second.pagination.next_cursor)
        assert.strictEqual((yield* send({ path: `${EXPORTS}?limit=0`, key })).status, 400)
      })
    )
  )

  it.live("lets five be under way, and answers a sixth 409 conflict", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        for (let count = 0; count < 5; count++) yield* request(key)
        const sixth = yield* send({ path: EXPORTS, key, body: {} })
        assert.strictEqual(sixth.status, 409)
        assert.strictEqual(sixth.json().error, "conflict")
        assert.strictEqual(
          yield* meteredValue("cairn_limited_requests_total", { limit: "exports_at_once" }),
          1
        )
        const other = yield* makeTenant()
        yield* request(other.key)
        yield* makeAll
        yield* request(key)
      })
    )
  )

  it.live("answers 429 quota_exceeded with Retry-After until the next month beyond the month's quota", () =>
    withClock(
      (time) =>
        Effect.gen(function* () {
          const { key } = yield* makeTenant({ overrides: { exports_per_month: 1 } })
          yield* request(key)
          yield* makeAll
          const second = yield* send({ path: EXPORTS, key, body: {} })
          assert.strictEqual(second.status, 429)
          assert.strictEqual(second.json().error, "quota_exceeded")
          assert.strictEqual(second.headers["retry-after"], "60")
          assert.strictEqual(
            yield* meteredValue("cairn_limited_requests_total", { limit: "exports_per_month" }),
            1
          )
          time.advance(60 * Micros.SECOND)
          yield* request(key)
        }),
      "2026-05-31T23:59:00Z"
    )
  )

  it.live("needs the scope export", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const { key } = yield* makeKey(workspace.id, ["read", "ingest", "viewer", "admin"])
        assert.strictEqual((yield* send({ path: EXPORTS, key, body: {} })).status, 403)
        assert.strictEqual((yield* send({ path: EXPORTS, body: {} })).status, 401)
      })
    )
  )
})

describe("GET /api/v1/exports/{id} and its download", () => {
  it.live("are 404 for an export that is not there, and for another workspace's", () =>
    withClock(() =>
      Effect.gen(function* () {
        const mine = yield* makeTenant()
        const other = yield* makeTenant()
        const id = yield* request(mine.key)
        yield* makeAll
        for (const path of [
          `${EXPORTS}/${id}`,
          `${EXPORTS}/${id}/download`,
          `${EXPORTS}/exp_nothing`,
          `${EXPORTS}/exp_nothing/download`
        ]) {
          const response = yield* send({ path, key: other.key })
          assert.strictEqual(response.status, 404, path)
          assert.strictEqual(response.json().error, "not_found")
        }
      })
    )
  )

  it.live("answers 409 export_not_ready before there is a file", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const id = yield* request(key)
        const response = yield* send({ path: `${EXPORTS}/${id}/download`, key })
        assert.strictEqual(response.status, 409)
        assert.strictEqual(response.json().error, "export_not_ready")
      })
    )
  )

  it.live("answers 409 while it is being made, and for good when it failed", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const id = yield* request(key)
        const exports = yield* Exports
        for (let attempt = 1; attempt <= 6; attempt++) {
          const at = yield* Micros.now
          const claim = { claim: `crashed ${attempt}`, at, until: at + Micros.SECOND }
          if (attempt <= 5) assert.isTrue(Option.isSome(yield* Effect.orDie(exports.claim(claim))))
          else yield* makeAll
          const state = yield* get(key, id)
          assert.strictEqual(state.status, attempt <= 5 ? "processing" : "failed")
          assert.isNull(state.download_url)
          const response = yield* send({ path: `${EXPORTS}/${id}/download`, key })
          assert.strictEqual(response.status, 409)
          const { error, message } = response.json<{ error: string; message: string }>()
          assert.strictEqual(error, "export_not_ready")
          assert.strictEqual(message, `The export is ${state.status}`)
          time.advance(Micros.SECOND)
        }
      })
    )
  )

  it.live("is 410 at once when a content was erased, and made anew without it when asked again", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant()
        yield* accept(key, [EVENT, { ...EVENT, actor_id: "eve" }])
        const id = yield* request(key, { action: "document.*" })
        yield* makeAll
        const link = target((yield* get(key, id)).download_url)
        const address = target((yield* send({ path: link })).headers.location)
        const erasure = yield* Erasure
        yield* Effect.orDie(erasure.erase(workspace.id, { actorId: "eve" }, "asked for"))
        for (const sent of [{ path: link }, { path: address }, { path: `${EXPORTS}/${id}/download`, key }]) {
          const response = yield* send(sent)
          assert.strictEqual(response.status, 410, sent.path)
          assert.strictEqual(response.json().error, "link_expired")
        }
        assert.deepStrictEqual((yield* get(key, id)).filters, {})
        const again = yield* request(key, { action: "document.*" })
        yield* makeAll
        assert.strictEqual((yield* get(key, again)).total_rows, 1)
        assert.notInclude((yield* download(key, again)).text, ",eve,")
      }).pipe(Effect.provide(Erasure.layer.pipe(Layer.provide([Archive.layerNone, EventCounts.layer]))))
    )
  )

  it.live("answers 503 with Retry-After when the file is not where it was put", () =>
    Effect.gen(function* () {
      const path = mkdtempSync(join(tmpdir(), "cairn-exports-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(path, { recursive: true, force: true })))
      yield* Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant()
        const id = yield* request(key)
        yield* makeAll
        rmSync(join(path, workspace.id), { recursive: true })
        const file = yield* download(key, id)
        assert.strictEqual(file.status, 503)
        assert.match(file.headers["retry-after"] ?? "", /^\d+$/)
      }).pipe(Effect.provide(testServer({ exportStore: { kind: "folder", path } })))
    })
  )

  it.live("redirects to the store itself where the files lie in S3", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "cairn-s3-"))
      const s3 = new S3rver({
        port: 0,
        address: "127.0.0.1",
        silent: true,
        directory: folder,
        configureBuckets: [{ name: "exports" }]
      })
      const { port } = yield* Effect.promise(() => s3.run())
      yield* Effect.addFinalizer(() =>
        Effect.promise(async () => {
          await s3.close()
          rmSync(folder, { recursive: true, force: true })
        })
      )
      const exportStore = readExportStore(
        `s3://S3RVER:S3RVER@exports/cairn?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`
      )?.settings
      assert.isOk(exportStore)
      yield* Effect.gen(function* () {
        const { key } = yield* makeTenant()
        yield* accept(key, [EVENT])
        const id = yield* request(key)
        yield* makeAll
        const link = target((yield* get(key, id)).download_url)
        for (const sent of [{ path: link }, { path: `${EXPORTS}/${id}/download`, key }]) {
          const redirect = yield* send(sent)
          assert.strictEqual(redirect.status, 302)
          const location = new URL(redirect.headers.location ?? "")
          assert.strictEqual(location.host, `127.0.0.1:${port}`)
          assert.isTrue(location.searchParams.has("X-Amz-Signature"))
          const file = yield* Effect.promise(() => fetch(location))
          assert.strictEqual(file.status, 200)
          assert.include(yield* Effect.promise(() => file.text()), "document.created")
        }
      }).pipe(Effect.provide(testServer({ exportStore })))
    })
  )

  it.live("gives the file to whoever has the signed link, for seven days, and 410 from then on", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        yield* accept(key, [EVENT])
        const id = yield* request(key)
        yield* makeAll
        const { download_url: link } = yield* get(key, id)
        const path = target(link)
        assert.match(path, /\/download\?expires=\d+&signature=[0-9a-f]{64}&for=key_[-0-9a-f]{36}$/)
        time.advance(7 * Micros.DAY - Micros.SECOND)
        const redirect = yield* send({ path })
        assert.strictEqual(redirect.status, 302)
        const address = target(redirect.headers.location)
        assert.include((yield* send({ path: address })).text, "document.created")
        time.advance(Micros.SECOND)
        for (const late of [
          yield* send({ path }),
          yield* send({ path: `${EXPORTS}/${id}/download`, key }),
          yield* send({ path: address })
        ]) {
          assert.strictEqual(late.status, 410)
          assert.strictEqual(late.json().error, "link_expired")
        }
        yield* Effect.orDie(Effect.flatMap(ExportMaker, ({ cleanUp }) => cleanUp))
        assert.strictEqual((yield* send({ path })).status, 410)
        assert.strictEqual((yield* get(key, id)).status, "completed")
      })
    )
  )

  it.live("says how long the file is, and gives the parts of it that are asked for", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        yield* accept(key, [EVENT, EVENT])
        const id = yield* request(key)
        yield* makeAll
        const redirect = yield* send({ path: `${EXPORTS}/${id}/download`, key })
        const path = target(redirect.headers.location)
        const whole = yield* send({ path })
        const size = whole.bytes.length
        const etag = String(whole.headers.etag)
        assert.strictEqual(whole.headers["content-length"], String(size))
        assert.strictEqual(whole.headers["accept-ranges"], "bytes")
        assert.match(etag, /^"[\w.-]+"$/)
        const head = yield* send({ path, method: "HEAD", headers: { range: "bytes=0-1" } })
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.headers["content-length"], String(size))
        const parts: ReadonlyArray<readonly [string, number, number]> = [
          ["bytes=0-9", 0, 10],
          ["bytes=5-", 5, size],
          ["bytes=-7", size - 7, size],
          [`bytes=${size - 1}-${size + 100}`, size - 1, size],
          [`bytes=-${size + 1}`, 0, size]
        ]
        for (const [range, start, end] of parts) {
          for (const more of [{}, { "if-range": etag }]) {
            const part = yield* send({ path, headers: { range, ...more } })
            assert.strictEqual(part.status, 206, range)
            assert.strictEqual(part.headers["content-range"], `bytes ${start}-${end - 1}/${size}`)
            assert.strictEqual(part.headers["content-length"], String(end - start))
            assert.deepStrictEqual(part.bytes, whole.bytes.subarray(start, end), range)
          }
        }
        for (const range of [`bytes=${size}-`, `bytes=${size}-${size + 9}`, "bytes=-0"]) {
          const none = yield* send({ path, headers: { range } })
          assert.strictEqual(none.status, 416, range)
          assert.strictEqual(none.headers["content-range"], `bytes */${size}`)
          assert.strictEqual(none.json().error, "range_not_satisfiable")
        }
        const other: ReadonlyArray<Record<string, string>> = [
          { range: "bytes=0-9", "if-range": '"another"' },
          { range: "bytes=0-9", "if-range": `W/${etag}` },
          { range: "bytes=0-9", "if-range": "Fri, 01 May 2026 12:00:00 GMT" },
          { range: "bytes=0-1,3-4" },
          { range: "bytes=9-0" },
          { range: "lines=0-9" },
          { range: "bytes=-" }
        ]
        for (const headers of other) {
          const all = yield* send({ path, headers })
          assert.strictEqual(all.status, 200, JSON.stringify(headers))
          assert.strictEqual(all.bytes.length, size)
        }
      })
    )
  )

  it.live("gives the file's own address for minutes only", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const id = yield* request(key)
        yield* makeAll
        const redirect = yield* send({ path: `${EXPORTS}/${id}/download`, key })
        const path = target(redirect.headers.location)
        assert.strictEqual((yield* send({ path })).status, 200)
        const head = yield* send({ path, method: "HEAD" })
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        assert.strictEqual((yield* send({ path, method: "POST" })).status, 405)
        time.advance(300 * Micros.SECOND)
        assert.strictEqual((yield* send({ path })).status, 410)
      })
    )
  )

  it.live("refuses a link that was altered, or is of another export or purpose", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        const id = yield* request(key)
        const other = yield* request(key)
        yield* makeAll
        const path = target((yield* get(key, id)).download_url)
        const [, query = ""] = path.split("?")
        const last = path.endsWith("0") ? "1" : "0"
        for (const wrong of [
          `${path.slice(0, -1)}${last}`,
          path.replace(/expires=(\d)/, "expires=9$1"),
          path.replace(id, other),
          path.replace(/expires=\d+&/, ""),
          `/files/exports/${id}?${query}`,
          `/files/exports/${id}`,
          `${EXPORTS}/${id}?${query}`
        ]) {
          assert.strictEqual((yield* send({ path: wrong })).status, 401, wrong)
        }
      })
    )
  )
})

describe("CAIRN_EXPORT_STORE", () => {
  it("names a folder, or a bucket with its key", () => {
    assert.deepStrictEqual(readExportStore("./exports"), { settings: { kind: "folder", path: "./exports" } })
    assert.deepStrictEqual(
      readExportStore("s3://KEY:a%2Fb%2Bc@audit/some/where?region=eu-west-1&endpoint=http://127.0.0.1:9000"),
      {
        settings: {
          kind: "s3",
          endpoint: "http://127.0.0.1:9000",
          region: "eu-west-1",
          bucket: "audit",
          prefix: "some/where/",
          accessKeyId: "KEY",
          secretAccessKey: "a/b+c"
        }
      }
    )
    for (const wrong of [
      "s3://bucket",
      "s3://KEY:SECRET@",
      "https://bucket",
      "s3://K:S@b?endpoint=ftp://x"
    ]) {
      assert.isUndefined(readExportStore(wrong), wrong)
    }
  })
})
