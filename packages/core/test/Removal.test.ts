import { assert, describe, it } from "@effect/vitest"
import { EVENT_ERASED, RETENTION_APPLIED, removalOf } from "../src/Removal.ts"

describe("removalOf", () => {
  it("reads what retention and erasure record", () => {
    assert.deepStrictEqual(
      removalOf({ action: RETENTION_APPLIED, metadata: { below_sequence: 7, reason: "90 days" } }),
      {
        type: "retention",
        belowSequence: 7
      }
    )
    assert.deepStrictEqual(removalOf({ action: EVENT_ERASED, metadata: { sequences: [3, -2] } }), {
      type: "erasure",
      sequences: [3, -2]
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
    { sequences: [7] }
  ])("takes no leave from %j of a retention", (metadata) =>
    assert.isUndefined(removalOf({ action: RETENTION_APPLIED, metadata }))
  )

  it.each([null, {}, { sequences: 7 }, { sequences: ["7"] }, { sequences: [7, 0.5] }, { below_sequence: 7 }])(
    "takes no leave from %j of an erasure",
    (metadata) => assert.isUndefined(removalOf({ action: EVENT_ERASED, metadata }))
  )
})
