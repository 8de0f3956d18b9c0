import type { Facets, FacetsRequest, Histogram, HistogramRequest } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { type CountRuns, HISTOGRAM_KEPT_MILLIS, makeCountRuns } from "../../../src/http/limits/CountRuns.ts"
import { PATIENCE_MILLIS } from "../../../src/http/limits/SharedRuns.ts"

/** Counts that last until they are let go, and give one more each time. */
const held = Effect.gen(function* () {
  const begun: Array<Deferred.Deferred<void>> = []
  let ended = 0
  const count = Effect.gen(function* () {
    const gate = Deferred.makeUnsafe<void>()
    const number = begun.push(gate)
    yield* Deferred.await(gate).pipe(Effect.onInterrupt(() => Effect.sync(() => ended++)))
    return number
  })
  const histogram = Effect.map(
    count,
    (number): Histogram => ({ bucket_seconds: number, buckets: [{ start: "", count: 1 }] })
  )
  const facets = Effect.map(
    count,
    (events): Facets => ({ field: "action", values: [], events, complete: true })
  )
  const runs = yield* makeCountRuns({
    count: () => count,
    histogram: () => histogram,
    facets: () => facets
  })
  return {
    runs,
    begun: () => begun.length,
    ended: () => ended,
    letGo: (index: number) => Deferred.succeed(begun[index] ?? Deferred.makeUnsafe<void>(), undefined)
  }
})

/** Lets everything go on that can. */
const settled = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow)

const request = (search: string, workspaceId = "w"): HistogramRequest & FacetsRequest => ({
  workspaceId,
  filter: search === "" ? { action: "a" } : { search },
  visibleFrom: null,
  buckets: 60,
  field: "action",
  prefix: ""
})

const numberOf = (found: number | Histogram | Facets): number => {
  if (typeof found === "number") return found
  return "events" in found ? found.events : found.bucket_seconds
}

const ask = (runs: CountRuns, way: keyof CountRuns, search: string, workspaceId?: string) =>
  Effect.gen(function* () {
    const answer: Effect.Effect<number | Histogram | Facets, unknown> = runs[way](
      request(search, workspaceId)
    )
    const number = Effect.map(answer, numberOf)
    const fiber = yield* Effect.forkChild(number)
    yield* settled
    return fiber
  })

/** The code of what it failed with, or its value. */
const outcome = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.map(Fiber.await(fiber), (exit) =>
    Exit.isSuccess(exit)
      ? exit.value
      : /rate_limited|unavailable|interrupt/i.exec(JSON.stringify(exit.cause))?.[0]
  )

const test = (
  name: string,
  body: (counts: Effect.Success<typeof held>) => Effect.Effect<void, unknown, Scope.Scope>
) => it.effect(name, () => Effect.scoped(Effect.flatMap(held, body)))

