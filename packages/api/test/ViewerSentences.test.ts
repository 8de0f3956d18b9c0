/** What the OpenAPI document says of the viewer's sentences is what the service takes. */
import { ViewerSettingsInput } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { openApiDocument } from "../src/index.ts"
import { member } from "../src/OpenDocument.ts"

const input = member(member(openApiDocument("/"), "components"), "schemas")
const sentences = member(member(member(input, "ViewerSettingsInput"), "properties"), "sentences")
const byLanguage = member(sentences, "additionalProperties")

/** Whether a text is within a schema's form and lengths. */
const isOf = (schema: object, text: string): boolean => {
  const { pattern, minLength, maxLength, enum: names } = schema as Readonly<Record<string, unknown>>
  const length = [...text].length
  return (
    (typeof pattern !== "string" || new RegExp(pattern, "u").test(text)) &&
    (typeof minLength !== "number" || length >= minLength) &&
    (typeof maxLength !== "number" || length <= maxLength) &&
    (!Array.isArray(names) || names.includes(text))
  )
}

const isTaken = (action: string, language: string, sentence: string): boolean =>
  Schema.is(ViewerSettingsInput)({ sentences: { [action]: { [language]: sentence } } })

describe("the schema of the viewer's sentences", () => {
  it.each([
    "a",
    "document.deleted",
    "document.*",
    " .*",
    "..*",
    "*",
    ".*",
    "",
    " ",
    "a*",
    "*.a",
    "a.*.*",
    "a\nb"
  ])("says of the action %j whether it is taken", (action) => {
    assert.strictEqual(isOf(member(sentences, "propertyNames"), action), isTaken(action, "en", "x"))
  })

  it("says how long an action and a sentence may be", () => {
    for (const length of [200, 201, 256, 257]) {
      const text = "\u{1f600}".repeat(length)
      assert.strictEqual(isOf(member(sentences, "propertyNames"), text), isTaken(text, "en", "x"))
      assert.strictEqual(isOf(member(byLanguage, "additionalProperties"), text), isTaken("a", "en", text))
    }
  })

  it.each(["en", "de", "ja", "fr", "EN", "", "en-GB", "toString"])(
    "says of the language %j whether it is taken",
    (language) => {
      assert.strictEqual(isOf(member(byLanguage, "propertyNames"), language), isTaken("a", language, "x"))
    }
  )

  it.each([
    "{actor} deleted {resource}",
    "{tenant}",
    " x ",
    "削除しました",
    "",
    "  ",
    "{actor",
    "actor}",
    "{nobody}",
    "{}",
    "{{actor}}",
    "a\u2028b",
    "a\u0000b",
    "a\u0085b"
  ])("says of the sentence %j whether it is taken", (sentence) => {
    assert.strictEqual(
      isOf(member(byLanguage, "additionalProperties"), sentence),
      isTaken("a", "en", sentence)
    )
  })

  it("says how few languages and how many actions there may be", () => {
    assert.strictEqual(byLanguage.minProperties, 1)
    assert.isFalse(Schema.is(ViewerSettingsInput)({ sentences: { a: {} } }))
    const of = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, { en: "x" }]))
    const most = Number(sentences.maxProperties)
    assert.isTrue(Schema.is(ViewerSettingsInput)({ sentences: of(most) }))
    assert.isFalse(Schema.is(ViewerSettingsInput)({ sentences: of(most + 1) }))
  })
})
