import { Micros } from "@cairn/core/encoding"
import type { Facets } from "@cairn/core/log"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { standing } from "./StandingClock.ts"
import { makeTenant, send, sequence, testServer } from "./TestServer.ts"

const FACETS = "/api/v1/events/facets"

/** A server on a clock of its own, by which nothing takes long. */
const withClock = <A, E, R>(test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

const record = Effect.fnUntraced(function* (key: string, events: ReadonlyArray<object>) {
  yield* send({ path: "/api/v1/events/batch", key, body: { events } })
  yield* sequence
})

const read = Effect.fnUntraced(function* (key: string, query: string) {
  const response = yield* send({ path: `${FACETS}?${query}`, key })
  assert.strictEqual(response.status, 200, response.text)
  return response.json<{ data: Facets }>().data
})

const tokenOf = Effect.fnUntraced(function* (key: string, body: object) {
  const response = yield* send({ path: "/api/v1/viewer-token", key, body })
  return response.json<{ token: string }>().token
})

/** Of two tenants: Ada creates twice and deletes once, Bob creates once. */
const stage = Effect.gen(function* () {
  const { key } = yield* makeTenant({ overrides: { retention_days: 30 } })
  yield* record(key, [
    { actor_id: "ada", action: "document.created", tenant_id: "acme" },
    { actor_id: "ada", action: "document.created", tenant_id: "globex" },
    { actor_id: "ada", actor_name: "Ada Lovelace", action: "document.deleted", tenant_id: "acme" },
    { actor_id: "bob", action: "document.created", tenant_id: "globex" }
  ])
  return key
})

const pairsOf = ({ values }: Facets) => values.map(({ value, count }) => [value, count])

describe("GET /api/v1/events/facets", () => {
  it.live("answers the most frequent values of a field with their counts, and of how many events", () =>
    withClock(() =>
      Effect.gen(function* () {
        const key = yield* stage
        assert.deepStrictEqual(yield* read(key, "field=action"), {
          field: "action",
          values: [
            { value: "document.created", label: null, type: null, count: 3 },
            { value: "document.deleted", label: null, type: null, count: 1 }
          ],
          events: 4,
          complete: true
        })
        assert.deepStrictEqual(pairsOf(yield* read(key, "field=actor&action=document.created")), [
          ["ada", 2],
          ["bob", 1]
        ])
        assert.deepStrictEqual(pairsOf(yield* read(key, "field=action&prefix=DOCUMENT.D")), [
          ["document.deleted", 1]
        ])
        assert.deepStrictEqual((yield* read(key, "field=action&prefix=nothing")).values, [])
        assert.deepStrictEqual((yield* read(key, "field=actor&prefix=LOVE")).values, [
          { value: "ada", label: "Ada Lovelace", type: null, count: 3 }
        ])
      })
    )
  )

  it.live("compares its times with when events were recorded, or occurred", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ overrides: { retention_days: 30 } })
        yield* record(key, [
          { actor_id: "old", action: "a", occurred_at: "2026-03-01T12:00:00Z" },
          { actor_id: "new", action: "a", occurred_at: "2026-05-01T11:00:00Z" },
          { actor_id: "none", action: "a" }
        ])
        const march = "field=actor&from=2026-03-01T00:00:00Z&to=2026-03-31T00:00:00Z"
        assert.deepStrictEqual(pairsOf(yield* read(key, march)), [])
        assert.deepStrictEqual(pairsOf(yield* read(key, `${march}&time=recorded`)), [])
        // What is kept goes by when it was recorded.
        assert.deepStrictEqual(yield* read(key, `${march}&time=occurred`), {
          field: "actor",
          values: [{ value: "old", label: null, type: null, count: 1 }],
          events: 1,
          complete: true
        })
        const sinceNoon = "field=actor&from=2026-05-01T12:00:00Z"
        assert.deepStrictEqual(pairsOf(yield* read(key, `${sinceNoon}&time=occurred`)), [["none", 1]])
        assert.lengthOf((yield* read(key, sinceNoon)).values, 3)
        const token = yield* tokenOf(key, { actor_id: "new" })
        assert.deepStrictEqual(pairsOf(yield* read(token, "field=actor&time=occurred")), [["new", 1]])
      })
    )
  )

  it.live("counts within the restriction of a viewer token, and nothing outside it", () =>
    withClock(() =>
      Effect.gen(function* () {
        const key = yield* stage
        const token = yield* tokenOf(key, { tenant_id: "acme" })
        assert.deepStrictEqual(pairsOf(yield* read(token, "field=actor")), [["ada", 2]])
        assert.deepStrictEqual(pairsOf(yield* read(token, "field=tenant_id")), [["acme", 2]])
        assert.deepStrictEqual(yield* read(token, "field=actor&tenant_id=globex"), {
          field: "actor",
          values: [],
          events: 0,
          complete: true
        })
      })
    )
  )

  it.live("counts nothing that has left the retention window", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const key = yield* stage
        time.advance(29 * Micros.DAY)
        yield* record(key, [{ actor_id: "eve", action: "document.read" }])
        time.advance(2 * Micros.DAY)
        for (const query of ["field=actor", "field=actor&time=occurred"])
          assert.deepStrictEqual(pairsOf(yield* read(key, query)), [["eve", 1]], query)
      })
    )
  )

  it.live("refuses by name an unknown field, a missing one, and a prefix that nothing can have", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        for (const [query, reason] of [
          ["", "field: must be given, as one of action, actor, resource, "],
          ["field=metadata", "field: must be one of action, actor, resource, "],
          ["field=actor&field=action", "field: must be given once"],
          ["field=actor&prefix=a&prefix=b", "prefix: must be given once"],
          ["field=actor&prefix=a%00", "prefix: must not contain U+0000"],
          ["field=actor&prefix=%ED%A0%80", "prefix: must be percent-encoded UTF-8"],
          [`field=actor&prefix=${"a".repeat(1_025)}`, "prefix: must have at most 1024 characters"]
        ] as const) {
          const response = yield* send({ path: `${FACETS}?${query}`, key })
          assert.strictEqual(response.status, 400, query)
          assert.include(response.text, reason)
        }
      })
    )
  )
})