describe("counts in progress", () => {
  test("are shared by equal questions; one that began before a question is followed by another", (counts) =>
    Effect.gen(function* () {
      const first = yield* ask(counts.runs, "alone", "x")
      const others = [yield* ask(counts.runs, "alone", "x"), yield* ask(counts.runs, "ofList", "x")]
      assert.strictEqual(counts.begun(), 1)
      yield* counts.letGo(0)
      yield* settled
      assert.strictEqual(counts.begun(), 2)
      yield* counts.letGo(1)
      assert.deepStrictEqual(yield* Effect.forEach([first, ...others], outcome), [1, 2, 2])
    }))

  test("are two at a time a workspace: a third is told to come back, one of a list waits", (counts) =>
    Effect.gen(function* () {
      const [one, list] = [yield* ask(counts.runs, "alone", ""), yield* ask(counts.runs, "ofList", "y")]
      assert.strictEqual(yield* outcome(yield* ask(counts.runs, "alone", "z")), "rate_limited")
      const waiting = yield* ask(counts.runs, "ofList", "z")
      const elsewhere = yield* ask(counts.runs, "alone", "z", "other")
      const quick = yield* ask(counts.runs, "ofList", "", "w2")
      assert.strictEqual(counts.begun(), 4)
      yield* counts.letGo(0)
      yield* settled
      assert.strictEqual(counts.begun(), 5)
      for (const index of [1, 2, 3, 4]) yield* counts.letGo(index)
      const all = [one, list, elsewhere, quick, waiting]
      assert.deepStrictEqual(yield* Effect.forEach(all, outcome), [1, 2, 3, 4, 5])
    }))

  test("are ended when the last who waits goes", (counts) =>
    Effect.gen(function* () {
      const [one, other] = [yield* ask(counts.runs, "alone", "x"), yield* ask(counts.runs, "alone", "x")]
      yield* Fiber.interrupt(one)
      yield* settled
      assert.strictEqual(counts.ended(), 0)
      yield* Fiber.interrupt(other)
      yield* settled
      assert.strictEqual(counts.ended(), 1)
      const again = yield* ask(counts.runs, "alone", "x")
      yield* counts.letGo(1)
      assert.strictEqual(yield* outcome(again), 2)
    }))

  test("go on when a list has waited long enough, and whoever asks again finds them", (counts) =>
    Effect.gen(function* () {
      const running = [yield* ask(counts.runs, "ofList", "x"), yield* ask(counts.runs, "ofList", "y")]
      const waiting = yield* ask(counts.runs, "ofList", "z")
      yield* TestClock.adjust(PATIENCE_MILLIS - 1)
      assert.isUndefined(running[0]?.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Effect.forEach([...running, waiting], outcome), [
        "unavailable",
        "unavailable",
        "unavailable"
      ])
      yield* settled
      assert.deepStrictEqual([counts.begun(), counts.ended()], [2, 0])
      const again = yield* ask(counts.runs, "ofList", "x")
      yield* Fiber.interrupt(again)
      yield* settled
      assert.strictEqual(counts.ended(), 0, "it is kept, whoever goes")
      const found = yield* ask(counts.runs, "alone", "x")
      yield* counts.letGo(0)
      yield* settled
      yield* counts.letGo(2)
      assert.strictEqual(yield* outcome(found), 3, "counted once more, for what came since")
    }))

  test("of the histograms of searches, a workspace has two; one is kept a minute for who comes back", (counts) =>
    Effect.gen(function* () {
      const { runs } = counts
      yield* Fiber.interrupt(yield* ask(runs, "histogram", "gone"))
      yield* settled
      assert.deepStrictEqual([counts.begun(), counts.ended()], [1, 1], "it ends with its client")
      const total = yield* ask(runs, "alone", "x")
      const both = [yield* ask(runs, "histogram", "x"), yield* ask(runs, "histogram", "y")]
      const waiting = yield* ask(runs, "histogram", "z")
      assert.strictEqual(counts.begun(), 4, "a total has places of its own")
      yield* TestClock.adjust(PATIENCE_MILLIS)
      assert.deepStrictEqual(yield* Effect.forEach([...both, waiting], outcome), [
        "unavailable",
        "unavailable",
        "unavailable"
      ])
      yield* Fiber.interrupt(total)
      yield* settled
      assert.strictEqual(counts.ended(), 2, "those that clients were told to come back for go on")
      yield* counts.letGo(2)
      yield* counts.letGo(3)
      yield* settled
      assert.strictEqual(yield* outcome(yield* ask(runs, "histogram", "x")), 3)
      assert.strictEqual(yield* outcome(yield* ask(runs, "histogram", "y")), 4)
      yield* TestClock.adjust(HISTOGRAM_KEPT_MILLIS - 1)
      assert.strictEqual(yield* outcome(yield* ask(runs, "histogram", "x")), 3)
      yield* TestClock.adjust(1)
      const anew = yield* ask(runs, "histogram", "x")
      yield* counts.letGo(4)
      assert.strictEqual(yield* outcome(anew), 5)
    }))
})
