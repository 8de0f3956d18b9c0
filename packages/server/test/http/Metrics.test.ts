import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EVENT, makeTenant, type Sent, send, testServer } from "./TestServer.ts"

const TOKEN = "a token of this test"

const withToken = { config: { metricsToken: TOKEN.replaceAll(" ", "-") } }

const scrape = (sent: Partial<Sent> = {}) =>
  send({ path: "/metrics", key: withToken.config.metricsToken, ...sent })

describe("GET /metrics", () => {
  it.live("shows the metrics for the token, as Prometheus reads them", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      const { status, headers, text } = yield* scrape()
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      assert.include(text, "# TYPE cairn_http_requests_total counter\n")
      assert.include(
        text,
        '\ncairn_http_requests_total{method="POST",route="/api/v1/events",status="202"} 1\n'
      )
      assert.include(text, "\ncairn_inbox_events 1\n")
    }).pipe(Effect.provide(testServer(withToken)))
  )

  it.live("is 404 without the setting, whatever is sent", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* scrape()).status, 404)
      assert.strictEqual((yield* scrape({ key: "" })).status, 404)
      assert.strictEqual((yield* send({ path: "/metrics" })).status, 404)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is 401 for any other token, and for an API key", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { metricsToken } = withToken.config
      for (const other of [`${metricsToken}x`, metricsToken.slice(1), metricsToken.toUpperCase(), key]) {
        const { status, headers, text } = yield* scrape({ key: other })
        assert.strictEqual(status, 401, other)
        assert.include(headers["www-authenticate"], "Bearer")
        assert.notInclude(text, "cairn_")
      }
      assert.strictEqual((yield* send({ path: "/metrics" })).status, 401)
      assert.strictEqual((yield* send({ path: `/metrics?token=${metricsToken}` })).status, 401)
    }).pipe(Effect.provide(testServer(withToken)))
  )

  it.live("is only read, and nowhere else", () =>
    Effect.gen(function* () {
      const posted = yield* scrape({ method: "POST" })
      assert.strictEqual(posted.status, 405)
      assert.strictEqual(posted.headers.allow, "GET, HEAD")
      assert.strictEqual((yield* scrape({ path: "/api/v1/metrics" })).status, 404)
      const head = yield* scrape({ method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.text, "")
    }).pipe(Effect.provide(testServer(withToken)))
  )

  it.live("is shown by a process that takes no requests", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* scrape()).status, 200)
    }).pipe(Effect.provide(testServer({ config: { ...withToken.config, healthOnly: true } })))
  )
})
