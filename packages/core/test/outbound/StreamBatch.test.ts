import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { SECOND } from "../../src/encoding/Micros.ts"
import type { StreamRecord } from "../../src/outbound/LogStreamSink.ts"
import { decideBatch } from "../../src/outbound/StreamBatch.ts"
import { bare } from "../event/formats/Samples.ts"

const generated = generatedTests(import.meta.url)

const NOW = 1_714_564_800_000_000

/** A record of `size` characters that has waited for `age` seconds. */
const record = (sequence: number, size = 10, age = 0): StreamRecord => ({
  sequence,
  createdAt: NOW - age * SECOND,
  event: bare,
  text: "x".repeat(size)
})

const limits = { events: 3, size: 100, seconds: 5 }

/** How many are sent; `undefined` when they wait. */
const sent = (waiting: ReadonlyArray<StreamRecord>): number | undefined => {
  const decision = decideBatch(limits, waiting, NOW)
  return decision._tag === "Send" ? decision.records.length : undefined
}

describe("StreamBatch: 3 events, 100 characters or 5 seconds", () => {
  it("waits for ever for the first event", () => {
    assert.deepStrictEqual(decideBatch(limits, [], NOW), { _tag: "Wait", until: null })
  })

  it("waits until the first event is five seconds old", () => {
    assert.deepStrictEqual(decideBatch(limits, [record(1, 10, 2), record(2)], NOW), {
      _tag: "Wait",
      until: NOW + 3 * SECOND
    })
  })

  it.each([
    ["two fresh events wait", [record(1), record(2)], undefined],
    ["an event just under five seconds old waits", [record(1, 10, 4.999999)], undefined],
    ["an event five seconds old does not, nor does what came since", [record(1, 10, 5), record(2)], 2],
    ["three are a batch", [record(1), record(2), record(3)], 3],
    ["and so are the first three of four", [record(1), record(2), record(3), record(4)], 3],
    ["a hundred characters fit", [record(1, 50), record(2, 50)], undefined],
    ["one more does not: the batch is what fits", [record(1, 50), record(2, 51)], 1],
    ["one that fits in no batch goes alone", [record(1, 500), record(2)], 1],
    ["and not in the company of one before it", [record(1), record(2, 500)], 1],
    ["one that fits in no batch still waits its turn when it is alone", [record(1, 500)], undefined]
  ])("%s", (_, waiting, expected) => assert.strictEqual(sent(waiting), expected))

  it("sends every event, once and in order, whatever the limits", () => {
    generated.property(
      FastCheck.property(
        FastCheck.array(FastCheck.integer({ min: 0, max: 40 }), { maxLength: 50 }),
        FastCheck.integer({ min: 1, max: 10 }),
        FastCheck.integer({ min: 1, max: 60 }),
        (sizes, events, size) => {
          const all = sizes.map((length, index) => record(index, length, 60))
          const batches: Array<ReadonlyArray<StreamRecord>> = []
          for (let rest = all; rest.length > 0; ) {
            const decision = decideBatch({ events, size, seconds: 5 }, rest, NOW)
            if (decision._tag === "Wait") return assert.fail("everything is old enough")
            batches.push(decision.records)
            rest = rest.slice(decision.records.length)
          }
          assert.deepStrictEqual(batches.flat(), all)
          for (const batch of batches) {
            assert.isAtMost(batch.length, events)
            const total = batch.reduce((sum, { text }) => sum + text.length, 0)
            assert.isTrue(batch.length === 1 || total <= size)
          }
        }
      )
    )
  })
})
