import { Micros } from "@cairn/core/encoding"
import { manualClock, meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { standing } from "./StandingClock.ts"
import { EVENT, makeKey, makeTenant, makeWorkspace, send, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"

/** A server on a clock of its own, which starts again with each test. */
const withClock = <A, E, R>(test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

describe("A workspace's rate limit", () => {
  it.live("is its plan's requests a minute, told on every answer", () =>
    withClock(() =>
      Effect.gen(function* () {
        const plans = [
          ["free", 60],
          ["starter", 300],
          ["pro", 1000]
        ] as const
        for (const [plan, limit] of plans) {
          const { key } = yield* makeTenant({ plan })
          const { headers } = yield* send({ path: EVENTS, key })
          assert.strictEqual(headers["ratelimit-policy"], `"default";q=${limit};w=60`)
          assert.strictEqual(headers.ratelimit, `"default";r=${limit - 1};t=1`)
        }
      })
    )
  )

  it.live("is not told where there is none", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "enterprise" })
        const { headers } = yield* send({ path: EVENTS, key })
        assert.isUndefined(headers["ratelimit-policy"])
        assert.isUndefined(headers.ratelimit)
      })
    )
  )

  it.live("answers 429 with Retry-After beyond it, and refills steadily", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: 6 } })
        const get = send({ path: EVENTS, key })
        for (let count = 0; count < 6; count++) assert.strictEqual((yield* get).status, 200)
        const limited = yield* get
        assert.strictEqual(limited.status, 429)
        assert.deepStrictEqual(limited.json(), {
          error: "rate_limited",
          message: "More than 6 requests a minute; try again in 10 s"
        })
        assert.strictEqual(limited.headers["retry-after"], "10")
        assert.strictEqual(yield* meteredValue("cairn_limited_requests_total", { limit: "request_rate" }), 1)
        assert.strictEqual(limited.headers["ratelimit-policy"], '"default";q=6;w=60')
        assert.strictEqual(limited.headers.ratelimit, '"default";r=0;t=10')
        time.advance(9_999_000)
        assert.strictEqual((yield* get).status, 429)
        time.advance(1_000)
        assert.strictEqual((yield* get).status, 200)
        assert.strictEqual((yield* get).status, 429)
        time.advance(10 * Micros.MINUTE)
        assert.strictEqual((yield* get).headers.ratelimit, '"default";r=5;t=10')
      })
    )
  )

  it.live("does not notice that someone sets the wall clock", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: 1 } })
        const get = Effect.map(send({ path: EVENTS, key }), ({ status }) => status)
        assert.strictEqual(yield* get, 200)
        time.leap(Micros.DAY)
        assert.strictEqual(yield* get, 429)
        time.leap(-2 * Micros.DAY)
        assert.strictEqual(yield* get, 429)
        time.advance(Micros.MINUTE)
        assert.strictEqual(yield* get, 200)
      })
    )
  )

  it.live(
    "counts a batch as one request, and is shared by the workspace's keys and by no other workspace",
    () =>
      withClock(() =>
        Effect.gen(function* () {
          const { id } = yield* makeWorkspace({ plan: "free", overrides: { requests_per_minute: 2 } })
          const one = yield* makeKey(id)
          const two = yield* makeKey(id)
          const batch = { events: Array.from({ length: 100 }, () => EVENT) }
          const first = yield* send({ path: `${EVENTS}/batch`, key: one.key, body: batch })
          assert.strictEqual(first.status, 202)
          assert.strictEqual(first.headers.ratelimit, '"default";r=1;t=30')
          assert.strictEqual((yield* send({ path: EVENTS, key: two.key })).status, 200)
          assert.strictEqual((yield* send({ path: EVENTS, key: one.key })).status, 429)
          const other = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: 2 } })
          assert.strictEqual(
            (yield* send({ path: EVENTS, key: other.key })).headers.ratelimit,
            '"default";r=1;t=30'
          )
        })
      )
  )

  it.live("is used up by invalid requests too, but not by wrong keys, scopes or addresses", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { id } = yield* makeWorkspace({
          plan: "free",
          overrides: { requests_per_minute: 3 },
          ip_allowlist: ["127.0.0.1"]
        })
        const { key } = yield* makeKey(id, ["ingest"])
        yield* send({ path: EVENTS, key: `${key}x` })
        const scope = yield* send({ path: EVENTS, key })
        assert.strictEqual(scope.status, 403)
        assert.strictEqual(scope.headers.ratelimit, '"default";r=3;t=0')
        const invalid = yield* send({ path: EVENTS, key, body: {} })
        assert.strictEqual(invalid.status, 422)
        assert.strictEqual(invalid.headers.ratelimit, '"default";r=2;t=20')
        assert.strictEqual((yield* send({ path: EVENTS, key, body: EVENT })).status, 202)
        assert.strictEqual((yield* send({ path: EVENTS, key, body: EVENT })).status, 202)
        assert.strictEqual((yield* send({ path: EVENTS, key, body: EVENT })).status, 429)
        const away = yield* makeWorkspace({ plan: "free", ip_allowlist: ["203.0.113.1"] })
        const { key: stolen } = yield* makeKey(away.id)
        for (let count = 0; count < 3; count++) {
          const response = yield* send({ path: EVENTS, key: stolen })
          assert.strictEqual(response.status, 403)
          assert.strictEqual(response.headers.ratelimit, '"default";r=60;t=0')
        }
      })
    )
  )

  it.live(
    "of nothing at all, as an earlier version could store it, admits one: nobody is locked out for good",
    () =>
      withClock(() =>
        Effect.gen(function* () {
          const { key } = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: 0 } })
          assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
          const response = yield* send({ path: EVENTS, key })
          assert.strictEqual(response.status, 429)
          assert.strictEqual(response.headers["retry-after"], "60")
        })
      )
  )

  it.live("does not hold for health checks and the documentation", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: 0 } })
        for (const path of ["/healthz", "/readyz", "/openapi.json"]) {
          const response = yield* send({ path, key })
          assert.strictEqual(response.status, 200, path)
          assert.isUndefined(response.headers.ratelimit)
        }
      })
    )
  )
})
