import { assert, describe, it } from "@effect/vitest"
import { MINUTE, SECOND } from "../../src/encoding/Micros.ts"
import {
  type BreakerState,
  closedBreaker,
  mayTry,
  noteFailure,
  noteSuccess,
  streamStatus
} from "../../src/outbound/CircuitBreaker.ts"

const NOON = 1_714_564_800_000_000

/**
 * A destination that fails whenever it may be tried, for `attempts` times; what was waited for in seconds,
 * and when its owners were told.
 */
const outage = (attempts: number, random = 0) => {
  let state: BreakerState = closedBreaker
  let now = NOON
  const waits: Array<number> = []
  const told: Array<number> = []
  for (let attempt = 0; attempt < attempts; attempt++) {
    const failed = noteFailure(state, { now, retryAfter: null, random })
    state = failed.state
    const until = state.open_until ?? now
    waits.push((until - now) / SECOND)
    if (failed.tell) told.push((now - NOON) / SECOND)
    now = until
  }
  return { state, waits, told }
}

describe("CircuitBreaker", () => {
  it("does not wait for a moment that a clock running ahead has noted", () => {
    const { state } = noteFailure(closedBreaker, {
      now: NOON + 525_600 * MINUTE,
      retryAfter: null,
      random: 0
    })
    assert.isTrue(mayTry(state, NOON))
    const { state: longest } = outage(40, 0.999)
    assert.isFalse(mayTry(longest, (longest.open_until ?? 0) - 5 * MINUTE))
  })

  it("lets a healthy destination be tried at any time", () => {
    assert.isTrue(mayTry(closedBreaker, 0))
    assert.strictEqual(streamStatus(closedBreaker), "healthy")
  })

  it("waits twice as long after each failure, up to five minutes", () => {
    assert.deepStrictEqual(outage(12).waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    assert.strictEqual(outage(2_000).waits.at(-1), 300)
  })

  it("prolongs a wait by up to a fifth", () => {
    assert.deepStrictEqual(outage(3, 0.5).waits, [1.1, 2.2, 4.4])
  })

  it("lets nothing be tried until the wait is over, and then one batch", () => {
    const { state } = noteFailure(closedBreaker, { now: NOON, retryAfter: null, random: 0 })
    assert.isFalse(mayTry(state, NOON + SECOND - 1))
    assert.isTrue(mayTry(state, NOON + SECOND))
    assert.strictEqual(streamStatus(state), "retrying")
  })

  it("waits as long as the destination asks, up to five minutes", () => {
    const wait = (retryAfter: number) => {
      const { state } = noteFailure(closedBreaker, { now: NOON, retryAfter, random: 0 })
      return ((state.open_until ?? 0) - NOON) / SECOND
    }
    assert.strictEqual(wait(30 * SECOND), 30)
    assert.strictEqual(wait(60 * MINUTE), 300)
    assert.strictEqual(wait(0), 1)
  })

  it("calls it down after ten minutes, and says so once", () => {
    const { told, state } = outage(200)
    assert.lengthOf(told, 1)
    // The first attempt that fails ten minutes or more after the first: 511 seconds are too few.
    assert.deepStrictEqual(told, [811])
    assert.strictEqual(streamStatus(state), "down")
  })

  it("begins anew with one success, so that the next outage is told of again", () => {
    assert.deepStrictEqual(noteSuccess(), closedBreaker)
    assert.lengthOf(outage(20).told, 1)
  })
})
