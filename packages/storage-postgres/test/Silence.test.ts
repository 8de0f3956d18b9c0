/** When a server counts as silent. */
import { assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeSilence } from "../src/Silence.ts"

describe("a server that statements wait for", () => {
  let now = 0
  beforeEach(() => {
    now = 0
    vi.spyOn(performance, "now").mockImplementation(() => now)
    return () => vi.restoreAllMocks()
  })

  /** A watch that runs, over a server that says something for as long as `alive`. */
  const watched = Effect.gen(function* () {
    const server = { alive: true, asked: 0, silences: 0 }
    const silence = makeSilence({
      answers: Effect.sync(() => {
        server.asked++
        return server.alive
      }),
      silent: Effect.sync(() => {
        server.silences++
      })
    })
    yield* Effect.forkScoped(silence.watch)
    const pass = Effect.fnUntraced(function* (seconds: number) {
      for (let second = 0; second < seconds; second++) {
        now += 1_000
        yield* TestClock.adjust("1 second")
      }
    })
    return { server, silence, pass }
  })

  it.effect("is not asked while nothing waits, nor while it answers others", () =>
    Effect.gen(function* () {
      const { server, silence, pass } = yield* watched
      yield* pass(60)
      silence.asked()
      for (let count = 0; count < 30; count++) {
        silence.asked()
        yield* pass(2)
        silence.heard()
      }
      silence.heard()
      yield* pass(60)
      assert.deepStrictEqual(server, { alive: true, asked: 0, silences: 0 })
    })
  )

  it.effect("is asked while a statement takes long, and left alone if it is there", () =>
    Effect.gen(function* () {
      const { server, silence, pass } = yield* watched
      silence.asked()
      yield* pass(60)
      assert.deepStrictEqual(server, { alive: true, asked: 12, silences: 0 })
    })
  )

  it.effect("is silent if it answers neither the statement nor three questions, once each time", () =>
    Effect.gen(function* () {
      const { server, silence, pass } = yield* watched
      server.alive = false
      silence.asked()
      yield* pass(4)
      assert.deepStrictEqual(server, { alive: false, asked: 0, silences: 0 })
      yield* pass(6)
      assert.deepStrictEqual(server, { alive: false, asked: 3, silences: 0 })
      yield* pass(60)
      assert.deepStrictEqual(server, { alive: false, asked: 3, silences: 1 })
      silence.gone()
      silence.asked()
      yield* pass(12)
      assert.strictEqual(server.silences, 2)
    })
  )

  it.effect("is left alone if one question fails, at once as those do to which nobody listens", () =>
    Effect.gen(function* () {
      const { server, silence, pass } = yield* watched
      server.alive = false
      silence.asked()
      yield* pass(6)
      server.alive = true
      yield* pass(60)
      assert.strictEqual(server.silences, 0)
    })
  )

  it.effect("is asked though whoever waited for it gave up, again and again", () =>
    Effect.gen(function* () {
      const { server, silence, pass } = yield* watched
      server.alive = false
      for (let count = 0; count < 6; count++) {
        silence.asked()
        yield* pass(2)
        silence.gone()
      }
      assert.strictEqual(server.silences, 1)
    })
  )
})
