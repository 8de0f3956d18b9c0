import { naughtyNames } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Html, html, type Insert, markupOf } from "../../../../src/http/signin/pages/Html.ts"
import { readMarkup } from "./MarkupReader.ts"
import { naughtyList, noForeign, withoutForeign } from "./NaughtyStrings.ts"

const generated = generatedTests(import.meta.url)

/** Any units of UTF-16, so also what is no text; signs of markup often. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "<",
      ">",
      "&",
      '"',
      "'",
      "`",
      "=",
      "/",
      "\0",
      "\r",
      "\n",
      "--",
      "&lt;",
      "<script>",
      "]]>"
    ),
    fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    fc.string({ unit: "grapheme", maxLength: 4 })
  )
})

/** What HTML can hold of a text. */
const held = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

/** The page reads a text as this text, in content and in an attribute, and as nothing else. */
const staysText = (text: string) => {
  const { tags, texts } = readMarkup(markupOf(html`<p title="${text}">[${text}]</p>`))
  assert.deepStrictEqual(tags, [{ name: "p", attributes: { title: held(text) } }])
  assert.strictEqual(texts.map((one) => one.text).join(""), `[${held(text)}]`)
}

const LOOKALIKE = { "#text": "<b>", text: "<b>" } as unknown as Html

describe("a template", () => {
  it("escapes what could be markup", () => {
    assert.strictEqual(
      markupOf(html`<p title="${`"'&`}">${"<b>&amp;</b>"}</p>`),
      '<p title="&quot;&#39;&amp;">&lt;b&gt;&amp;amp;&lt;/b&gt;</p>'
    )
  })

  it("takes markup that a template has made as it is, once or in a list, and numbers; nothing for undefined", () => {
    const items = ["a", "<"].map((item) => html`<li>${item}</li>`)
    assert.strictEqual(
      markupOf(html`<ul data-n="${2}">${items}</ul>${undefined}${html`<hr>`}`),
      '<ul data-n="2"><li>a</li><li>&lt;</li></ul><hr>'
    )
  })

  it("takes nothing for markup that only looks like it", () => {
    assert.throws(() => html`<p>${LOOKALIKE}</p>`)
    assert.throws(() => html`<p>${[LOOKALIKE]}</p>`)
    assert.throws(() => html`<p>${["<b>"] as unknown as Insert}</p>`)
  })

  it("rejects values outside quotes, markup in attributes, elements without text, and tags without end", () => {
    const value = "x"
    assert.throws(() => html`<p title=${value}>`, TypeError, /outside the quotes/)
    assert.throws(() => html`<p ${value}>`, TypeError, /outside the quotes/)
    assert.throws(() => html`<${value}>`, TypeError, /outside the quotes/)
    assert.throws(() => html`<p title="${html`<b>`}">`, TypeError, /in an attribute/)
    assert.throws(() => html`<p title="${[html`<b>`]}">`, TypeError, /in an attribute/)
    assert.throws(() => html`<script>${value}</script>`, TypeError, /no text/)
    assert.throws(() => html`<STYLE>${value}</STYLE>`, TypeError, /no text/)
    assert.throws(() => html`<!-- ${value} -->`, TypeError, /no text/)
    assert.throws(() => html`<p title="${value}`, TypeError, /ends within/)
    assert.throws(() => html`<p`, TypeError, /ends within/)
  })

  it("leaves any text a text", () => {
    generated.property(fc.property(anyText, staysText), { numRuns: 1_000 })
  })

  it("leaves our own naughty texts texts", () => naughtyNames.forEach(staysText))

  it.skipIf(noForeign)(`leaves every naughty string a text${withoutForeign}`, () => {
    const strings = naughtyList()
    assert.isAbove(strings.length, 500)
    strings.forEach(staysText)
  })
})
