import { assert, describe, it } from "@effect/vitest"
import { markupOf } from "../../../../src/http/signin/pages/Html.ts"
import { shown, shownPlain } from "../../../../src/http/signin/pages/ShownText.ts"

describe("text from outside", () => {
  it("stands apart, so that its direction ends with it", () => {
    assert.strictEqual(markupOf(shown("ada@example.com")), "<bdi>ada@example.com</bdi>")
    assert.strictEqual(markupOf(shown("")), "<bdi></bdi>")
  })

  it("has the names of characters that nobody would see, or that would reorder others", () => {
    assert.strictEqual(
      markupOf(shown("a\u202egpj.\u200b")),
      '<bdi>a<span class="named">U+202E</span>gpj.<span class="named">U+200B</span></bdi>'
    )
    assert.strictEqual(shownPlain("a\0\u{e0041}b\u2028"), "aU+0000U+E0041bU+2028")
  })

  it("keeps what scripts and emoji are made with", () => {
    for (const text of ["नमस्ते", "👩‍🚀", "שלום", "日本語", "e\u0301"])
      assert.strictEqual(shownPlain(text), text)
  })

  it("is cut where it is longer than any address, between characters", () => {
    assert.strictEqual(shownPlain("a".repeat(300)), `${"a".repeat(256)}…`)
    assert.strictEqual(shownPlain(`${"a".repeat(255)}😀`), `${"a".repeat(255)}…`)
  })
})
