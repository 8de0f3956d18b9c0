import { assert, describe, it } from "@effect/vitest"
import { visiblePieces, visibleText } from "../../src/text/VisibleText.ts"

describe("text from outside", () => {
  it.each([
    ["abc", "abc"],
    ["", ""],
    ["a\u202Eb", "aU+202Eb"],
    ["\0", "U+0000"],
    ["a\u200Bb\uFEFF", "aU+200BbU+FEFF"],
    ["\u{E0041}", "U+E0041"],
    ["one\ntwo\tthree", "one\ntwo\tthree"],
    ["a\rb", "aU+000Db"]
  ])("%j is shown as %j", (text, shown) => {
    assert.strictEqual(visibleText(text), shown)
  })

  it("keeps what scripts and emoji need: joiners, marks, letters from right to left", () => {
    for (const text of ["👩‍👩‍👧", "می‌خواهم", "e\u0301", "שלום", "🇩🇪"])
      assert.strictEqual(visibleText(text), text)
  })

  it("tells a character that is named from the same letters in the text", () => {
    assert.deepStrictEqual(visiblePieces("U+202E\u202E"), [
      { text: "U+202E", named: false },
      { text: "U+202E", named: true }
    ])
  })

  it("is cut between characters, not within one", () => {
    assert.strictEqual(visibleText("ab😀cd", 3), "ab…")
    assert.strictEqual(visibleText("ab😀cd", 4), "ab😀…")
    assert.strictEqual(visibleText("abc", 3), "abc")
  })
})
