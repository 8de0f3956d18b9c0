import { Micros } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import { EventCounts, EventHistogram, EventLog } from "@cairn/core/log"
import { MemoryStorage } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as FastCheck from "fast-check"
import { bucketSeconds } from "../../src/log/EventHistogram.ts"

const generated = generatedTests(import.meta.url)

describe("The length of a histogram's buckets", () => {
  const moment = FastCheck.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * Micros.SECOND)

  it("is such that no more than the asked-for number reach from the first moment to the last", () => {
    generated.property(
      FastCheck.property(moment, moment, FastCheck.integer({ min: 1, max: 200 }), (one, other, buckets) => {
        const [first, last] = [Math.min(one, other), Math.max(one, other)]
        const length = bucketSeconds(first, last, buckets) * Micros.SECOND
        assert.isAtMost(Math.floor(last / length) - Math.floor(first / length) + 1, buckets)
      })
    )
  })

  it("is such for all years that times have, and two buckets where they are on both sides of 1970", () => {
    const [first = 0, last = 0] = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"].map((text) =>
      Micros.parse(text)
    )
    for (const buckets of [2, 3, 7, 200]) {
      const length = bucketSeconds(first, last, buckets) * Micros.SECOND
      assert.isAtMost(Math.floor(last / length) - Math.floor(first / length) + 1, buckets)
    }
  })

  it("is the shortest of those that people read easily", () => {
    const noon = Micros.parse("2026-05-01T12:00:00Z") ?? 0
    for (const [span, buckets, seconds] of [
      [0, 1, 1],
      [59, 60, 1],
      [60, 60, 5],
      [3_600, 61, 60],
      [86_400, 60, 3_600],
      [365 * 86_400, 60, 7 * 86_400]
    ] as const) {
      assert.strictEqual(bucketSeconds(noon, noon + span * Micros.SECOND, buckets), seconds)
    }
  })
})

describe("The histogram of a search", () => {
  const NOON = Micros.parse("2026-05-01T12:00:00Z") ?? 0
  /** When the events were recorded that have the term, newest first: an hour apart. */
  const recorded = Array.from({ length: 40 }, (_, index) => NOON - index * 3_600 * Micros.SECOND)

  /**
   * The histogram over a log in which a search finds these, and what that was asked for. A term of two
   * letters is looked for in part of it.
   */
  const read = Effect.fnUntraced(function* (filter: EventFilter) {
    const asked: Array<string> = []
    const lookUp = <A>(name: string, answer: A) =>
      Effect.sync(() => {
        asked.push(name)
        return answer
      })
    const searched = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) =>
        EventLog.of({
          ...log,
          count: (_, { search }) => lookUp("count", search === "ad" ? 3 : recorded.length),
          page: () => lookUp("page", []),
          moments: (_, { limit }) => lookUp("moments", recorded.slice(0, limit))
        })
      )
    ).pipe(Layer.provide(MemoryStorage.layer()))
    const layer = EventHistogram.layer.pipe(Layer.provide(EventCounts.layer), Layer.provide(searched))
    const histogram = yield* Effect.flatMap(EventHistogram, (service) =>
      service.read({ workspaceId: "wsp_1", filter, visibleFrom: null, buckets: 60 })
    ).pipe(Effect.provide(layer))
    return { asked, histogram }
  })

  it.effect("looks the term up once for its total and once for all buckets, and counts every event", () =>
    Effect.gen(function* () {
      const { asked, histogram } = yield* read({ search: "lovelace" })
      assert.deepStrictEqual(asked, ["count", "moments"])
      assert.strictEqual(histogram.bucket_seconds, 3_600)
      assert.deepStrictEqual(
        histogram.buckets,
        recorded.toReversed().map((at) => ({ start: Micros.format(at), count: 1 }))
      )
    })
  )

  it.effect("counts no more than the list says there are", () =>
    Effect.gen(function* () {
      const { histogram } = yield* read({ search: "ad" })
      assert.strictEqual(
        histogram.buckets.reduce((sum, { count }) => sum + count, 0),
        3
      )
      assert.strictEqual(histogram.buckets.at(-1)?.start, Micros.format(NOON))
    })
  )

  it.effect("looks nothing up without a term", () =>
    Effect.map(read({ search: "" }), ({ asked }) => assert.deepStrictEqual(asked, ["page"]))
  )
})
