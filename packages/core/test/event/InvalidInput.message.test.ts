import { assert, describe, it } from "@effect/vitest"
import { invalidInput } from "../../src/event/InvalidInput.ts"

describe("the line of an error", () => {
  it("stays short however many faults there are, and says how many it leaves out", () => {
    const faults = Array.from({ length: 20 }, (_, index) => ({
      path: `types[${index}]`,
      reason: "x".repeat(120)
    }))
    const message = invalidInput(faults)?.message ?? ""
    assert.isBelow(message.length, 1_700)
    assert.match(message, /^types\[0\]: x+; .*; and 9 more$/)
    assert.strictEqual(invalidInput(faults.slice(0, 2))?.message.split("; ").length, 2)
  })
})
