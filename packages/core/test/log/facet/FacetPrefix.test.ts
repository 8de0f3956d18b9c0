import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { fold } from "../../../src/event/EventFilter.ts"
import { bytesPrefix, facetPrefix } from "../../../src/log/facet/FacetPrefix.ts"

const generated = generatedTests(import.meta.url)

/** What begins a value like nothing else does. */
const OTHER = "?"

const PARTS = ["a", "b", "A", "1", "é", "\u0301", "日", "\u{1d538}", "\u{1f4a5}", "-", " ", "'", "."]

/** The same by a look at every place. */
const isMeant = (prefix: string, label: string): boolean => {
  const [text, wanted] = [fold(label), fold(prefix)]
  return Array.from(text, (_, at) => Array.from(text).slice(at)).some(
    (rest, at) =>
      rest.join("").startsWith(wanted) &&
      (at === 0 || !/^[\p{L}\p{M}\p{N}]$/u.test(Array.from(text)[at - 1] ?? ""))
  )
}

describe("the prefix of a facet", () => {
  it("means the words of a label that begin so", () =>
    generated.stories({}, (random) => {
      const texts = (most: number) =>
        Array.from({ length: 1 + random.below(most) }, () => random.pick(PARTS)).join("")
      let met = 0
      for (let round = 0; round < 10_000; round++) {
        const [label, prefix] = [texts(12), texts(3)]
        const meant = facetPrefix(prefix)(OTHER, label)
        assert.strictEqual(meant, isMeant(prefix, label), JSON.stringify({ label, prefix }))
        if (meant) met++
      }
      assert.isAbove(met, 500)
    }))

  it("means the same of bytes", () =>
    generated.stories({}, (random) => {
      const ascii = ["a", "b", "A", "1", "-", " "]
      let met = 0
      for (let round = 0; round < 10_000; round++) {
        const parts = random.chance(0.8) ? ascii : PARTS
        const texts = (most: number) =>
          Array.from({ length: 1 + random.below(most) }, () => random.pick(parts)).join("")
        const [label, prefix] = [texts(16), texts(5)]
        const bytes = new TextEncoder().encode(`?${label}?`)
        const meant = bytesPrefix(prefix).isLabel(bytes, 1, bytes.length - 1)
        assert.strictEqual(meant, isMeant(prefix, label), JSON.stringify({ label, prefix }))
        if (meant) met++
      }
      assert.isAbove(met, 500)
    }))

  it.each([
    ["in one word many times", "aa", `b${"a".repeat(1_022)}`],
    ["nearly in each word", `${"a ".repeat(127)}b`, "a ".repeat(512)]
  ])("is looked for in one pass over bytes that have it %s", (_, prefix, label) => {
    let reads = 0
    const bytes = new Proxy(new TextEncoder().encode(label), {
      get: (target, key) => {
        reads++
        return Reflect.get(target, key)
      }
    })
    assert.isFalse(bytesPrefix(prefix).isLabel(bytes, 0, label.length))
    assert.isAtMost(reads, 3 * label.length)
  })
})
