import { Micros } from "@cairn/core/encoding"
import type { Histogram } from "@cairn/core/log"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { standing } from "./StandingClock.ts"
import { makeTenant, send, sequence, testServer } from "./TestServer.ts"

const HISTOGRAM = "/api/v1/events/histogram"

const withClock = <A, E, R>(test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

const accept = Effect.fnUntraced(function* (key: string, actor: string, count: number) {
  const events = Array.from({ length: count }, () => ({ actor_id: actor, action: "document.created" }))
  yield* send({ path: "/api/v1/events/batch", key, body: { events } })
  yield* sequence
})

const read = Effect.fnUntraced(function* (key: string, query = "") {
  const response = yield* send({ path: `${HISTOGRAM}?${query}`, key })
  assert.strictEqual(response.status, 200, response.text)
  return response.json<{ data: Histogram }>().data
})

describe("GET /api/v1/events/histogram", () => {
  /** Two of Ada's at noon, three of Bob's an hour and a minute later, one of Ada's a day after that. */
  const stage = Effect.fnUntraced(function* (time: ReturnType<typeof manualClock>) {
    const { key } = yield* makeTenant({ overrides: { retention_days: 30 } })
    yield* accept(key, "ada", 2)
    time.advance(61 * 60 * Micros.SECOND)
    yield* accept(key, "bob", 3)
    time.advance(Micros.DAY)
    yield* accept(key, "ada", 1)
    return key
  })

  it.live("counts what the list of the same conditions holds, in buckets of one length", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const key = yield* stage(time)
        assert.deepStrictEqual(yield* read(key), {
          bucket_seconds: 3_600,
          buckets: [
            { start: "2026-05-01T12:00:00.000000Z", count: 2 },
            { start: "2026-05-01T13:00:00.000000Z", count: 3 },
            { start: "2026-05-02T13:00:00.000000Z", count: 1 }
          ]
        })
        assert.deepStrictEqual(yield* read(key, "actor_id=ada&buckets=2"), {
          bucket_seconds: 86_400,
          buckets: [
            { start: "2026-05-01T00:00:00.000000Z", count: 2 },
            { start: "2026-05-02T00:00:00.000000Z", count: 1 }
          ]
        })
        assert.deepStrictEqual(
          (yield* read(key, "search=DOCUMENT&buckets=1")).buckets.map(({ count }) => count),
          [6]
        )
      })
    )
  )

  it.live("spans what satisfies the conditions, and not the log", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const key = yield* stage(time)
        assert.deepStrictEqual(yield* read(key, "actor_id=bob"), {
          bucket_seconds: 1,
          buckets: [{ start: "2026-05-01T13:01:00.000000Z", count: 3 }]
        })
        assert.deepStrictEqual((yield* read(key, "actor_id=nobody")).buckets, [])
        const window = "from=2026-05-01T13:00:00Z&to=2026-05-01T14:00:00Z"
        assert.deepStrictEqual(
          (yield* read(key, window)).buckets.map(({ count }) => count),
          [3]
        )
      })
    )
  )

  it.live("counts nothing that has left the retention window", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const key = yield* stage(time)
        time.advance(29 * Micros.DAY + Micros.SECOND)
        assert.deepStrictEqual(
          (yield* read(key)).buckets.map(({ count }) => count),
          [1]
        )
      })
    )
  )

  it.live("refuses a number of buckets out of bounds by name", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        for (const buckets of ["0", "201", "many"]) {
          const response = yield* send({ path: `${HISTOGRAM}?buckets=${buckets}`, key })
          assert.strictEqual(response.status, 400)
          assert.include(response.text, "buckets: ")
        }
      })
    )
  )
})
