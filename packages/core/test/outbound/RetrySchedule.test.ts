import { Micros } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { nextAttempt, noteAttempt, parseRetryAfter, RETRY_DELAYS } from "../../src/outbound/RetrySchedule.ts"

const NOON = Micros.parse("2024-05-01T12:00:00Z") ?? 0

const wait = (attempts: number, random = 0, retryAfter: number | null = null): number | null => {
  const next = nextAttempt(
    { attempts, endedAt: NOON, retryAfter: retryAfter === null ? null : retryAfter * Micros.SECOND },
    random
  )
  return next === null ? null : (next - NOON) / Micros.SECOND
}

describe("RetrySchedule", () => {
  it("tries at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, and no more", () => {
    assert.strictEqual(RETRY_DELAYS[0], 0)
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => wait(attempts)),
      [5, 300, 1800, 7200, 18_000, 36_000, 36_000, null]
    )
  })

  it("prolongs a wait by up to a fifth, and never shortens it", () => {
    assert.strictEqual(wait(2, 0.5), 330)
    assert.strictEqual(wait(2, 0.999999), 359.99994)
  })

  it("waits as long as the receiver asks, if that is longer, up to a day", () => {
    assert.strictEqual(wait(1, 0, 60), 60)
    assert.strictEqual(wait(4, 0, 60), 7200)
    assert.strictEqual(wait(1, 0, 1e9), 86_400)
    assert.isNull(wait(8, 0, 60))
  })

  it.each([
    ["120", 120],
    [" 0 ", 0],
    ["Wed, 01 May 2024 12:01:00 GMT", 60],
    ["Wednesday, 01-May-24 12:01:00 GMT", 60],
    ["Wed May  1 12:01:00 2024 GMT", 60],
    ["Wed, 01 May 2024 11:00:00 GMT", 0],
    ["1.5", null],
    ["-1", null],
    ["soon", null],
    ["Wed, later", null],
    ["", null],
    [undefined, null]
  ])("reads Retry-After %j as %s seconds", (value, seconds) => {
    assert.strictEqual(parseRetryAfter(value, NOON), seconds === null ? null : seconds * Micros.SECOND)
  })

  it("gives an endpoint up after five days without a success", () => {
    const first = noteAttempt({ failingSince: null }, false, NOON)
    assert.deepStrictEqual(first, { failingSince: NOON, disable: false })
    assert.isFalse(noteAttempt(first, false, NOON + 5 * Micros.DAY - 1).disable)
    assert.isTrue(noteAttempt(first, false, NOON + 5 * Micros.DAY).disable)
  })

  it("forgets its failures with one success", () => {
    const health = noteAttempt({ failingSince: NOON }, true, NOON + 4 * Micros.DAY)
    assert.deepStrictEqual(health, { failingSince: null, disable: false })
    const again = NOON + 6 * Micros.DAY
    assert.deepStrictEqual(noteAttempt(health, false, again), { failingSince: again, disable: false })
  })
})
