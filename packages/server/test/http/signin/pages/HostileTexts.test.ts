/** Addresses, names and headers that were written to become markup: every page keeps its tags with them. */
import { naughtyNames } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { firstOf } from "@cairn/testing/TrialCases"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { LANGUAGES, type Language } from "../../../../src/http/signin/pages/index.ts"
import { formsTo, readMarkup } from "./MarkupReader.ts"
import { naughtyList, noForeign, withoutForeign } from "./NaughtyStrings.ts"
import { everywhere, ORDINARY, REACHED_AT, samplePages } from "./SamplePages.ts"

const generated = generatedTests(import.meta.url)

const MARKUP = [
  "<script>globalThis.pwned = 1</script>",
  "<img src=x onerror='globalThis.pwned = 1'>",
  '"><svg onload=globalThis.pwned=1>',
  "' onfocus='globalThis.pwned=1' autofocus='",
  '" formaction="https://evil.example/',
  "javascript:globalThis.pwned=1",
  "</title></style></textarea></main><h1>out</h1>",
  "<!-- ",
  "]]>",
  "&lt;b&gt;&#60;b&#62;&amp;",
  "//evil.example/",
  "https://evil.example/",
  "\u202e<\u2066>",
  "$" + "{globalThis.pwned=1}",
  "\r\nContent-Type: text/html",
  "<a href=https://evil.example>ada@example.com</a>"
]

/** The tags of a page and the names of their attributes; without what marks characters and directions. */
const shapeOf = (page: string): string =>
  readMarkup(page)
    .tags.filter(({ name, attributes }) => name !== "bdi" && attributes.class !== "named")
    .map(({ name, attributes }) => `${name} ${Object.keys(attributes)}`)
    .join("\n")

const shapes = new Map(
  LANGUAGES.map((language) => [
    language,
    Object.fromEntries(Object.entries(samplePages(language)).map(([name, page]) => [name, shapeOf(page)]))
  ])
)

const isHarmless = (language: Language, text: string) => {
  const expected = shapes.get(language) ?? {}
  for (const [name, page] of Object.entries(samplePages(language, everywhere(text)))) {
    const shape = shapeOf(page)
    // A host that is no name gets the example of one.
    if (name === "needs-https" && shape === expected["needs-https-by-number"]) continue
    assert.strictEqual(shape, expected[name], `${name}: ${JSON.stringify(text)}`)
    for (const { attributes } of readMarkup(page).tags) {
      const address = attributes.href ?? attributes.action ?? "/x"
      // Where the operator says that the service is.
      if (address === `${REACHED_AT}/sign-in`) continue
      assert.match(address, /^\/(?:[a-z]|$)|^data:image\/svg\+xml,/, `${name}: ${JSON.stringify(text)}`)
    }
  }
}

describe("a hostile text", () => {
  it("is nowhere markup, nor a part of an address that leads elsewhere", () => {
    for (const text of MARKUP) for (const language of LANGUAGES) isHarmless(language, text)
  })

  it("is nowhere markup, whatever it is", () => {
    const part = fc.oneof(fc.constantFrom(...MARKUP), fc.string({ unit: "binary", maxLength: 6 }))
    generated.property(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => isHarmless("en", parts.join("")))
    )
  })

  it("is nowhere markup if it is one of our own naughty texts", () => {
    for (const text of firstOf(20, naughtyNames)) isHarmless("en", text)
  })

  it.skipIf(noForeign)(`is nowhere markup if it is a naughty string${withoutForeign}`, () => {
    const strings = naughtyList()
    assert.isAbove(strings.length, 500)
    for (const text of firstOf(60, strings)) isHarmless("de", text)
  })

  it("leaves the hidden fields of a form as they are", () => {
    const secret = `"><'&\u202e<script>`
    const page = samplePages("en", { ...ORDINARY, secret }).link ?? ""
    assert.deepStrictEqual(formsTo(page, "/sign-in/link"), [{ token: secret }])
  })
})
