import { assert, describe, it } from "@effect/vitest"
import { EVENT_ERASED, RETENTION_APPLIED, removalOf } from "../../src/log/Removal.ts"

const retention = (metadata: Readonly<Record<string, never>> | object | null) =>
  removalOf({ action: RETENTION_APPLIED, metadata: metadata as never })

describe("removalOf", () => {
  it("reads what retention and erasure record", () => {
    assert.deepStrictEqual(
      retention({ below_sequence: 7, from_sequence: -2, kept: [-2, 1, 6], reason: "90 days" }),
      { type: "retention", fromSequence: -2, belowSequence: 7, kept: [-2, 1, 6] }
    )
    assert.deepStrictEqual(retention({ below_sequence: 7, from_sequence: 7, kept: [] }), {
      type: "retention",
      fromSequence: 7,
      belowSequence: 7,
      kept: []
    })
    assert.deepStrictEqual(removalOf({ action: EVENT_ERASED, metadata: { sequences: [3, -2] } }), {
      type: "erasure",
      sequences: [3, -2]
    })
  })

  it("reads the older form of what retention records, which goes back to the beginning and says nothing of what stays", () => {
    assert.deepStrictEqual(retention({ below_sequence: 7, reason: "90 days" }), {
      type: "retention",
      fromSequence: Number.NEGATIVE_INFINITY,
      belowSequence: 7,
      kept: null
    })
  })

  it("gives no other event leave to remove anything", () => {
    assert.isUndefined(removalOf({ action: "cairn.api_key.created", metadata: { below_sequence: 7 } }))
    assert.isUndefined(removalOf({ action: "event.erased", metadata: { sequences: [3] } }))
  })

  it.each([
    null,
    {},
    { below_sequence: "7" },
    { below_sequence: 0.5 },
    { below_sequence: null },
    { sequences: [7] },
    // Half of the newer form is neither form.
    { below_sequence: 7, from_sequence: 1 },
    { below_sequence: 7, kept: [] },
    { below_sequence: 7, from_sequence: null, kept: [] },
    { below_sequence: 7, from_sequence: null, kept: null },
    { below_sequence: 7, from_sequence: 8, kept: [] },
    { below_sequence: 7, from_sequence: 0.5, kept: [] },
    { below_sequence: 7, from_sequence: "1", kept: [] },
    { below_sequence: 7, from_sequence: 1, kept: {} },
    { below_sequence: 7, from_sequence: 1, kept: ["2"] },
    { below_sequence: 7, from_sequence: 1, kept: [null] },
    { below_sequence: 7, from_sequence: 1, kept: [2, 2] },
    { below_sequence: 7, from_sequence: 1, kept: [3, 2] },
    { below_sequence: 7, from_sequence: 1, kept: [0] },
    { below_sequence: 7, from_sequence: 1, kept: [7] }
  ])("takes no leave from %j of a retention", (metadata) => assert.isUndefined(retention(metadata)))

  it.each([null, {}, { sequences: 7 }, { sequences: ["7"] }, { sequences: [7, 0.5] }, { below_sequence: 7 }])(
    "takes no leave from %j of an erasure",
    (metadata) => assert.isUndefined(removalOf({ action: EVENT_ERASED, metadata }))
  )
})
