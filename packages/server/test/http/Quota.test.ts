import { Micros } from "@cairn/core"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { standing } from "./StandingClock.ts"
import { EVENT, makeKey, makeTenant, send, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const USAGE = "/api/v1/usage"

/** A minute before the month ends. */
const withClock = <A, E, R>(test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>) => {
  const time = manualClock(Micros.parse("2026-05-31T23:59:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

const usage = Effect.fnUntraced(function* (key: string) {
  const response = yield* send({ path: USAGE, key })
  assert.strictEqual(response.status, 200, response.text)
  return response.json<{ data: Record<string, unknown> }>().data
})

describe("A month's quota of events", () => {
  it.live("answers 429 quota_exceeded with Retry-After until the next month, when it begins anew", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ overrides: { events_per_month: 2 } })
        const post = send({ path: EVENTS, key, body: EVENT })
        assert.strictEqual((yield* post).status, 202)
        assert.strictEqual((yield* post).status, 202)
        const over = yield* post
        assert.strictEqual(over.status, 429)
        assert.strictEqual(over.json().error, "quota_exceeded")
        assert.strictEqual(over.headers["retry-after"], "60")
        const batch = yield* send({ path: `${EVENTS}/batch`, key, body: { events: [EVENT] } })
        assert.strictEqual(batch.status, 429)
        time.advance(60 * Micros.SECOND)
        assert.strictEqual((yield* post).status, 202)
      })
    )
  )

  it.live("is crossed within a batch: the first are taken, the rest rejected", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ overrides: { events_per_month: 2 } })
        const batch = yield* send({ path: `${EVENTS}/batch`, key, body: { events: [EVENT, EVENT, EVENT] } })
        assert.strictEqual(batch.status, 202)
        const { events } = batch.json<{ events: ReadonlyArray<Record<string, unknown>> }>()
        assert.deepStrictEqual(
          events.map(({ status }) => status),
          ["queued", "queued", "rejected"]
        )
        assert.deepInclude(events[2], { id: null, error: "quota_exceeded" })
      })
    )
  )

  it.live("takes duplicates for nothing, and is that of a changed plan at once", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ overrides: { events_per_month: 1 } })
        const body = { ...EVENT, idempotency_key: "once" }
        assert.strictEqual((yield* send({ path: EVENTS, key, body })).status, 202)
        const again = yield* send({ path: EVENTS, key, body })
        assert.strictEqual(again.json().status, "duplicate")
        const patch = { overrides: { events_per_month: 3 } }
        yield* send({ path: "/api/v1/workspace", method: "PATCH", key, body: patch })
        time.advance(Micros.SECOND)
        assert.strictEqual((yield* send({ path: EVENTS, key, body: EVENT })).status, 202)
      })
    )
  )
})

describe("GET /api/v1/usage", () => {
  it.live("tells what was used of the month, and of how much", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "free", overrides: { exports_per_month: null } })
        yield* send({ path: `${EVENTS}/batch`, key, body: { events: [EVENT, EVENT] } })
        yield* send({ path: "/api/v1/exports", key, body: {} })
        assert.deepStrictEqual(yield* usage(key), {
          period_start: "2026-05-01T00:00:00.000000Z",
          period_end: "2026-06-01T00:00:00.000000Z",
          events: { used: 2, limit: 10_000 },
          exports: { used: 1, limit: null }
        })
        time.advance(60 * Micros.SECOND)
        assert.deepInclude(yield* usage(key), {
          period_start: "2026-06-01T00:00:00.000000Z",
          events: { used: 0, limit: 10_000 },
          exports: { used: 0, limit: null }
        })
      })
    )
  )

  it.live("needs the scope admin", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { workspace } = yield* makeTenant()
        const { key } = yield* makeKey(workspace.id)
        assert.strictEqual((yield* send({ path: USAGE, key })).status, 403)
      })
    )
  )
})
