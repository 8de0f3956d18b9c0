import { seededRandom } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { fold } from "../../../src/event/EventFilter.ts"
import { facetPrefix } from "../../../src/log/facet/FacetPrefix.ts"

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
  it("means the words of a label that begin so", () => {
    const random = seededRandom(7)
    const texts = (most: number) =>
      Array.from({ length: 1 + random.below(most) }, () => random.pick(PARTS)).join("")
    let met = 0
    for (let round = 0; round < 20_000; round++) {
      const [label, prefix] = [texts(12), texts(3)]
      const meant = facetPrefix(prefix)(OTHER, label)
      assert.strictEqual(meant, isMeant(prefix, label), JSON.stringify({ label, prefix }))
      if (meant) met++
    }
    assert.isAbove(met, 1_000)
  })

  it("is looked for once in each word, however often the word has it", () => {
    const labels = Array.from({ length: 2_000 }, (_, index) => `b${"a".repeat(1_018)}${index}`)
    const isWanted = facetPrefix("aa")
    const begun = performance.now()
    for (const label of labels) assert.isFalse(isWanted(OTHER, label))
    assert.isBelow(performance.now() - begun, 400)
  })
})
