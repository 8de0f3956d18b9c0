import { previousAnchorHash } from "@cairn/core/anchor"
import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sha256, signer, verify } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"
import { honest, knowing, log, options, size } from "../tampering/Tampering.ts"

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

  it.effect("is intact too when the chain's clock is minutes behind the service's", () =>
    Effect.gen(function* () {
      const late = testChain({ delay: -299 })
      const bundle = testBundle(testLog({ ...options, send: late.send }), { signer })
      const report = yield* verify(bundle, {
        anchorAddress: late.address,
        blockHashes: () => Effect.succeed(late.blocks)
      })
      assert.deepStrictEqual(report.failed, [])
    })
  )

  it("links its anchors by what they were sent as", () => {
    const [first, second] = log.anchors
    if (first === undefined || second === undefined) return assert.fail("no anchors")
    assert.strictEqual(second.anchor.previous_anchor_hash, previousAnchorHash(sha256, first.anchor))
  })
})
