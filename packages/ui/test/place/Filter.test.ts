import { assert, describe, it } from "@effect/vitest"
import {
  type Filter,
  filterFrom,
  filterParameters,
  MOST_VALUES,
  withCondition,
  withLess,
  withMore,
  withValues
} from "../../src/place/index.ts"

const ADA_OR_BOB: Filter = { search: ["a b", "c"], actor_id: ["ada", "bob"], from: "2026-01-01" }

describe("a filter", () => {
  it("is spelt with a parameter for each value, and read from them", () => {
    const parameters = filterParameters(ADA_OR_BOB)
    assert.deepStrictEqual(parameters, [
      ["search", "a b"],
      ["search", "c"],
      ["actor_id", "ada"],
      ["actor_id", "bob"],
      ["from", "2026-01-01"]
    ])
    const query = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]))
    assert.deepStrictEqual(filterFrom(query), ADA_OR_BOB)
  })

  it("holds a value once, and none that is empty", () => {
    const query = new URLSearchParams("actor_id=ada&actor_id=ada&actor_id=&country=&search=+&from=+&to=")
    assert.deepStrictEqual(filterFrom(query), { actor_id: ["ada"] })
  })

  it("holds a value with the spaces that it has: without them it would be another", () => {
    const query = new URLSearchParams("actor_id=+ada&actor_id=ada&resource_name=+")
    assert.deepStrictEqual(filterFrom(query), { actor_id: [" ada", "ada"], resource_name: [" "] })
  })

  it("holds no more values of a condition than the service takes", () => {
    const many = Array.from({ length: 30 }, (_, index) => `u${index}`)
    const query = new URLSearchParams(many.map((value): [string, string] => ["actor_id", value]))
    assert.deepStrictEqual(filterFrom(query).actor_id, many.slice(0, MOST_VALUES))
  })

  it("gets a value beside others, or in their place, and loses each alone", () => {
    assert.deepStrictEqual(withMore(ADA_OR_BOB, "actor_id", ["eve", "ada"]).actor_id, ["ada", "bob", "eve"])
    assert.deepStrictEqual(withValues(ADA_OR_BOB, "actor_id", ["eve"]).actor_id, ["eve"])
    assert.deepStrictEqual(withCondition(ADA_OR_BOB, "actor_id", "eve").actor_id, ["eve"])
    assert.deepStrictEqual(withLess(ADA_OR_BOB, "actor_id", "ada").actor_id, ["bob"])
  })

  it("has no condition without a value", () => {
    const empty: Filter = { search: ["a b", "c"] }
    const bob = withLess(ADA_OR_BOB, "actor_id", "ada")
    assert.deepStrictEqual(withCondition(withLess(bob, "actor_id", "bob"), "from", ""), empty)
    assert.deepStrictEqual(withCondition(withCondition(ADA_OR_BOB, "actor_id", ""), "from", ""), empty)
  })
})
