import { assert, describe, it } from "@effect/vitest"
import { hitsIn } from "../../src/text/Hits.ts"

/** The text with its hits in brackets. */
const marked = (text: string, ...words: ReadonlyArray<string>) =>
  hitsIn(text, words)
    .map(({ text, isHit }) => (isHit ? `[${text}]` : text))
    .join("")

describe("where words stand in a text", () => {
  it.each<readonly [string, ReadonlyArray<string>, string]>([
    ["Ada Lovelace", ["ada"], "[Ada] Lovelace"],
    ["Ada Lovelace", ["LACE", "a"], "[A]d[a] Love[lace]"],
    ["user.created", ["user", "user.created"], "[user.created]"],
    ["a.b a?b (a+b)", [".", "(a+b)"], "a[.]b a?b [(a+b)]"],
    ["Straße ÄRGER", ["ärger"], "Straße [ÄRGER]"],
    ["nothing", ["x"], "nothing"],
    ["nothing", [], "nothing"],
    ["", ["x"], ""]
  ])("in %j: %j", (text, words, expected) => {
    assert.strictEqual(marked(text, ...words), expected)
  })

  it("is told without pieces of nothing, but for a text of nothing", () => {
    assert.deepStrictEqual(hitsIn("Ada A", ["ada"]), [
      { text: "Ada", isHit: true },
      { text: " A", isHit: false }
    ])
    assert.deepStrictEqual(hitsIn("", ["x"]), [{ text: "", isHit: false }])
  })

  it("is found among characters that mean something to expressions, and halves of one", () => {
    const strange = "\\^$.*+?()[]{}|/-\ud83d"
    assert.strictEqual(marked(`a${strange}b`, strange), `a[${strange}]b`)
  })
})
