/** Moments and orders are read as they were written, whatever they are. */
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { DamagedFrame } from "../../../src/log/frame/ByteReader.ts"
import {
  decodeOrder,
  encodeOrder,
  occurrenceOrder,
  occurrenceSection,
  readOccurrences,
  withoutSequences
} from "../../../src/log/frame/FrameOccurrences.ts"

const generated = generatedTests(import.meta.url)

/** Of the years 1 to 9999, most of them of these days. */
const someMoment = FastCheck.oneof(
  FastCheck.constantFrom(0, 1_700_000_000_000_000),
  FastCheck.integer({ min: 1_700_000_000_000_000, max: 1_700_000_000_100_000 }),
  FastCheck.maxSafeInteger(),
  FastCheck.integer({ min: -62_135_596_800, max: 253_402_300_799 }).map((seconds) => seconds * 1_000_000)
)
const someEvents = FastCheck.uniqueArray(
  FastCheck.record({
    occurredAt: someMoment,
    sequence: FastCheck.oneof(FastCheck.nat(500), FastCheck.integer({ min: -(2 ** 35), max: 2 ** 40 }))
  }),
  { selector: ({ sequence }) => sequence, maxLength: 300 }
)

describe("when events occurred", () => {
  it("is read as it was written, of the events of a frame", () => {
    const times = FastCheck.array(FastCheck.tuple(FastCheck.nat(2 ** 51), someMoment), { maxLength: 256 })
    generated.property(
      FastCheck.property(times, (events) => {
        const section = occurrenceSection(
          events.map(([createdAt, occurredAt]) => ({ createdAt, occurredAt }))
        )
        assert.deepStrictEqual(
          readOccurrences(
            section,
            events.map(([createdAt]) => createdAt)
          ),
          events.map(([, occurredAt]) => occurredAt)
        )
      })
    )
  })

  it("is read in its order, of the events of a group, also without some of them", () => {
    generated.property(
      FastCheck.property(someEvents, FastCheck.nat(3), (events, left) => {
        const sorted = events.toSorted(
          (one, other) => one.occurredAt - other.occurredAt || one.sequence - other.sequence
        )
        const order = decodeOrder(encodeOrder(occurrenceOrder(events)))
        assert.deepStrictEqual(
          [...order.moments],
          sorted.map(({ occurredAt }) => occurredAt)
        )
        assert.deepStrictEqual(
          [...order.sequences],
          sorted.map(({ sequence }) => sequence)
        )
        const removed = new Set(events.filter((_, at) => at % 4 > left).map(({ sequence }) => sequence))
        assert.deepStrictEqual(
          [...withoutSequences(order, removed).sequences],
          sorted.map(({ sequence }) => sequence).filter((sequence) => !removed.has(sequence))
        )
      })
    )
  })

  it("is not told by other bytes", () => {
    const whole = encodeOrder(
      occurrenceOrder([
        { occurredAt: 2.4e17, sequence: 1 },
        { occurredAt: 5, sequence: -1 }
      ])
    )
    for (let length = 0; length < whole.length; length++)
      assert.throws(() => decodeOrder(whole.subarray(0, length)), DamagedFrame)
    assert.throws(() => decodeOrder(Uint8Array.of(...whole, 0)), DamagedFrame)
    assert.throws(() => decodeOrder(Uint8Array.of(2, ...whole.subarray(1))), DamagedFrame)
    const section = occurrenceSection([{ createdAt: 1, occurredAt: 2.4e17 }])
    for (const times of [[], [1, 2]]) assert.throws(() => readOccurrences(section, times), DamagedFrame)
  })
})
