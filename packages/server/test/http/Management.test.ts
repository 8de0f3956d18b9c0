import { DEFAULT_SCOPES } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const WORKSPACE = "/api/v1/workspace"
const KEYS = "/api/v1/api-keys"
const EVENTS = "/api/v1/events"

interface Key {
  readonly id: string
  readonly prefix: string
  readonly name: string | null
  readonly scopes: ReadonlyArray<string>
  readonly key?: string
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

interface Told {
  readonly action: string
  readonly actor: { readonly id: string; readonly type: string }
  readonly resource: { readonly type: string; readonly id: string }
  readonly metadata: Record<string, unknown>
}

/** The events of the service's own doing, oldest first. */
const told = (key: string) =>
  Effect.gen(function* () {
    yield* sequence
    const listed = yield* send({ path: `${EVENTS}?action=cairn.*&limit=100`, key })
    return listed.json<{ data: Array<Told> }>().data.toReversed()
  })

const patch = (key: string, body: unknown) => send({ path: WORKSPACE, method: "PATCH", key, body })
const create = (key: string, body: unknown) => send({ path: KEYS, key, body })

describe("/api/v1/workspace", () => {
  it.live("shows the settings and what they allow", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant({
        plan: "pro",
        overrides: { retention_days: 7, events_per_month: null },
        log_origin: "audit.example.com"
      })
      const response = yield* send({ path: WORKSPACE, key })
      assert.strictEqual(response.status, 200)
      const { created_at, ...data } = response.json<{ data: Record<string, unknown> }>().data
      assert.deepStrictEqual(data, {
        id: workspace.id,
        name: "Test",
        log_origin: `audit.example.com/${workspace.id}`,
        plan: "pro",
        limits: {
          requests_per_minute: 1000,
          alert_rules: 50,
          events_per_month: null,
          exports_per_month: 1000,
          retention_days: 7
        },
        overrides: { retention_days: 7, events_per_month: null },
        retention_days: null,
        effective_retention_days: 7,
        pending_retention: null,
        ip_allowlist: [],
        viewer_frame_ancestors: null,
        anchor_schedule: null,
        unknown_fields: "reject",
        key_access_events: false,
        viewer: null
      })
      const checkpoint = yield* send({ path: "/api/v1/checkpoint", key })
      assert.strictEqual(checkpoint.text.split("\n")[0], data.log_origin)
      assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("changes what is given and nothing else, and tells the log from what to what", () =>
    Effect.gen(function* () {
      const { key, stored, workspace } = yield* makeTenant()
      const response = yield* patch(key, {
        name: "New",
        retention_days: 500,
        viewer_frame_ancestors: ["https://app.example.com"],
        anchor_schedule: { every_seconds: 3600, offset_seconds: 60 },
        key_access_events: true
      })
      assert.strictEqual(response.status, 200)
      const { data } = response.json<{ data: Record<string, unknown> }>()
      assert.strictEqual(data.name, "New")
      assert.strictEqual(data.plan, "enterprise")
      assert.strictEqual(data.retention_days, 500)
      assert.deepStrictEqual(data.viewer_frame_ancestors, ["https://app.example.com"])
      assert.deepStrictEqual(data.anchor_schedule, { every_seconds: 3600, offset_seconds: 60 })
      assert.isTrue(data.key_access_events)
      assert.deepStrictEqual((yield* send({ path: WORKSPACE, key })).json(), { data })
      // What the key read since is recorded too.
      const [scheduled, event, ...others] = (yield* told(key)).filter(
        ({ action }) => !action.startsWith("cairn.access.")
      )
      assert.deepStrictEqual(others, [])
      assert.strictEqual(scheduled?.action, "cairn.retention.scheduled")
      assert.strictEqual(event?.action, "cairn.workspace.updated")
      assert.deepInclude(event?.actor, { id: stored.id, type: "api_key" })
      assert.deepInclude(event?.resource, { type: "workspace", id: workspace.id })
      assert.deepStrictEqual(event?.metadata, {
        changed: {
          name: { from: "Test", to: "New" },
          retention_days: { from: null, to: 500 },
          viewer_frame_ancestors: { from: null, to: ["https://app.example.com"] },
          anchor_schedule: { from: null, to: { every_seconds: 3600, offset_seconds: 60 } },
          key_access_events: { from: false, to: true }
        }
      })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("tells the log nothing when nothing changes", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const same = {
        ip_allowlist: [],
        retention_days: null,
        viewer_frame_ancestors: null,
        anchor_schedule: null,
        key_access_events: false
      }
      for (const body of [{}, { name: "Test" }, same]) {
        assert.strictEqual((yield* patch(key, body)).status, 200)
      }
      assert.deepStrictEqual(yield* told(key), [])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses a wrong value with 422 and its path, and changes nothing", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const before = (yield* send({ path: WORKSPACE, key })).text
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ name: "" }, "name"],
        [{ name: "x".repeat(1025) }, "name"],
        [{ name: "a\0b" }, "name"],
        [{ name: 5 }, "name"],
        [{ plan: "enterprise" }, "plan"],
        [{ plan: "free", name: "New" }, "plan"],
        [{ overrides: { requests_per_minute: 0 } }, "overrides"],
        [{ overrides: { retention_days: 0 } }, "overrides"],
        [{ overrides: {} }, "overrides"],
        [{ limits: { retention_days: 1 } }, "limits"],
        [{ retention_days: 0 }, "retention_days"],
        [{ retention_days: -1 }, "retention_days"],
        [{ retention_days: 1.5 }, "retention_days"],
        [{ retention_days: 36_501 }, "retention_days"],
        [{ retention_days: "30" }, "retention_days"],
        [{ ip_allowlist: "10.0.0.0/8" }, "ip_allowlist"],
        [{ ip_allowlist: ["10.0.0.0/8", "10.0.0.1/8"] }, "ip_allowlist[1]"],
        [{ ip_allowlist: ["somewhere"] }, "ip_allowlist[0]"],
        [{ ip_allowlist: Array.from({ length: 501 }, () => "10.0.0.0/8") }, "ip_allowlist"],
        [{ viewer_frame_ancestors: "https://app.example.com" }, "viewer_frame_ancestors"],
        [
          { viewer_frame_ancestors: ["https://app.example.com", "https://a; script-src *"] },
          "viewer_frame_ancestors[1]"
        ],
        [{ viewer_frame_ancestors: ["https://app.example.com/page"] }, "viewer_frame_ancestors[0]"],
        [{ viewer_frame_ancestors: Array.from({ length: 51 }, () => "*") }, "viewer_frame_ancestors"],
        [{ viewer_frame_ancestors: ["a".repeat(4_097)] }, "viewer_frame_ancestors"],
        [{ anchor_schedule: "hourly" }, "anchor_schedule"],
        [{ anchor_schedule: { every_seconds: 3600 } }, "anchor_schedule.offset_seconds"],
        [{ anchor_schedule: { every_seconds: 59, offset_seconds: 0 } }, "anchor_schedule.every_seconds"],
        [{ anchor_schedule: { every_seconds: 60.5, offset_seconds: 0 } }, "anchor_schedule.every_seconds"],
        [{ anchor_schedule: { every_seconds: 60, offset_seconds: 60 } }, "anchor_schedule.offset_seconds"],
        [{ anchor_schedule: { every_seconds: 60, offset_seconds: -1 } }, "anchor_schedule.offset_seconds"],
        ...["yes", "true", 1, null, []].map(
          (key_access_events) => [{ key_access_events }, "key_access_events"] as const
        ),
        [{ name: "ok", ip_allowlist: 1 }, "ip_allowlist"]
      ]
      for (const [body, path] of cases) {
        const response = yield* patch(key, body)
        assert.strictEqual(response.status, 422, JSON.stringify(body))
        assert.strictEqual(response.json().error, "validation_failed")
        assert.isTrue(response.json<{ message: string }>().message.startsWith(`${path}: `), response.text)
      }
      assert.strictEqual((yield* patch(key, "[]")).status, 422)
      assert.strictEqual((yield* patch(key, "{")).status, 400)
      assert.strictEqual((yield* patch(key, " ".repeat(65 * 1024))).status, 413)
      assert.strictEqual((yield* send({ path: WORKSPACE, key })).text, before)
      assert.deepStrictEqual(yield* told(key), [])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("takes the longest lists there may be, and their event with them", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const list = (part: string) =>
        Array.from(
          { length: 500 },
          (_, index) => `2001:db8:${part}:ffff:ffff:ffff:ffff:${(index + 4096).toString(16)}/128`
        )
      const ancestors = (part: string) => Array.from({ length: 50 }, () => part.repeat(20))
      for (const part of ["aaaa", "bbbb"]) {
        const body = {
          ip_allowlist: [...list(part).slice(1), "127.0.0.1"],
          viewer_frame_ancestors: ancestors(part)
        }
        assert.strictEqual((yield* patch(key, body)).status, 200)
      }
      assert.strictEqual((yield* told(key)).length, 2)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("/api/v1/api-keys", () => {
  it.live("makes a key that works, and shows it that once", () =>
    Effect.gen(function* () {
      const { key, stored } = yield* makeTenant()
      const response = yield* create(key, {
        name: "CI",
        scopes: ["ingest"],
        expires_at: "2200-01-01T00:00:00+01:00"
      })
      assert.strictEqual(response.status, 201)
      const made = response.json<{ data: Key }>().data
      assert.match(made.id, /^key_[0-9a-f-]{36}$/)
      assert.match(made.key ?? "", /^cairn_[0-9A-Za-z]{46}$/)
      assert.isTrue(made.key?.startsWith(made.prefix))
      assert.deepInclude(made, {
        name: "CI",
        scopes: ["ingest"],
        expires_at: "2199-12-31T23:00:00.000000Z",
        last_used_at: null,
        revoked_at: null
      })
      assert.strictEqual((yield* send({ path: EVENTS, key: made.key, body: EVENT })).status, 202)
      assert.strictEqual((yield* send({ path: EVENTS, key: made.key })).status, 403)
      const shown = yield* send({ path: `${KEYS}/${made.id}`, key })
      const { key: _, ...rest } = made
      assert.deepStrictEqual(shown.json(), { data: rest })
      const [event] = yield* told(key)
      assert.strictEqual(event?.action, "cairn.api_key.created")
      assert.strictEqual(event?.actor.id, stored.id)
      assert.deepInclude(event?.resource, { type: "api_key", id: made.id })
      assert.deepStrictEqual(event?.metadata, {
        scopes: ["ingest"],
        expires_at: "2199-12-31T23:00:00.000000Z"
      })
      const everything = yield* send({ path: `${EVENTS}?limit=100`, key })
      assert.notInclude(everything.text, made.key)
      assert.notInclude(everything.text, "$2b$")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("gives a key all scopes but admin unless told otherwise", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const made = (yield* create(key, {})).json<{ data: Key }>().data
      assert.deepStrictEqual(made.scopes, DEFAULT_SCOPES)
      assert.isNull(made.name)
      assert.isNull(made.expires_at)
      assert.strictEqual((yield* send({ path: KEYS, key: made.key })).status, 403)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses a wrong value with 422 and its path", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ name: 1 }, "name"],
        [{ name: "x".repeat(1025) }, "name"],
        [{ name: "a\0b" }, "name"],
        [{ scopes: [] }, "scopes"],
        [{ scopes: ["root"] }, "scopes[0]"],
        [{ scopes: "read" }, "scopes"],
        [{ expires_at: "2020-01-01" }, "expires_at"],
        [{ expires_at: "soon" }, "expires_at"],
        [{ expires_at: "2999-01-01" }, "expires_at"],
        [{ expires_at: 5 }, "expires_at"]
      ]
      for (const [body, path] of cases) {
        const response = yield* create(key, body)
        assert.strictEqual(response.status, 422, JSON.stringify(body))
        assert.isTrue(response.json<{ message: string }>().message.startsWith(`${path}: `), response.text)
      }
      assert.deepStrictEqual(yield* told(key), [])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("lists keys newest first in the pagination envelope, without their secrets", () =>
    Effect.gen(function* () {
      const { key, stored } = yield* makeTenant()
      const made: Array<string> = []
      for (let count = 0; count < 5; count++) {
        made.push((yield* create(key, { name: `key ${count}` })).json<{ data: Key }>().data.id)
      }
      const expected = [...made.toReversed(), stored.id]
      const collected: Array<string> = []
      let query = "limit=2"
      for (let pages = 0; pages < 3; pages++) {
        const response = yield* send({ path: `${KEYS}?${query}`, key })
        const { data, pagination } = response.json<{
          data: Array<Key>
          pagination: { has_more: boolean; next_cursor: string | null; total: number }
        }>()
        assert.notInclude(response.text, "hash")
        assert.isUndefined(data[0]?.key)
        assert.strictEqual(pagination.total, 6)
        assert.strictEqual(pagination.has_more, pages < 2)
        collected.push(...data.map(({ id }) => id))
        query = `limit=2&cursor=${pagination.next_cursor}`
      }
      assert.deepStrictEqual(collected, expected)
      for (const wrong of ["limit=0", "limit=101", "cursor=x"]) {
        assert.strictEqual((yield* send({ path: `${KEYS}?${wrong}`, key })).status, 400)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.effect("never gives two keys one moment, though the clock stands", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (let count = 0; count < 3; count++) yield* create(key, {})
      const listed = (yield* send({ path: KEYS, key })).json<{ data: Array<{ created_at: string }> }>()
      assert.strictEqual(new Set(listed.data.map(({ created_at }) => created_at)).size, listed.data.length)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("revokes a key at once, tells it once, and keeps it listed", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const made = (yield* create(key, {})).json<{ data: Key }>().data
      assert.strictEqual((yield* send({ path: EVENTS, key: made.key })).status, 200)
      const path = `${KEYS}/${made.id}`
      const revoked = yield* send({ path, key, method: "DELETE" })
      assert.strictEqual(revoked.status, 200)
      const { revoked_at } = revoked.json<{ data: Key }>().data
      assert.isString(revoked_at)
      assert.strictEqual((yield* send({ path: EVENTS, key: made.key })).status, 401)
      const again = yield* send({ path, key, method: "DELETE" })
      assert.strictEqual(again.json<{ data: Key }>().data.revoked_at, revoked_at)
      assert.strictEqual((yield* send({ path, key })).json<{ data: Key }>().data.revoked_at, revoked_at)
      assert.deepStrictEqual(
        (yield* told(key)).map(({ action, resource }) => [action, resource.id]),
        [
          ["cairn.api_key.created", made.id],
          ["cairn.api_key.revoked", made.id]
        ]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("lets a key revoke itself", () =>
    Effect.gen(function* () {
      const { key, stored } = yield* makeTenant()
      assert.strictEqual((yield* send({ path: `${KEYS}/${stored.id}`, key, method: "DELETE" })).status, 200)
      assert.strictEqual((yield* send({ path: KEYS, key })).status, 401)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is 404 for a key that does not exist", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const id of ["key_1", "x", "%00", "%FF"]) {
        for (const method of ["GET", "DELETE"]) {
          const response = yield* send({ path: `${KEYS}/${id}`, key, method })
          assert.strictEqual(response.status, 404, `${method} ${id}`)
          assert.strictEqual(response.json().error, "not_found")
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("makes no key and changes nothing that the log cannot be told", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: KEYS, key })
      const full = yield* create(key, {})
      assert.strictEqual(full.status, 201)
      assert.strictEqual((yield* create(key, {})).status, 503)
      assert.strictEqual((yield* patch(key, { name: "Other" })).status, 503)
      const listed = (yield* send({ path: KEYS, key })).json<{ pagination: { total: number } }>()
      assert.strictEqual(listed.pagination.total, 2)
      assert.strictEqual(
        (yield* send({ path: WORKSPACE, key })).json<{ data: { name: string } }>().data.name,
        "Test"
      )
    }).pipe(Effect.provide(testServer({ inboxCapacity: 1 })))
  )
})
