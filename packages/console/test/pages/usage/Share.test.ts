import { assert, describe, it } from "@effect/vitest"
import { levelOf, shareOf } from "../../../src/page/pages/usage/Share.ts"

describe("A figure of the plan", () => {
  it.each([
    [{ used: 5, limit: null }, "unlimited"],
    [{ used: 79, limit: 100 }, "fine"],
    [{ used: 80, limit: 100 }, "near"],
    [{ used: 100, limit: 100 }, "full"],
    [{ used: 132, limit: 125 }, "full"]
  ] as const)("%j is %s", (figure, level) => {
    assert.strictEqual(levelOf(figure), level)
  })

  it("is never said to be used up while some is left, and never more than that", () => {
    assert.strictEqual(shareOf(99_999, 100_000), 0.99)
    assert.strictEqual(shareOf(150, 100), 1)
    assert.strictEqual(shareOf(0, 100), 0)
  })
})
