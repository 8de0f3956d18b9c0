import { Meters, StoreWait } from "@cairn/core/log"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { SERVER_METRICS } from "../../src/metrics/ServerFamilies.ts"
import { LONG_TURN_MILLIS, layer, report, TurnLog, TurnWatch } from "../../src/thread/TurnWatch.ts"

/** A log of turns over a clock that the test sets. */
const watched = () => {
  let now = 0
  const log = new TurnLog(() => now)
  return {
    log,
    pass: (millis: number) => {
      now += millis
    }
  }
}

const turnOver = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("long turns of the event loop", () => {
  it("a short turn says nothing", async () => {
    const { log, pass } = watched()
    log.touched({ route: "/api/v1/events" })
    pass(LONG_TURN_MILLIS)
    await turnOver()
    assert.isUndefined(log.take())
    assert.strictEqual(log.count(), 0)
  })

  it("a long one is counted once, by the routes that ran in it and no others", async () => {
    const { log, pass } = watched()
    log.touched({ route: "/api/v1/verify" })
    await turnOver()
    const late = { route: "" }
    log.touched(late)
    log.touched({ route: "/api/v1/events" })
    pass(300)
    // A route is known once the request has found it.
    late.route = "/api/v1/events/:id"
    await turnOver()
    // The timer was kept by it too.
    log.tick()
    assert.strictEqual(log.count(), 1)
    assert.strictEqual(log.count(), 0)
    assert.deepStrictEqual(log.take(), {
      turns: 1,
      longest: 300,
      spentIn: "code",
      routes: ["/api/v1/events", "/api/v1/events/:id"]
    })
    assert.isUndefined(log.take())
  })

  it("a turn that waited for a commit says so, with the requests that the commit ended", async () => {
    const { log, pass } = watched()
    pass(400)
    log.committed(390)
    log.touched({ route: "/api/v1/events" })
    pass(5)
    await turnOver()
    assert.deepStrictEqual(log.take(), {
      turns: 1,
      longest: 395,
      spentIn: "commit",
      routes: ["/api/v1/events"]
    })
  })

  it("one in which no request began or ended is found by the timer", () => {
    const { log, pass } = watched()
    for (const millis of [50, 60, 249, 50]) {
      pass(millis)
      log.tick()
    }
    assert.isUndefined(log.take())
    pass(1_050)
    log.tick()
    assert.deepStrictEqual(log.take(), { turns: 1, longest: 1_000, spentIn: "code", routes: [] })
  })

  it("a request that ends after the code that was long is named too", async () => {
    const { log, pass } = watched()
    log.tick()
    pass(900)
    log.touched({ route: "/api/v1/events/batch" })
    log.tick()
    await turnOver()
    assert.deepStrictEqual(log.take(), {
      turns: 1,
      longest: 850,
      spentIn: "code",
      routes: ["/api/v1/events/batch"]
    })
  })

  it("no more routes are named than a line should hold", async () => {
    const { log, pass } = watched()
    for (let index = 0; index < 100; index++) log.touched({ route: `/${index}` })
    pass(300)
    await turnOver()
    assert.lengthOf(log.take()?.routes ?? [], 16)
  })

  it.effect("a line is written at once and then at most once a minute, with all that came between", () => {
    const lines: Array<Record<string, unknown>> = []
    const logger = Logger.map(Logger.formatJson, (line) => {
      lines.push((JSON.parse(line) as { readonly annotations: Record<string, unknown> }).annotations)
    })
    return Effect.gen(function* () {
      const { log, pass } = watched()
      const longTurns = (yield* Meters).counter(SERVER_METRICS.longTurns, { thread: "main" })
      const before = longTurns.value
      const fiber = yield* Effect.forkChild(report(log))
      for (let turn = 0; turn < 3; turn++) {
        pass(300)
        log.tick()
        yield* TestClock.adjust("1 second")
      }
      assert.lengthOf(lines, 1)
      assert.strictEqual(longTurns.value - before, 3)
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(lines, 2)
      assert.deepInclude(lines[1], { turns: 2, total: 3, spentIn: "code" })
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.live("the thread it is built on is watched", () =>
    Effect.gen(function* () {
      const { touched } = yield* TurnWatch
      const waited = yield* StoreWait
      const longTurns = meteredValue("cairn_event_loop_long_turns_total", { thread: "main" })
      const before = (yield* longTurns) ?? 0
      const clock = new Int32Array(new SharedArrayBuffer(4))
      touched({ route: "/api/v1/events" })
      Atomics.wait(clock, 0, 0, 2 * LONG_TURN_MILLIS)
      waited(2 * LONG_TURN_MILLIS)
      while (((yield* longTurns) ?? 0) <= before) yield* Effect.sleep(10)
    }).pipe(Effect.provide(layer("main")))
  )
})
