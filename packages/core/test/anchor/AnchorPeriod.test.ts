import type { AnchorSchedule } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { DAILY, duePeriod, periodOnDemand, scheduledPeriod } from "../../src/anchor/AnchorPeriod.ts"

const generated = generatedTests(import.meta.url)

const at = (text: string): Micros.Micros => {
  const micros = Micros.parse(text)
  if (micros === undefined) throw new Error(`${text} is no time`)
  return micros
}

const MIDNIGHT = at("2024-05-01")
const NEXT_MIDNIGHT = at("2024-05-02")
const NOON = at("2024-05-01T12:00:00")

const open = (firstCreatedAt: Micros.Micros, previousEnd: Micros.Micros | null = null) => ({
  firstCreatedAt,
  previousEnd
})

describe("scheduledPeriod", () => {
  it("is the day in UTC, unless the schedule says otherwise", () => {
    assert.deepStrictEqual(scheduledPeriod(DAILY, open(NOON)), { start: MIDNIGHT, end: NEXT_MIDNIGHT })
  })

  it("is half-open: midnight begins the day, and the microsecond before ends the one before", () => {
    assert.deepStrictEqual(scheduledPeriod(DAILY, open(MIDNIGHT)), { start: MIDNIGHT, end: NEXT_MIDNIGHT })
    assert.strictEqual(scheduledPeriod(DAILY, open(NEXT_MIDNIGHT - 1)).end, NEXT_MIDNIGHT)
  })

  it("begins where the one before ended, if that was within it", () => {
    const previousEnd = at("2024-05-01T09:30:00")
    assert.deepStrictEqual(scheduledPeriod(DAILY, open(NOON, previousEnd)), {
      start: previousEnd,
      end: NEXT_MIDNIGHT
    })
  })

  it("leaves out days without events", () => {
    assert.strictEqual(scheduledPeriod(DAILY, open(NOON, at("2024-04-20"))).start, MIDNIGHT)
  })

  it("may be as long as a workspace likes, and end when it likes", () => {
    const halfPast: AnchorSchedule = { every_seconds: 3_600, offset_seconds: 1_800 }
    assert.deepStrictEqual(scheduledPeriod(halfPast, open(NOON)), {
      start: at("2024-05-01T11:30:00"),
      end: at("2024-05-01T12:30:00")
    })
  })

  it("holds its first event, and ends on whole seconds, whatever the schedule", () => {
    generated.property(
      fc.property(
        fc.record({ every_seconds: fc.integer({ min: 1, max: 400_000 }), offset_seconds: fc.nat(500_000) }),
        fc.integer({ min: 0, max: 2 ** 51 }),
        fc.option(fc.nat(1_000_000)),
        (schedule, first, before) => {
          const previousEnd =
            before === null ? null : Math.floor(first / Micros.SECOND - before) * Micros.SECOND
          const { start, end } = scheduledPeriod(schedule, open(first, previousEnd))
          assert.isTrue(start <= first && first < end)
          assert.isTrue(start % Micros.SECOND === 0 && end % Micros.SECOND === 0)
          assert.isTrue(previousEnd === null || start >= previousEnd)
          assert.isAtMost(end - start, schedule.every_seconds * Micros.SECOND)
        }
      )
    )
  })
})

describe("duePeriod", () => {
  it("is none while the period goes on", () => {
    assert.isUndefined(duePeriod(DAILY, open(NOON), NEXT_MIDNIGHT - 1))
    assert.deepStrictEqual(duePeriod(DAILY, open(NOON), NEXT_MIDNIGHT), {
      start: MIDNIGHT,
      end: NEXT_MIDNIGHT
    })
  })

  it("is the first event's own after a pause of days, not a long one up to now", () => {
    assert.strictEqual(duePeriod(DAILY, open(NOON), NOON + 9 * Micros.DAY)?.end, NEXT_MIDNIGHT)
  })
})

describe("periodOnDemand", () => {
  it("ends with the next whole second", () => {
    const now = at("2024-05-01T13:00:00.25")
    assert.deepStrictEqual(periodOnDemand(DAILY, open(NOON), NOON, now), {
      start: MIDNIGHT,
      end: at("2024-05-01T13:00:01")
    })
  })

  it("takes in an event of this very microsecond, on a whole second too", () => {
    assert.strictEqual(periodOnDemand(DAILY, open(NOON), NOON, NOON).end, NOON + Micros.SECOND)
  })

  it("takes in the last event when that is dated after now", () => {
    const last = NOON + 5 * Micros.SECOND + 1
    assert.strictEqual(periodOnDemand(DAILY, open(NOON), last, NOON).end, NOON + 6 * Micros.SECOND)
  })
})
