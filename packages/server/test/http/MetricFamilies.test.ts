/** What requests cause, in the metrics, on each database. */

import { type IncomingMessage, METHODS, request } from "node:http"
import { Acceptance, Inbox, StorageUnavailable } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { testWorkspace } from "@cairn/testing"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { scrapedSeries, scrapedValue } from "../support/ScrapedMetrics.ts"
import { breakableStorage, setBroken } from "./BreakableStorage.ts"
import { storage } from "./Storage.ts"
import {
  EVENT,
  makeKey,
  makeTenant,
  send,
  sequence,
  TestServer,
  testServer,
  testServerOver
} from "./TestServer.ts"

const TOKEN = "0123456789abcdef"
const shown = { config: { metricsToken: TOKEN } }

/** What is read by now: the server reads at most once a second. */
const scrape = Effect.gen(function* () {
  yield* Effect.sleep(1_010)
  const { status, text } = yield* send({ path: "/metrics", key: TOKEN })
  assert.strictEqual(status, 200)
  return text
})

const LIVE = "/api/v1/events/live"
const INGEST = { method: "POST", route: "/api/v1/events" }

describe.concurrent("the metrics of requests", () => {
  it.live("count and time them by their routes' templates", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const made = yield* send({ path: "/api/v1/events", key, body: EVENT })
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      const path = `/api/v1/events/${made.json().id}`
      yield* send({ path, key })
      yield* send({ path: "/nowhere/at/all" })
      yield* send({ path: "/healthz" })
      const text = yield* scrape
      assert.strictEqual(scrapedValue(text, "cairn_http_requests_total", { ...INGEST, status: "202" }), 2)
      assert.strictEqual(scrapedValue(text, "cairn_http_request_duration_seconds_count", INGEST), 2)
      const inf = { ...INGEST, le: "+Inf" }
      assert.strictEqual(scrapedValue(text, "cairn_http_request_duration_seconds_bucket", inf), 2)
      const read = { method: "GET", route: "/api/v1/events/:id", status: "200" }
      assert.strictEqual(scrapedValue(text, "cairn_http_requests_total", read), 1)
      assert.strictEqual(
        scrapedValue(text, "cairn_http_requests_total", { route: "other", status: "404" }),
        1
      )
      assert.strictEqual(scrapedValue(text, "cairn_http_errors_total", { code: "not_found" }), 1)
      assert.notInclude(text, "nowhere")
      assert.notInclude(text, "healthz")
    }).pipe(Effect.provide(testServer(shown)))
  )

  it.live("know no more series than there are routes, whatever clients send", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      yield* scrape
      const lines = (yield* scrape).split("\n").length
      for (const method of METHODS.filter((name) => name !== "CONNECT"))
        yield* send({ method, path: `/${method}/${method}`, key })
      for (let index = 0; index < 100; index++) yield* send({ path: `/api/v1/unknown-${index}`, key })
      const text = yield* scrape
      assert.notInclude(text, "unknown-")
      assert.notInclude(text, "PROPFIND")
      // A method and a route that are none, with two statuses at most.
      assert.isBelow(text.split("\n").length - lines, 30)
    }).pipe(Effect.provide(testServer(shown)))
  )

  it.live("say which limit refused what", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (let count = 0; count < 3; count++) yield* send({ path: "/api/v1/events", key, body: EVENT })
      yield* send({
        path: "/api/v1/events",
        key,
        body: { ...EVENT, metadata: { long: "x".repeat(2_000_000) } }
      })
      const text = yield* scrape
      assert.strictEqual(scrapedValue(text, "cairn_limited_requests_total", { limit: "inbox" }), 1)
      assert.strictEqual(scrapedValue(text, "cairn_limited_requests_total", { limit: "body_size" }), 1)
      assert.strictEqual(scrapedValue(text, "cairn_limited_requests_total", { limit: "request_rate" }), 0)
      assert.strictEqual(scrapedValue(text, "cairn_http_errors_total", { code: "unavailable" }), 1)
      assert.strictEqual(scrapedValue(text, "cairn_events_received_total", { outcome: "inbox_full" }), 1)
      assert.strictEqual(scrapedValue(text, "cairn_inbox_events"), 2)
      assert.strictEqual(scrapedValue(text, "cairn_inbox_capacity_events"), 2)
      assert.isAbove(scrapedValue(text, "cairn_inbox_age_seconds") ?? 0, 0.9)
      yield* sequence
      const after = yield* scrape
      assert.strictEqual(scrapedValue(after, "cairn_inbox_events"), 0)
      assert.strictEqual(scrapedValue(after, "cairn_inbox_age_seconds"), 0)
      assert.strictEqual(scrapedValue(after, "cairn_events_sequenced_total"), 2)
      assert.isAbove(scrapedValue(after, "cairn_sequencing_delay_seconds_sum") ?? 0, 0.9)
    }).pipe(
      Effect.provide(
        testServer({ ...shown, inboxCapacity: 2, config: { ...shown.config, inboxCapacity: 2 } })
      )
    )
  )

  it.live("say of each event of a batch what became of it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const events = [
        { ...EVENT, idempotency_key: "one" },
        { ...EVENT, idempotency_key: "one" },
        { actor_id: "" },
        EVENT
      ]
      yield* send({ path: "/api/v1/events/batch", key, body: { events } })
      yield* send({ path: "/api/v1/events/batch", key, body: { events: [events[0], { action: "" }] } })
      yield* send({ path: "/api/v1/events/batch", key, body: { events: [{}, {}] } })
      yield* send({ path: "/api/v1/events", key, body: "no JSON" })
      const text = yield* scrape
      const received = (outcome: string) => scrapedValue(text, "cairn_events_received_total", { outcome })
      assert.deepStrictEqual(["accepted", "duplicate", "invalid"].map(received), [2, 2, 5])
    }).pipe(Effect.provide(testServer(shown)))
  )

  it.live("say what is beyond the quota", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant({ overrides: { events_per_month: 2 } })
      yield* send({ path: "/api/v1/events/batch", key, body: { events: [EVENT, EVENT, EVENT] } })
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      const text = yield* scrape
      assert.strictEqual(scrapedValue(text, "cairn_events_received_total", { outcome: "over_quota" }), 2)
      assert.strictEqual(scrapedValue(text, "cairn_limited_requests_total", { limit: "events_per_month" }), 1)
    }).pipe(Effect.provide(testServer(shown)))
  )

  it.live("count those who read live, for as long as they do", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { port } = yield* TestServer
      const readers = () =>
        Effect.map(scrape, (text) => scrapedValue(text, "cairn_open_answers", { kind: "live" }))
      assert.strictEqual(yield* readers(), 0)
      const reader = yield* Effect.promise(
        () =>
          new Promise<IncomingMessage>((resolve, reject) =>
            request({ port, path: LIVE, headers: { authorization: `Bearer ${key}` } }, resolve)
              .on("error", reject)
              .end()
          )
      )
      assert.strictEqual(reader.statusCode, 200)
      assert.strictEqual(yield* readers(), 1)
      reader.destroy()
      assert.strictEqual(yield* readers(), 0)
    }).pipe(Effect.provide(testServer(shown)))
  )
})

