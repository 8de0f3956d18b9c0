import { Export, Exporting, Micros } from "@cairn/core"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { readExportStore } from "../../src/exports/ExportSettings.ts"
import { standing } from "./StandingClock.ts"
import { EVENT, makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EXPORTS = "/api/v1/exports"

const decodeExport = Schema.decodeUnknownSync(Schema.Struct({ data: Export }))

/** A server on a clock of its own, which begins anew with each test. */
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
  assert.deepStrictEqual(Object.keys(data), ["id", "status"])
  assert.strictEqual(data.status, "pending")
  assert.match(data.id, /^exp_[0-9a-f-]{36}$/)
  return data.id
})

/** What the background does: makes every export that waits. */
const makeAll = Effect.gen(function* () {
  const { advance } = yield* Exporting
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
        assert.strictEqual(file.headers["content-disposition"], `attachment; filename="${id}.csv"`)
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
          [{ actor_id: ["ada"] }, "actor_id"],
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

  it.live("lets five be under way, and answers a sixth 429 rate_limited with Retry-After", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        for (let count = 0; count < 5; count++) yield* request(key)
        const sixth = yield* send({ path: EXPORTS, key, body: {} })
        assert.strictEqual(sixth.status, 429)
        assert.strictEqual(sixth.json().error, "rate_limited")
        assert.match(sixth.headers["retry-after"] ?? "", /^[1-9]\d*$/)
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

  it.live("gives the file to whoever has the signed link, for seven days, and 410 from then on", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        yield* accept(key, [EVENT])
        const id = yield* request(key)
        yield* makeAll
        const { download_url: link } = yield* get(key, id)
        const path = target(link)
        assert.match(path, /\/download\?expires=\d+&signature=[0-9a-f]{64}$/)
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
        yield* Effect.orDie(Effect.flatMap(Exporting, ({ cleanUp }) => cleanUp))
        assert.strictEqual((yield* send({ path })).status, 410)
        assert.strictEqual((yield* get(key, id)).status, "completed")
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
