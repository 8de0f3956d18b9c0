import { assert, describe, it } from "@effect/vitest"
import { BoundedMap } from "../../src/encoding/BoundedMap.ts"

describe("a bounded map", () => {
  it("forgets the entry that was set longest ago", () => {
    const map = new BoundedMap<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    assert.isUndefined(map.set("a", 3))
    assert.strictEqual(map.set("c", 4), 2)
    assert.deepStrictEqual([map.get("a"), map.get("b"), map.get("c")], [3, undefined, 4])
  })

  it("drops an entry, which makes room for another", () => {
    const map = new BoundedMap<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    map.delete("b")
    map.set("c", 3)
    assert.deepStrictEqual([map.get("a"), map.get("b"), map.get("c")], [1, undefined, 3])
  })

  it("forgets what it is told to", () => {
    const map = new BoundedMap<string, number>(9)
    for (const [index, key] of ["a 1", "b 1", "a 2"].entries()) map.set(key, index)
    map.forget((key) => key.startsWith("a "))
    assert.deepStrictEqual([map.get("a 1"), map.get("b 1"), map.get("a 2")], [undefined, 1, undefined])
  })
})
