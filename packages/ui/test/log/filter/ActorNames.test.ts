import { assert, describe, it } from "@effect/vitest"
import { actorIdOf, actorSuggestions, withNames } from "../../../src/log/filter/ActorNames.ts"

const NAMES = withNames(new Map(), [
  { id: "mem_1", name: "Ada Lindqvist" },
  { id: "mem_2", name: "Bo" },
  { id: "user_2", name: "bo" },
  { id: "cron", name: null },
  { id: "billing", name: "billing" }
])

describe("actors by name", () => {
  it("have the id of the name, in any letter case", () => {
    assert.strictEqual(actorIdOf(NAMES, "Ada Lindqvist"), "mem_1")
    assert.strictEqual(actorIdOf(NAMES, "ada lindqvist"), "mem_1")
  })

  it("are taken as an id where no name is known, or several actors have it", () => {
    for (const text of ["", "mem_1", "Ada", "Bo", "cron", "mem_9"]) {
      assert.strictEqual(actorIdOf(NAMES, text), text)
    }
  })

  it("are suggested by name, or by id where the name is not enough", () => {
    assert.deepStrictEqual(actorSuggestions(NAMES), [
      { value: "Ada Lindqvist", label: "mem_1" },
      { value: "mem_2", label: "Bo" },
      { value: "user_2", label: "bo" }
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
