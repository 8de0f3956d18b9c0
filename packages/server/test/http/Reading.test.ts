import { Micros } from "@cairn/core/encoding"
import { ClockGuard, Cursor } from "@cairn/core/log"
import { manualClock, wholeVerification } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { invalidParameter } from "./InvalidParameter.ts"
import { standing } from "./StandingClock.ts"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const VERIFY = "/api/v1/verify"

interface Listed {
  readonly data: ReadonlyArray<{ readonly id: string; readonly action: string; readonly created_at: string }>
  readonly pagination: {
    readonly has_more: boolean
    readonly next_cursor: string | null
    readonly total: number
  }
}

/** A parameter with as many values, of which every event in a test has none. */
const several = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${name}=v${index}`).join("&")

const ingest = (key: string, events: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const response = yield* send({ path: `${EVENTS}/batch`, key, body: { events } })
    assert.strictEqual(response.status, 202)
    yield* sequence
  })

describe("GET /api/v1/events", () => {
  it.live("lists newest first in the pagination envelope, 25 unless asked otherwise", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* ingest(
        key,
        Array.from({ length: 30 }, (_, index) => ({ ...EVENT, action: `step.${index}` }))
      )
      const first = (yield* send({ path: EVENTS, key })).json<Listed>()
      assert.deepStrictEqual(Object.keys(first), ["data", "pagination"])
      assert.strictEqual(first.data.length, 25)
      assert.strictEqual(first.data[0]?.action, "step.29")
      assert.isTrue(first.pagination.has_more)
      assert.strictEqual(first.pagination.total, 30)
      const cursor = first.pagination.next_cursor ?? ""
      assert.strictEqual(Cursor.encode(Micros.parse(first.data[24]?.created_at ?? "") ?? 0), cursor)
      const second = (yield* send({ path: `${EVENTS}?cursor=${cursor}`, key })).json<Listed>()
      assert.deepStrictEqual(
        second.data.map(({ action }) => action),
        ["step.4", "step.3", "step.2", "step.1", "step.0"]
      )
      assert.deepStrictEqual(second.pagination, { has_more: false, next_cursor: null, total: 30 })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("has no total with total=none, and says the number alone", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* ingest(key, [EVENT, EVENT, { ...EVENT, action: "other" }])
      const list = (query: string) => send({ path: `${EVENTS}?${query}`, key })
      const { action } = EVENT
      const expected = (total: number | null) => ({ has_more: false, next_cursor: null, total })
      assert.deepStrictEqual((yield* list("total=none")).json().pagination, expected(null))
      assert.deepStrictEqual((yield* list("total=exact")).json().pagination, expected(3))
      assert.strictEqual((yield* list("total=some")).status, 400)
      const counted = yield* send({ path: `${EVENTS}/count?action=${action}`, key })
      assert.deepStrictEqual([counted.status, counted.json()], [200, { data: { total: 2 } }])
      assert.strictEqual((yield* send({ path: `${EVENTS}/count?limit=1`, key })).status, 400)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("reads every parameter as the interface says, and no others", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const event = {
        actor_id: "ada l",
        actor_name: "Ada",
        action: "doc.page.read",
        resource: "document",
        resource_id: "d/1?&=",
        resource_name: "Plan B",
        action_category: "access",
        tenant_id: "t",
        session_id: "s",
        metadata: { note: "Größe" },
        targets: [
          { type: "folder", id: "1" },
          { type: "tag", id: "2" }
        ]
      }
      yield* ingest(key, [event, EVENT])
      const found = (query: string) =>
        Effect.map(send({ path: `${EVENTS}?${query}`, key }), (response) => {
          assert.strictEqual(response.status, 200, `${query}: ${response.text}`)
          return response.json<Listed>().pagination.total
        })
      const matching = [
        "action=doc.page.read",
        "action=doc.*",
        "actor_id=ada+l",
        "actor_id=ada%20l",
        "resource=document",
        "resource_id=d%2F1%3F%26%3D",
        "tenant_id=t",
        "session_id=s",
        "search=gr%C3%B6%C3%9Fe",
        "search=DOC.PAGE",
        "target_type=folder&target_id=1",
        "target_id=2",
        "actor_id=ada+l&action=doc.*&tenant_id=t",
        "action=*.read",
        "action=*.page.read",
        "action=none&action=doc.*",
        "action=none&action=*.read&action=none",
        "category=access",
        "category=none&category=access&resource_name=Plan%20B&resource_name=",
        "search=gr%C3%B6%C3%9Fe&search=ADA&search=plan",
        "search=gr%C3%B6%C3%9Fe&search=",
        "target_type=none&target_type=folder&target_id=2&target_id=1",
        `actor_id=ada+l&${several("actor_id", 19)}`,
        `search=ada&${"search=a&".repeat(19)}`
      ]
      for (const query of matching) assert.strictEqual(yield* found(query), 1, query)
      const empty = [
        "action=doc",
        "target_type=folder&target_id=2",
        "tenant_id=T",
        "tenant_id=",
        "search=nothing",
        "search=ada&search=nothing",
        "action=doc&action=read&action=*.page",
        "category=Access",
        "country=DE",
        several("actor_id", 20),
        "target_type=folder&target_type=none&target_id=2&target_id=3"
      ]
      for (const query of empty) assert.strictEqual(yield* found(query), 0, query)
      const all = ["", "&&", "action=*", "search="]
      for (const query of all) assert.strictEqual(yield* found(query), 2, query)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("takes from and to inclusively, with any offset, to the microsecond", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* ingest(key, [EVENT, EVENT, EVENT])
      const { data } = (yield* send({ path: EVENTS, key })).json<Listed>()
      const [newest = "", middle = "", oldest = ""] = data.map(({ created_at }) => created_at)
      const count = (query: string) =>
        Effect.map(
          send({ path: `${EVENTS}?${query}`, key }),
          (response) => response.json<Listed>().pagination.total
        )
      assert.strictEqual(yield* count(`from=${middle}&to=${middle}`), 1)
      assert.strictEqual(yield* count(`from=${middle}`), 2)
      assert.strictEqual(yield* count(`to=${middle}`), 2)
      assert.strictEqual(yield* count(`from=${oldest}&to=${newest}`), 3)
      assert.strictEqual(yield* count(`from=${newest}&to=${oldest}`), 0)
      const inBerlin = (text: string, offset: string) => `${text.slice(0, -1)}${offset}`
      assert.strictEqual(yield* count(`from=${encodeURIComponent(inBerlin(middle, "+00:00"))}`), 2)
      // A plus that was not percent-encoded arrives as a space.
      assert.strictEqual(yield* count(`from=${inBerlin(middle, "+00:00")}`), 2)
      assert.strictEqual(yield* count("from=2020-01-01"), 3)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses a wrong parameter with 400 and its name", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const cases: ReadonlyArray<readonly [string, string]> = [
        ["limit=0", "limit: must be an integer from 1 to 100"],
        ["limit=101", "limit: must be an integer from 1 to 100"],
        ["limit=-1", "limit: must be an integer from 1 to 100"],
        ["limit=1.5", "limit: must be an integer from 1 to 100"],
        ["limit=1e1", "limit: must be an integer from 1 to 100"],
        ["limit=0x10", "limit: must be an integer from 1 to 100"],
        ["limit=", "limit: must be an integer from 1 to 100"],
        ["limit=%2010", "limit: must be an integer from 1 to 100"],
        ["limit=5&limit=5", "limit: must be given once"],
        ["from=2020-01-01&from=2020-01-01", "from: must be given once"],
        ["total=none&total=none", "total: must be given once"],
        ["cursor=MQ&cursor=MQ", "cursor: must be given once"],
        [several("action", 21), "action: must be given at most 20 times"],
        [several("search", 21), "search: must be given at most 20 times"],
        [several("target_id", 22), "target_id: must be given at most 20 times"],
        ["actor_id=a&actor_id=b%00", "actor_id: must not contain U+0000"],
        ["category=a&category=%FF", "category: must be percent-encoded UTF-8"],
        [`resource_name=${"x".repeat(1_025)}`, "resource_name: must have at most 1024 characters"],
        ["country=de", "country: must be two upper-case letters"],
        ["country=DE&country=", "country: must be two upper-case letters"],
        ["country=DEU", "country: must be two upper-case letters"],
        ["from=yesterday", "from: must be an ISO 8601 date or date-time"],
        ["to=2026-02-30", "to: must be an ISO 8601 date or date-time"],
        ["from=", "from: must be an ISO 8601 date or date-time"],
        ["cursor=", "cursor: must be the next_cursor of a previous response"],
        ["cursor=MTIz%3D", "cursor: must be the next_cursor of a previous response"],
        ["cursor=LTE", "cursor: must be the next_cursor of a previous response"],
        ["actor_id=%FF", "actor_id: must be percent-encoded UTF-8"],
        ["actor_id=%E0%A4%A", "actor_id: must be percent-encoded UTF-8"],
        ["actor_id=a%00b", "actor_id: must not contain U+0000"],
        ["search=%00", "search: must not contain U+0000"],
        [`tenant_id=${"x".repeat(257)}`, "tenant_id: must have at most 256 characters"],
        ["a&".repeat(7_000), "query: must have at most 300 parameters"],
        [`limit=5&${"&".repeat(300)}`, "query: must have at most 300 parameters"]
      ]
      for (const [query, message] of cases) {
        const response = yield* send({ path: `${EVENTS}?${query}`, key })
        assert.strictEqual(response.status, 400, query)
        assert.deepStrictEqual(response.json(), invalidParameter(message))
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("GET /api/v1/events/{id}", () => {
  it.live("answers the bare event, by its UUID in either case", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = (yield* send({ path: EVENTS, key, body: EVENT })).json<{ id: string }>()
      yield* sequence
      for (const spelling of [
        id,
        id.toUpperCase(),
        id.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`)
      ]) {
        const response = yield* send({ path: `${EVENTS}/${spelling}`, key })
        assert.strictEqual(response.status, 200, spelling)
        assert.strictEqual(response.json().id, id)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is 404 for what is no event", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const ids = [
        "00000000-0000-4000-8000-000000000000",
        "1",
        "..%2F..",
        "%00",
        "%FF",
        "'%20OR%201=1",
        "x".repeat(3000)
      ]
      for (const id of ids) {
        const response = yield* send({ path: `${EVENTS}/${id}`, key })
        assert.strictEqual(response.status, 404, id)
        assert.deepStrictEqual(response.json(), { error: "not_found", message: "There is no such event" })
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("The retention window", () => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)

  it.live("hides what is older from reading and lists, and frees its idempotency key", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: null } })
      const body = { ...EVENT, idempotency_key: "k" }
      const { id } = (yield* send({ path: EVENTS, key, body })).json<{ id: string }>()
      yield* sequence
      time.advance(29 * Micros.DAY)
      assert.strictEqual((yield* send({ path: `${EVENTS}/${id}`, key })).status, 200)
      assert.strictEqual((yield* send({ path: EVENTS, key, body })).json().status, "duplicate")
      time.advance(2 * Micros.DAY)
      assert.strictEqual((yield* send({ path: `${EVENTS}/${id}`, key })).status, 404)
      assert.strictEqual((yield* send({ path: EVENTS, key })).json<Listed>().pagination.total, 0)
      assert.strictEqual((yield* send({ path: EVENTS, key, body })).json().status, "queued")
    }).pipe(Effect.provide(testServer()), Effect.provideService(Clock.Clock, standing(time.clock)))
  )

  it.live("hides nothing from any reading while the clock runs ahead", () => {
    const leaping = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
    return Effect.gen(function* () {
      const { key } = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: null } })
      const { id } = (yield* send({ path: EVENTS, key, body: EVENT })).json<{ id: string }>()
      yield* sequence
      yield* send({ path: "/api/v1/workspace", method: "PATCH", key, body: { retention_days: 1 } })
      yield* sequence
      leaping.advance(2 * Micros.DAY)
      const read = Effect.forEach(
        [
          EVENTS,
          `${EVENTS}?action=document.created`,
          `${EVENTS}?search=document`,
          `${EVENTS}/histogram`,
          `${EVENTS}/facets?field=action`,
          `${EVENTS}/${id}`,
          `${EVENTS}/${id}/proof`,
          "/api/v1/workspace"
        ],
        (path) => Effect.map(send({ path, key }), ({ status, text }) => ({ path, status, text }))
      )
      const before = yield* read
      for (const { path, status, text } of before) assert.strictEqual(status, 200, `${path}: ${text}`)
      for (const days of [6, 40, 3_650]) {
        leaping.leap(days * Micros.DAY)
        assert.deepStrictEqual(yield* read, before)
        leaping.leap(-days * Micros.DAY)
      }
    }).pipe(Effect.provide(testServer()), Effect.provideService(Clock.Clock, standing(leaping.clock)))
  })

  it.live("is without end on a plan that sets none", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = (yield* send({ path: EVENTS, key, body: EVENT })).json<{ id: string }>()
      yield* sequence
      time.advance(4000 * Micros.DAY)
      assert.strictEqual((yield* send({ path: `${EVENTS}/${id}`, key })).status, 200)
      assert.isNumber(yield* (yield* ClockGuard).now)
    }).pipe(Effect.provide(testServer()), Effect.provideService(Clock.Clock, standing(time.clock)))
  )
})