describe.concurrent("the metrics of a server whose store fails", () => {
  it.live("are shown all the same, with how old they are", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      assert.strictEqual(scrapedValue(yield* scrape, "cairn_inbox_events"), 1)
      yield* setBroken(true)
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      yield* Effect.sleep(500)
      const text = yield* scrape
      assert.strictEqual(scrapedValue(text, "cairn_inbox_events"), 1)
      assert.isAbove(scrapedValue(text, "cairn_metrics_age_seconds", { source: "database" }) ?? 0, 1.4)
      assert.isAbove(scrapedValue(text, "cairn_http_errors_total", { code: "unavailable" }) ?? 0, 0)
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())), shown)))
  )

  it.live("say of events that the store did not take that it was unavailable", () => {
    const failure = new StorageUnavailable({ operation: "accept", cause: new Error("disk full") })
    const refusing = Layer.effect(
      Inbox,
      Effect.map(Inbox, (inbox) => Inbox.of({ ...inbox, accept: () => Effect.fail(failure) }))
    ).pipe(Layer.provideMerge(storage()))
    return Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { status } = yield* send({ path: "/api/v1/events/batch", key, body: { events: [EVENT, EVENT] } })
      assert.strictEqual(status, 503)
      const received = { outcome: "unavailable" }
      assert.strictEqual(scrapedValue(yield* scrape, "cairn_events_received_total", received), 2)
    }).pipe(Effect.provide(testServerOver(refusing, shown)))
  })

  it.live("wait for a store that hangs no longer than half a second, and ask it once", () => {
    let asked = 0
    const hanging = Layer.effect(
      Inbox,
      Effect.map(Inbox, (inbox) =>
        Inbox.of({
          ...inbox,
          oldest: Effect.andThen(
            Effect.sync(() => asked++),
            Effect.never
          )
        })
      )
    ).pipe(Layer.provideMerge(storage()))
    return Effect.gen(function* () {
      const began = performance.now()
      const all = yield* Effect.all(
        Array.from({ length: 20 }, () => send({ path: "/metrics", key: TOKEN })),
        { concurrency: "unbounded" }
      )
      assert.isBelow(performance.now() - began, 5_000)
      assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set([200]))
      const text = yield* scrape
      assert.isUndefined(scrapedValue(text, "cairn_inbox_events"))
      assert.strictEqual(asked, 1)
    }).pipe(Effect.provide(testServerOver(hanging, shown)))
  })
})

/** All of them where trials run whole. */
const MANY = isEndurance() ? 10_000 : 500

describe("the metrics of very many workspaces", () => {
  it.live("are as many as those of one, and name none of them", () =>
    Effect.gen(function* () {
      const workspaces = yield* ManagedWorkspaces
      const acceptance = yield* Acceptance
      const one = yield* makeTenant()
      yield* send({ path: "/api/v1/events", key: one.key, body: EVENT })
      yield* sequence
      yield* scrape
      const before = scrapedSeries(yield* scrape).length
      const ids = Array.from(
        { length: MANY },
        (_, index) => `wsp_${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`
      )
      yield* Effect.forEach(
        ids,
        (id, index) =>
          workspaces
            .create(testWorkspace({ id, name: `Tenant${index}` }))
            .pipe(
              Effect.andThen(
                acceptance.one(
                  { workspaceId: id, clientAddress: null, keysExpireBefore: null },
                  { ...EVENT, tenant_id: `Tenant${index}` }
                )
              ),
              Effect.orDie
            ),
        { concurrency: 50, discard: true }
      )
      const { key } = yield* makeKey(ids[7] ?? "")
      yield* send({ path: "/api/v1/events", key, body: EVENT })
      yield* sequence
      const text = yield* scrape
      assert.strictEqual(scrapedSeries(text).length, before)
      assert.notInclude(text, "wsp_")
      assert.notInclude(text, "Tenant")
      assert.isBelow(text.length, 200_000)
      assert.isAtLeast(scrapedValue(text, "cairn_events_sequenced_total") ?? 0, MANY)
    }).pipe(Effect.provide(testServer({ ...shown, inboxCapacity: 2 * MANY })))
  )
})
