import { BaseChain } from "@cairn/anchor-base"
import { assert, describe, it } from "@effect/vitest"

describe("confirmationsFrom", () => {
  it("reads what a block is called, or a number of blocks", () => {
    for (const [text, expected] of [
      ["finalized", "finalized"],
      ["safe", "safe"],
      ["1", 1],
      ["64", 64]
    ] as const) {
      assert.strictEqual(BaseChain.confirmationsFrom(text), expected)
    }
  })

  it("refuses anything else", () => {
    for (const text of ["", "0", "-1", "1.5", "latest", "Finalized", " 1", "1e3"]) {
      assert.isUndefined(BaseChain.confirmationsFrom(text), text)
    }
  })
})