describe("GET /api/v1/verify", () => {
  it.live("answers the result under data", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.deepStrictEqual((yield* send({ path: VERIFY, key })).json(), {
        data: wholeVerification(0)
      })
      yield* ingest(key, [EVENT, EVENT, EVENT])
      const response = yield* send({ path: VERIFY, key })
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(response.json(), { data: wholeVerification(3) })
      const limited = yield* send({ path: `${VERIFY}?limit=2`, key })
      const { data: list } = (yield* send({ path: EVENTS, key })).json<{
        data: ReadonlyArray<{ created_at: string }>
      }>()
      assert.deepStrictEqual(limited.json(), {
        data: {
          valid: true,
          events_checked: 2,
          breaks: [],
          complete: false,
          total: 3,
          next: list[0]?.created_at
        }
      })
      const future = yield* send({ path: `${VERIFY}?from=2999-01-01&to=2999-01-02`, key })
      assert.deepStrictEqual(future.json(), { data: wholeVerification(0) })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("takes a limit up to a million, and refuses the rest by name", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.strictEqual((yield* send({ path: `${VERIFY}?limit=1000000`, key })).status, 200)
      for (const query of ["limit=1000001", "limit=0", "limit=x", "from=x", "to=x", "limit=1&limit=1"]) {
        const response = yield* send({ path: `${VERIFY}?${query}`, key })
        assert.strictEqual(response.status, 400, query)
        assert.strictEqual(response.json().error, "invalid_parameter")
        const { message, errors } = response.json<{ message: string; errors: ReadonlyArray<object> }>()
        const [field, reason] = message.split(": ")
        assert.strictEqual(field, query.split("=")[0])
        assert.deepStrictEqual(errors, [{ field, message: reason }])
      }
    }).pipe(Effect.provide(testServer()))
  )
})
