import { Micros } from "@cairn/core/encoding"
import { COMMAND_LINE, WorkspaceManagement, type WorkspaceUpdate } from "@cairn/core/management"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { standing } from "./StandingClock.ts"
import { EVENT, makeKey, makeTenant, send, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const USAGE = "/api/v1/usage"

/** A minute before the month ends. */
const withClock = <A, E, R>(
  test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>,
  start = "2026-05-31T23:59:00Z"
) => {
  const time = manualClock(Micros.parse(start) ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

/** As the operator does it, with the command. */
const operate = (workspaceId: string, change: WorkspaceUpdate) =>
  Effect.flatMap(WorkspaceManagement, ({ update }) => update(COMMAND_LINE, workspaceId, change))

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
        const { key, workspace } = yield* makeTenant({ overrides: { events_per_month: 1 } })
        const body = { ...EVENT, idempotency_key: "once" }
        assert.strictEqual((yield* send({ path: EVENTS, key, body })).status, 202)
        const again = yield* send({ path: EVENTS, key, body })
        assert.strictEqual(again.json().status, "duplicate")
        yield* operate(workspace.id, { overrides: { events_per_month: 3 } })
        time.advance(Micros.SECOND)
        assert.strictEqual((yield* send({ path: EVENTS, key, body: EVENT })).status, 202)
      })
    )
  )
})

describe("A plan that is changed in mid-month", () => {
  it.live("holds at once over what the month has had, down and up, and the next month begins with it", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ overrides: { events_per_month: null } })
        const change = Effect.fnUntraced(function* (update: WorkspaceUpdate) {
          yield* operate(workspace.id, update)
          time.advance(2 * Micros.SECOND)
        })
        const batch = Effect.fnUntraced(function* (count: number) {
          const events = Array.from({ length: count }, () => EVENT)
          const response = yield* send({ path: `${EVENTS}/batch`, key, body: { events } })
          if (response.status !== 202) return response.status
          const items = response.json<{ events: ReadonlyArray<{ status: string }> }>().events
          return items.map(({ status }) => status.at(0)).join("")
        })
        assert.strictEqual(yield* batch(5), "qqqqq")
        const { used } = (yield* usage(key)).events as { used: number }
        yield* change({ overrides: { events_per_month: used + 3 } })
        // The change is an event as well, and counts like any other.
        const room = used + 3 - ((yield* usage(key)).events as { used: number }).used
        assert.strictEqual(yield* batch(room + 2), `${"q".repeat(room)}rr`)
        assert.strictEqual(yield* batch(1), 429)
        yield* change({ overrides: { events_per_month: 1 } })
        assert.deepInclude((yield* usage(key)).events, { limit: 1 })
        assert.isAbove(((yield* usage(key)).events as { used: number }).used, 1)
        assert.strictEqual(yield* batch(1), 429)
        yield* change({ plan: "free", overrides: {} })
        assert.deepInclude((yield* usage(key)).events, { limit: 10_000 })
        assert.strictEqual(yield* batch(2), "qq")
        yield* change({ overrides: { events_per_month: 1 } })
        time.advance(Micros.MINUTE)
        assert.deepStrictEqual((yield* usage(key)).events, { used: 0, limit: 1 })
        assert.strictEqual(yield* batch(3), "qrr")
      })
    )
  )

  it.live("holds for exports too", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ overrides: { exports_per_month: 1 } })
        const ask = Effect.map(send({ path: "/api/v1/exports", key, body: {} }), ({ status }) => status)
        const change = (exports_per_month: number) =>
          operate(workspace.id, { overrides: { exports_per_month } })
        assert.strictEqual(yield* ask, 202)
        assert.strictEqual(yield* ask, 429)
        yield* change(2)
        assert.strictEqual(yield* ask, 202)
        assert.strictEqual(yield* ask, 429)
        yield* change(1)
        assert.deepStrictEqual((yield* usage(key)).exports, { used: 2, limit: 1 })
        time.advance(Micros.MINUTE)
        assert.strictEqual(yield* ask, 202)
      })
    )
  )
})

describe("A month", () => {
  for (const [last, seconds] of [
    ["2024-02-28T23:59:59Z", 86_401],
    ["2024-02-29T23:59:59Z", 1],
    ["2025-02-28T23:59:59Z", 1],
    ["2025-12-31T23:59:30Z", 30],
    ["2025-04-30T00:00:00Z", 86_400]
  ] as const) {
    it.live(`of which ${seconds} s are left at ${last} begins anew then, for events and exports`, () =>
      withClock(
        (time) =>
          Effect.gen(function* () {
            const { key } = yield* makeTenant({ overrides: { events_per_month: 1, exports_per_month: 1 } })
            const asks = [
              send({ path: EVENTS, key, body: EVENT }),
              send({ path: "/api/v1/exports", key, body: {} })
            ]
            for (const ask of asks) {
              assert.strictEqual((yield* ask).status, 202)
              const over = yield* ask
              assert.strictEqual(over.status, 429)
              assert.strictEqual(over.headers["retry-after"], String(seconds))
            }
            time.advance(seconds * Micros.SECOND - 1)
            for (const ask of asks) assert.strictEqual((yield* ask).headers["retry-after"], "1")
            time.advance(1)
            for (const ask of asks) assert.strictEqual((yield* ask).status, 202)
          }),
        last
      )
    )
  }
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
          // The event that says who exported what costs nothing.
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
