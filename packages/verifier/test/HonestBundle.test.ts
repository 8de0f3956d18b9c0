import { previousAnchorHash } from "@cairn/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sha256, verify } from "./Bundles.ts"
import { honest, knowing, log, size } from "./tampering/Tampering.ts"

describe("an honest bundle", () => {
  it.effect("is intact, and everything in it is proven to an auditor who looked things up", () =>
    Effect.gen(function* () {
      const report = yield* verify(honest, knowing)
      assert.deepStrictEqual(report.failed, [])
      assert.deepStrictEqual(
        report.not_checked.map(({ message }) => message),
        [`Events 41 to ${size}: no anchor in the bundle holds them yet`]
      )
    })
  )

  it("links its anchors by what they were sent as", () => {
    const [first, second] = log.anchors
    if (first === undefined || second === undefined) return assert.fail("no anchors")
    assert.strictEqual(second.anchor.previous_anchor_hash, previousAnchorHash(sha256, first.anchor))
  })
})
