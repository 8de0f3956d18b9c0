import { assert, describe, it } from "@effect/vitest"
import { withNames } from "../../../src/log/filter/ActorNames.ts"

const NAMES = withNames(new Map(), [
  { id: "mem_1", name: "Ada Lindqvist" },
  { id: "mem_2", name: "Bo" },
  { id: "cron", name: null },
  { id: "billing", name: "billing" }
])

describe("names of actors", () => {
  it("are those that say more than the ids", () => {
    assert.deepStrictEqual(Array.from(NAMES), [
      ["mem_1", "Ada Lindqvist"],
      ["mem_2", "Bo"]
    ])
  })

  it("are not noted twice, and get their newest name", () => {
    assert.strictEqual(withNames(NAMES, [{ id: "mem_2", name: "Bo" }]), NAMES)
    assert.strictEqual(withNames(NAMES, [{ id: "mem_2", name: "Bo K." }]).get("mem_2"), "Bo K.")
  })

  it("are kept up to a number", () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ id: `u${index}`, name: `User ${index}` }))
    assert.strictEqual(withNames(new Map(), many).size, 1_000)
  })
})
