import { randomUUID } from "node:crypto"
import { BroadcastChannel } from "node:worker_threads"
import { MeterSet, Meters } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { mergedSamples } from "../../src/metrics/MergedSamples.ts"
import { SERVER_METRICS } from "../../src/metrics/ServerFamilies.ts"
import { hearReports, layerReporting, PATIENCE_MILLIS } from "../../src/thread/ThreadReports.ts"

const used = (samples: ReturnType<typeof mergedSamples>, thread: string) =>
  samples.find(({ name, labels }) => name === SERVER_METRICS.heapUsed.name && labels.thread === thread)

/** A channel's messages take a turn or two. */
const report = (thread: "log" | "delivery", channel: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Layer.build(layerReporting(thread, channel)).pipe(Scope.provide(scope))
    return Scope.close(scope, Exit.void)
  })

describe("the reports of threads", () => {
  it.live("are had of each thread that answers, without waiting any longer", () =>
    Effect.gen(function* () {
      const channel = randomUUID()
      yield* report("log", channel)
      yield* report("delivery", channel)
      const reports = yield* hearReports(channel, ["log", "delivery"])
      const began = performance.now()
      yield* reports.ask
      assert.isBelow(performance.now() - began, PATIENCE_MILLIS)
      assert.isDefined(used(reports.samples(), "log"))
      assert.isDefined(used(reports.samples(), "delivery"))
      assert.isBelow(reports.age("log") ?? Number.NaN, 0.4)
    }).pipe(Effect.scoped)
  )

  it.live("are what a thread that hangs has said last, and say how old that is", () =>
    Effect.gen(function* () {
      const channel = randomUUID()
      const hang = yield* report("log", channel)
      const reports = yield* hearReports(channel, ["log", "delivery"])
      yield* reports.ask
      yield* hang
      yield* Effect.sleep(300)
      const began = performance.now()
      yield* reports.ask
      const took = performance.now() - began
      assert.isAtLeast(took, PATIENCE_MILLIS - 50)
      assert.isBelow(took, PATIENCE_MILLIS + 1_000)
      assert.isDefined(used(reports.samples(), "log"))
      assert.isAtLeast(reports.age("log") ?? 0, 0.7)
      assert.isUndefined(used(reports.samples(), "delivery"))
      assert.isAtLeast(reports.age("delivery") ?? 0, 0.7)
    }).pipe(Effect.scoped)
  )

  it.live("are none of what does not look like one", () =>
    Effect.gen(function* () {
      const name = randomUUID()
      const reports = yield* hearReports(name, ["log"])
      const channel = new BroadcastChannel(name)
      for (const message of ["", null, { answers: 1, thread: "other", samples: [] }, { asks: "x" }])
        channel.postMessage(message)
      yield* reports.ask
      channel.close()
      assert.deepStrictEqual(reports.samples(), [])
    }).pipe(Effect.scoped)
  )
})

describe("the samples of several threads", () => {
  it("are one series each: counts add up, and the larger gauge holds", () => {
    const [one, other] = [new MeterSet(), new MeterSet()]
    const family = { ...SERVER_METRICS.requestDuration, labels: {}, bounds: [1, 2] }
    for (const [set, values] of [
      [one, [0.5, 1, 5]],
      [other, [1.5]]
    ] as const) {
      for (const value of values) set.histogram(family).observe(value)
      set.counter(SERVER_METRICS.errors, { code: "internal" }).add(values.length)
      set.observed(SERVER_METRICS.inboxEvents, () => values.length)
    }
    one.observed(SERVER_METRICS.inboxAge, () => undefined)
    assert.deepStrictEqual(
      mergedSamples([...one.samples(), ...other.samples()]).map(({ state }) => state),
      [
        { type: "histogram", counts: [2, 1, 1], sum: 8 },
        { type: "counter", value: 4 },
        { type: "gauge", value: 3 }
      ]
    )
  })

  it("are those of the parts that count together", () => {
    const set = new MeterSet()
    set.counter(SERVER_METRICS.errors, { code: "internal" }).add(1)
    set.counter(SERVER_METRICS.errors, { code: "internal" }).add(1)
    assert.deepStrictEqual(
      set.samples().map(({ state }) => state),
      [{ type: "counter", value: 2 }]
    )
  })

  it.effect("are a thread's own where it has meters of its own", () =>
    Effect.gen(function* () {
      const fresh = new MeterSet()
      const found = yield* Effect.provideService(Effect.service(Meters), Meters, fresh)
      assert.strictEqual(found, fresh)
    })
  )
})
