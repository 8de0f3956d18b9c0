import { Inbox } from "@cairn/core/log"
import { hostileEvents, MemoryStorage } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const BATCH = "/api/v1/events/batch"
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

interface Item {
  readonly id: string | null
  readonly status: string
  readonly error?: string
  readonly message?: string
  readonly errors?: ReadonlyArray<object>
}

/** Everything that an event body may say. */
const FULL = {
  actor_id: "user_1",
  actor_name: "Ada",
  actor_type: "user",
  action: "document.updated",
  action_category: "content",
  resource: "document",
  resource_id: "doc_1",
  resource_name: "Report",
  metadata: { before: { size: 1 }, after: { size: 2.5 } },
  targets: [
    { type: "folder", id: "f_1", name: "Reports", metadata: { deep: [1, null, true] } },
    { type: "tag" }
  ],
  occurred_at: "2026-05-01T12:00:00.123+02:00",
  session_id: "s_1",
  tenant_id: "t_1",
  idempotency_key: "k_1",
  version: 3
}

/** A refusal with this one fault. */
const refusal = (message: string) => {
  const [reason = "", field = ""] = message.split(": ").reverse()
  return { error: "validation_failed", message, errors: [{ field, message: reason }] }
}

describe("POST /api/v1/events", () => {
  it.live("answers 202 with the bare id and status of a new event", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const response = yield* send({ path: EVENTS, key, body: EVENT })
      assert.strictEqual(response.status, 202)
      assert.strictEqual(response.headers["content-type"], "application/json")
      const body = response.json<Item>()
      assert.deepStrictEqual(Object.keys(body), ["id", "status"])
      assert.match(body.id ?? "", UUID)
      assert.strictEqual(body.status, "queued")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("shows the event as the interface says once it has its place", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = (yield* send({ path: EVENTS, key, body: FULL })).json<Item>()
      yield* sequence
      const shown = (yield* send({ path: `${EVENTS}/${id}`, key })).json()
      const { integrity, created_at, ...rest } = shown
      assert.deepStrictEqual(rest, {
        id,
        actor: { id: "user_1", name: "Ada", type: "user" },
        action: "document.updated",
        action_category: "content",
        resource: { type: "document", id: "doc_1", name: "Report" },
        targets: FULL.targets,
        metadata: FULL.metadata,
        tenant_id: "t_1",
        session_id: "s_1",
        ip_country: null,
        ip_city: null,
        idempotency_key: "k_1",
        version: 3,
        occurred_at: "2026-05-01T10:00:00.123000Z"
      })
      assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      assert.match((integrity as { event_hash: string }).event_hash, /^[0-9a-f]{64}$/)
      assert.isNull((integrity as { previous_event_hash: null }).previous_event_hash)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("answers a repeated idempotency key with the first id and `duplicate`, whatever the body", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const body = { ...EVENT, idempotency_key: "once" }
      const first = (yield* send({ path: EVENTS, key, body })).json<Item>()
      const again = yield* send({ path: EVENTS, key, body: { ...body, action: "other" } })
      assert.strictEqual(again.status, 202)
      assert.deepStrictEqual(again.json<Item>(), { id: first.id, status: "duplicate" })
      yield* sequence
      const page = (yield* send({ path: EVENTS, key })).json<{ data: Array<{ action: string }> }>()
      assert.deepStrictEqual(
        page.data.map(({ action }) => action),
        [EVENT.action]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("makes one event of 64 concurrent requests with one idempotency key", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const request = send({ path: EVENTS, key, body: { ...EVENT, idempotency_key: "same" } })
      const answers = yield* Effect.all(
        Array.from({ length: 64 }, () => request),
        { concurrency: 64 }
      )
      const items = answers.map((answer) => answer.json<Item>())
      assert.strictEqual(new Set(items.map(({ id }) => id)).size, 1)
      assert.strictEqual(items.filter(({ status }) => status === "queued").length, 1)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("shows a queued event at once, with null hashes", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = (yield* send({ path: EVENTS, key, body: EVENT })).json<Item>()
      const shown = yield* send({ path: `${EVENTS}/${id}`, key })
      assert.strictEqual(shown.status, 200)
      assert.deepStrictEqual(shown.json().integrity, { event_hash: null, previous_event_hash: null })
      assert.strictEqual((yield* send({ path: EVENTS, key })).json<{ data: Array<unknown> }>().data.length, 0)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses what is missing or wrong with 422 and its JSON path", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ action: "a" }, "actor_id: is required"],
        [{ actor_id: "a" }, "action: is required"],
        [{ ...EVENT, actor_id: 7 }, "actor_id: must be a string"],
        [{ ...EVENT, metadata: [] }, "metadata: must be an object"],
        [{ ...EVENT, targets: [{ type: "a" }, { id: "b" }] }, "targets[1].type: is required"],
        [
          { ...EVENT, occurred_at: "yesterday" },
          "occurred_at: must be an ISO 8601 date or date-time of the years 1 to 9999 in UTC, with hours to 23 and seconds to 59"
        ],
        [{ ...EVENT, ip_address: "1.2.3" }, "ip_address: must be an IPv4 or IPv6 address"],
        [{ ...EVENT, tenant_id: "x".repeat(257) }, "tenant_id: must have at most 256 characters"],
        ["[]", "must be an object"],
        ["null", "must be an object"]
      ]
      for (const [body, message] of cases) {
        const response = yield* send({ path: EVENTS, key, body })
        assert.strictEqual(response.status, 422, message)
        assert.deepStrictEqual(response.json(), refusal(message))
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("names all that is wrong, and unknown members apart from it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const body = '{"actor":"a","action":"","tenant_id":"t","tenant_id":"u","metadata":{"n":1e400}}'
      const response = yield* send({ path: EVENTS, key, body })
      assert.strictEqual(response.status, 422)
      const { message, errors, unknown_fields } = response.json<{
        message: string
        errors: ReadonlyArray<{ field: string; message: string }>
        unknown_fields: ReadonlyArray<string>
      }>()
      assert.deepStrictEqual(unknown_fields, ["actor"])
      assert.isTrue(message.startsWith("actor: is not known; did you mean `actor_id`?; "), message)
      assert.sameDeepMembers(
        errors.map(({ field }) => field),
        ["actor_id", "action", "tenant_id", "metadata.n"]
      )
      for (const { field, message: reason } of errors) assert.include(message, `${field}: ${reason}`)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("takes an event with an unknown member where the workspace wants a warning", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const event = { ...EVENT, tennant_id: "t" }
      assert.strictEqual((yield* send({ path: EVENTS, key, body: event })).status, 422)
      const path = "/api/v1/workspace"
      assert.strictEqual(
        (yield* send({ method: "PATCH", path, key, body: { unknown_fields: "warn" } })).status,
        200
      )
      const one = yield* send({ path: EVENTS, key, body: event })
      assert.strictEqual(one.status, 202)
      const warning = "tennant_id: is not known; did you mean `tenant_id`?"
      assert.deepInclude(one.json<object>(), { status: "queued", warnings: [warning] })
      const many = yield* send({ path: BATCH, key, body: { events: [EVENT, event] } })
      assert.deepInclude(many.json<object>(), { accepted: 2, warnings: [`events[1].${warning}`] })
      // What has two meanings is no warning.
      const repeated = yield* send({ path: EVENTS, key, body: '{"actor_id":"a","action":"b","action":"c"}' })
      assert.strictEqual(repeated.status, 422)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("takes or refuses every hostile body as it should", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const { name, json, refusedAt } of hostileEvents) {
        const response = yield* send({ path: EVENTS, key, body: json })
        if (refusedAt === undefined) assert.strictEqual(response.status, 202, `${name}: ${response.text}`)
        else {
          assert.strictEqual(response.status, 422, name)
          const { message } = response.json<{ message: string }>()
          if (refusedAt !== "") assert.isTrue(message.startsWith(`${refusedAt}: `), `${name}: ${message}`)
        }
      }
    }).pipe(Effect.provide(testServer({ inboxCapacity: 10_000 })))
  )

  it.live("keeps a metadata key named __proto__, in and out", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const body = `{"actor_id":"a","action":"b","metadata":{"__proto__":{"x":1},"constructor":2,"toString":"3"}}`
      const { id } = (yield* send({ path: EVENTS, key, body })).json<Item>()
      yield* sequence
      const shown = yield* send({ path: `${EVENTS}/${id}`, key })
      assert.include(shown.text, `"metadata":{"__proto__":{"x":1},"constructor":2,"toString":"3"}`)
      const listed = yield* send({ path: EVENTS, key })
      assert.include(listed.text, `"metadata":{"__proto__":{"x":1},"constructor":2,"toString":"3"}`)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("POST /api/v1/events/batch", () => {
  it.live("answers one item an event, in order, and gives created_at 1 µs apart", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const events = Array.from({ length: 100 }, (_, index) => ({ ...EVENT, action: `step.${index}` }))
      const response = yield* send({ path: BATCH, key, body: { events } })
      assert.strictEqual(response.status, 202)
      const items = response.json<{ events: Array<Item> }>().events
      assert.strictEqual(items.length, 100)
      yield* sequence
      const page = (yield* send({ path: `${EVENTS}?limit=100`, key })).json<{
        data: Array<{ id: string; created_at: string }>
      }>()
      const inOrder = page.data.toReversed()
      assert.deepStrictEqual(
        inOrder.map(({ id }) => id),
        items.map(({ id }) => id)
      )
      const micros = inOrder.map(({ created_at }) => Number(created_at.slice(20, 26)))
      assert.deepStrictEqual(
        micros.map((value) => value - (micros[0] ?? 0)),
        Array.from({ length: 100 }, (_, index) => index)
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("puts a rejection in the place of an invalid event and takes the others", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const response = yield* send({
        path: BATCH,
        key,
        body: { events: [EVENT, { actor_id: "a" }, EVENT, 5] }
      })
      assert.strictEqual(response.status, 202)
      const { events, ...counts } = response.json<{ events: Array<Item> }>()
      assert.deepStrictEqual<object>(counts, { accepted: 2, duplicates: 0, rejected: 2 })
      assert.match(response.text, /^\{"accepted":2,"duplicates":0,"rejected":2,"events":\[/)
      assert.deepStrictEqual(
        events.map(({ status }) => status),
        ["queued", "rejected", "queued", "rejected"]
      )
      assert.deepStrictEqual(events[1], {
        id: null,
        status: "rejected",
        error: "validation_failed",
        message: "events[1].action: is required",
        errors: [{ field: "events[1].action", message: "is required" }]
      })
      assert.strictEqual(events[3]?.message, "events[3]: must be an object")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("answers 422 with the same array when every event is invalid", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const response = yield* send({ path: BATCH, key, body: { events: [{ actor_id: "a" }, {}] } })
      assert.strictEqual(response.status, 422)
      const body = response.json<{ error: string; message: string; events: Array<Item> }>()
      assert.strictEqual(body.error, "validation_failed")
      assert.strictEqual(body.message, "events[0].action: is required")
      assert.deepStrictEqual(
        body.events.map(({ id, status, error, message }) => [id, status, error, message]),
        [
          [null, "rejected", "validation_failed", "events[0].action: is required"],
          [
            null,
            "rejected",
            "validation_failed",
            "events[1].actor_id: is required; events[1].action: is required"
          ]
        ]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses none, more than 100, and what is no batch with 422", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ events: [] }, "events: must have at least one item"],
        [{ events: Array.from({ length: 101 }, () => EVENT) }, "events: must have at most 100 items"],
        [{}, "events: is required"],
        [{ events: EVENT }, "events: must be an array"],
        [[EVENT], "must be an object"]
      ]
      for (const [body, message] of cases) {
        const response = yield* send({ path: BATCH, key, body })
        assert.strictEqual(response.status, 422, message)
        assert.deepStrictEqual(response.json(), refusal(message))
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("lets the first of one idempotency key within a batch win", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const event = { ...EVENT, idempotency_key: "k" }
      const { events } = (yield* send({ path: BATCH, key, body: { events: [event, EVENT, event] } })).json<{
        events: Array<Item>
      }>()
      assert.deepStrictEqual(
        events.map(({ status }) => status),
        ["queued", "queued", "duplicate"]
      )
      assert.strictEqual(events[2]?.id, events[0]?.id)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A body of an event", () => {
  it.live("is refused with 400 when it is not JSON in UTF-8", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const bodies: ReadonlyArray<string | Uint8Array> = [
        "",
        "{",
        '{"actor_id":"a",}',
        "\ufeff{}",
        Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d),
        Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22),
        new Uint8Array(Buffer.from('{"actor_id":"a"}', "utf16le"))
      ]
      for (const path of [EVENTS, BATCH]) {
        for (const body of bodies) {
          const response = yield* send({ path, key, body })
          assert.strictEqual(response.status, 400, String(body))
          assert.strictEqual(response.json().error, "malformed_json")
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused with 415 unless it is uncompressed JSON by its headers", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const body = JSON.stringify(EVENT)
      const refused: ReadonlyArray<Record<string, string>> = [
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "application/jsonp" },
        { "content-type": "" },
        { "content-type": "application/json; charset=iso-8859-1" },
        { "content-type": "application/json", "content-encoding": "gzip" }
      ]
      for (const headers of refused) {
        const response = yield* send({ path: EVENTS, key, body, headers })
        assert.strictEqual(response.status, 415, JSON.stringify(headers))
        assert.strictEqual(response.json().error, "unsupported_media_type")
      }
      for (const type of [
        "application/json",
        "Application/JSON; charset=UTF-8",
        "application/vnd.api+json"
      ]) {
        const response = yield* send({ path: EVENTS, key, body, headers: { "content-type": type } })
        assert.strictEqual(response.status, 202, type)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused with 413 by its announced length, before it is sent", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const response = yield* send({
        path: EVENTS,
        key,
        headers: { "content-type": "application/json", "content-length": String(256 * 1024 + 1) },
        write: (request) => request.flushHeaders()
      })
      assert.strictEqual(response.status, 413)
      assert.deepStrictEqual(response.json(), {
        error: "payload_too_large",
        message: "The body must have at most 262144 bytes"
      })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused with 413 as soon as it passes the limit, when its length is not announced", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const response = yield* send({
        path: BATCH,
        key,
        headers: { "content-type": "application/json" },
        write: (request) => {
          // The request is never ended: the answer must come while it is being read.
          for (let sent = 0; sent <= 8; sent++) request.write(Buffer.alloc(1024 * 1024, 0x20))
        }
      })
      assert.strictEqual(response.status, 413)
      assert.strictEqual(response.json().message, "The body must have at most 8388608 bytes")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("may be exactly as long as the limit", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const [path, value, limit] of [
        [EVENTS, EVENT, 256 * 1024],
        [BATCH, { events: [EVENT] }, 8 * 1024 * 1024]
      ] as const) {
        const body = JSON.stringify(value).padEnd(limit, " ")
        assert.strictEqual((yield* send({ path, key, body })).status, 202)
        assert.strictEqual((yield* send({ path, key, body: `${body} ` })).status, 413)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is asked for with 100 when the client waits for it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      let asked = false
      const response = yield* send({
        path: EVENTS,
        key,
        headers: { "content-type": "application/json", expect: "100-continue" },
        write: (request) => {
          request.on("continue", () => {
            asked = true
            request.end(JSON.stringify(EVENT))
          })
          request.flushHeaders()
        }
      })
      assert.strictEqual(response.status, 202)
      assert.isTrue(asked)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is not asked for when the key is wrong", () =>
    Effect.gen(function* () {
      const response = yield* send({
        path: EVENTS,
        headers: { "content-type": "application/json", expect: "100-continue" },
        write: (request) => {
          request.on("continue", () => assert.fail("the body was asked for"))
          request.flushHeaders()
        }
      })
      assert.strictEqual(response.status, 401)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("The inbox", () => {
  it.live("answers 503 with Retry-After when it is full, and takes events again once it has room", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const post = send({ path: EVENTS, key, body: EVENT })
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* post).status, 202)
      const full = yield* post
      assert.strictEqual(full.status, 503)
      assert.strictEqual(full.json().error, "unavailable")
      assert.strictEqual(full.headers["retry-after"], "1")
      yield* sequence
      assert.strictEqual((yield* post).status, 202)
    }).pipe(Effect.provide(testServer({ inboxCapacity: 3 })))
  )

  it.live("is not touched by a request that is refused", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: EVENTS, key, body: { actor_id: "a" } })
      yield* send({ path: EVENTS, key, body: "{" })
      yield* send({ path: EVENTS, body: EVENT })
      assert.strictEqual(yield* (yield* Inbox).depth, 0)
    }).pipe(Effect.provide(testServer().pipe(Layer.provideMerge(MemoryStorage.MemoryTables.layer))))
  )
})
