import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { LANGUAGES, languageOf } from "../../../../src/http/signin/pages/locale/Language.ts"

const generated = generatedTests(import.meta.url)

describe("the language of a page", () => {
  it.each([
    [undefined, "en"],
    ["", "en"],
    ["de", "de"],
    ["de-CH", "de"],
    ["JA-jp", "ja"],
    ["fr, it", "en"],
    ["fr;q=0.9, ja;q=0.1", "ja"],
    ["en;q=0.5, de;q=0.8, ja;q=0.7", "de"],
    ["de;q=0.5, de-AT;q=0.9, ja;q=0.7", "de"],
    // The first of equals.
    ["ja, de", "ja"],
    ["de;q=0.7,ja;q=0.700", "de"],
    // Any: English, unless it is not wanted.
    ["*", "en"],
    ["*;q=0.5, ja;q=0.1", "en"],
    ["en;q=0, *", "de"],
    ["en;q=0, de;q=0.0, *;q=0.3", "ja"],
    ["de;q=0.4, *;q=0.3", "de"],
    ["de;q=0", "en"],
    // No weight that RFC 9110 has.
    ["ja;q=2, de;q=0.1", "de"],
    ["ja;q=, de;q=0.1", "de"],
    ["ja;q=-1, de;q=0.1", "de"],
    ["ja;q=0.1234, de;q=0.1", "de"],
    ["ja;level=1, de;q=0.1", "de"],
    [" ja ; q=0.5 , de ; Q=0.6 ", "de"],
    ["deutsch, jargon", "en"],
    [",,;;,", "en"],
    ["constructor, __proto__", "en"]
  ])("for %s is %s", (header, language) => assert.strictEqual(languageOf(header), language))

  it("is one of those that there are, whatever a header says", () => {
    const item = fc.constantFrom("de", "ja", "en", "*", ";q=", "0.5", ",", ";", "-", " ", "\0", "q")
    generated.property(
      fc.property(fc.string({ unit: fc.oneof(item, fc.string({ maxLength: 3 })) }), (header) => {
        assert.include(LANGUAGES, languageOf(header))
      })
    )
  })
})
