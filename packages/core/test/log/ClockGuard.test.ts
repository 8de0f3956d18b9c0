import { layerManualClock, manualClock } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as FastCheck from "fast-check"
import * as Micros from "../../src/encoding/Micros.ts"
import { ClockGuard, MAX_AHEAD_SECONDS, readClocks } from "../../src/log/ClockGuard.ts"

const generated = generatedTests(import.meta.url)

const NOON = Micros.parse("2024-05-01T12:00:00.123456Z") ?? 0
const HOUR = 3_600 * Micros.SECOND
const LIMIT = MAX_AHEAD_SECONDS * Micros.SECOND

const now = Effect.flatMap(ClockGuard, (guard) => guard.now)

/** A guard that was built at noon, and the clock that it watches. */
const guarded = () => {
  const clock = manualClock(NOON)
  return { clock, layer: ClockGuard.layer.pipe(Layer.provideMerge(layerManualClock(clock))) }
}

describe("the guarded clock", () => {
  it.effect("tells the wall clock's time to the microsecond", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      assert.strictEqual(yield* now, NOON)
      clock.advance(1)
      assert.strictEqual(yield* now, NOON + 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is believed for as long as the process runs", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      clock.advance(3_650 * Micros.DAY)
      assert.strictEqual(yield* now, NOON + 3_650 * Micros.DAY)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is believed when it leaps ahead by a minute, and not by a microsecond more", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      clock.leap(LIMIT)
      assert.strictEqual(yield* now, NOON + LIMIT)
      clock.leap(1)
      assert.strictEqual((yield* Effect.flip(now)).aheadSeconds, MAX_AHEAD_SECONDS)
    }).pipe(Effect.provide(layer))
  })

  it.effect("says how many seconds it is ahead, be it a year", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      clock.leap(365 * Micros.DAY)
      clock.advance(HOUR)
      assert.strictEqual((yield* Effect.flip(now)).aheadSeconds, 365 * 86_400)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is believed again once it has come back, and not before", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      clock.leap(HOUR)
      yield* Effect.flip(now)
      clock.advance(10 * HOUR)
      yield* Effect.flip(now)
      clock.leap(LIMIT - HOUR)
      assert.strictEqual(yield* now, NOON + 10 * HOUR + LIMIT)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is found out when it creeps ahead, step by small step", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      for (let second = 0; second < MAX_AHEAD_SECONDS; second++) {
        clock.leap(Micros.SECOND)
        yield* now
      }
      clock.leap(Micros.SECOND)
      yield* Effect.flip(now)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is believed when it steps back, and when it then returns", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      clock.leap(-HOUR)
      assert.strictEqual(yield* now, NOON - HOUR)
      clock.leap(HOUR)
      assert.strictEqual(yield* now, NOON)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is believed anew by a guard that was built after the leap", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      clock.leap(365 * Micros.DAY)
      yield* Effect.flip(now)
      const later = yield* now.pipe(Effect.provide(Layer.fresh(ClockGuard.layer)))
      assert.strictEqual(later, NOON + 365 * Micros.DAY)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is not believed by a guard that was built after the leap and goes on from before it", () => {
    const { clock, layer } = guarded()
    return Effect.gen(function* () {
      const begun = yield* readClocks
      clock.advance(HOUR)
      clock.leap(365 * Micros.DAY)
      const later = Layer.fresh(ClockGuard.layerSince(begun))
      assert.strictEqual((yield* Effect.flip(now).pipe(Effect.provide(later))).aheadSeconds, 365 * 86_400)
      clock.leap(-365 * Micros.DAY)
      assert.strictEqual(yield* now.pipe(Effect.provide(later)), NOON + HOUR)
    }).pipe(Effect.provide(layer))
  })

  it.effect("reckons on while it cannot be believed, and by the wall clock whenever it can", () => {
    const { clock, layer } = guarded()
    const reckoned = Effect.flatMap(ClockGuard, (guard) => guard.reckoned)
    return Effect.gen(function* () {
      for (const [leap, expected] of [
        [LIMIT, LIMIT],
        [1, 0],
        [365 * Micros.DAY, 0],
        [-365 * Micros.DAY - LIMIT - 1 - HOUR, -HOUR]
      ] as const) {
        clock.leap(leap)
        assert.strictEqual(yield* reckoned, NOON + expected)
      }
    }).pipe(Effect.provide(layer))
  })

  it("is believed exactly when it is at most a minute ahead of the time that passed, whatever happened to it", () => {
    const move = FastCheck.record({
      leaps: FastCheck.boolean(),
      micros: FastCheck.integer({ min: -2 * LIMIT, max: 2 * LIMIT })
    })
    generated.property(
      FastCheck.property(FastCheck.array(move, { maxLength: 20 }), (moves) => {
        const { clock, layer } = guarded()
        let [ahead, passed] = [0, 0]
        const program = Effect.gen(function* () {
          for (const { leaps, micros } of moves) {
            if (leaps) {
              clock.leap(micros)
              ahead += micros
            } else {
              clock.advance(Math.abs(micros))
              passed += Math.abs(micros)
            }
            const told = yield* Effect.result(now)
            assert.strictEqual(Result.isSuccess(told), ahead <= LIMIT)
            if (Result.isSuccess(told)) assert.strictEqual(told.success, NOON + passed + ahead)
          }
        })
        Effect.runSync(program.pipe(Effect.provide(layer)))
      })
    )
  })
})
