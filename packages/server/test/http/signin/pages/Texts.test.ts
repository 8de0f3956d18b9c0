import { assert, describe, it } from "@effect/vitest"
import { html, markupOf } from "../../../../src/http/signin/pages/Html.ts"
import { LANGUAGES } from "../../../../src/http/signin/pages/locale/Language.ts"
import { textsOf } from "../../../../src/http/signin/pages/locale/Texts.ts"

/** Any text that needs another: an insert takes the place of what it would be given. */
const INSERT = html`<bdi>insert</bdi>`

const wordsOf = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return markupOf(value as typeof INSERT)
  } catch {
    return ""
  }
}

/** The texts that are given text, not markup. */
const TAKES_TEXT = /\.(?:errorTitle|device|life|wait|setup\.refusals\.\w+\.text)$/

/** Each text of a table, by its path. */
const leaves = (value: unknown, path: string): ReadonlyArray<readonly [string, string]> => {
  if (typeof value === "function")
    return leaves(value(...(TAKES_TEXT.test(path) ? ["text", "text"] : [INSERT, INSERT])), path)
  const words = wordsOf(value)
  if (words !== "") return [[path, words]]
  return Object.entries(value as object).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`))
}

/** Texts that are the same word in both languages. */
const SAME = [".roles.admin"]

describe("the words of the pages", () => {
  const english = new Map(leaves(textsOf("en"), ""))

  it("are found", () => {
    assert.isAbove(english.size, 90)
    assert.strictEqual(english.get(".signIn.title"), "Sign in")
    assert.strictEqual(english.get(".link.heading"), "Sign in as <bdi>insert</bdi>")
  })

  it.each(LANGUAGES.filter((language) => language !== "en"))(
    "are all there in %s, and in no other language",
    (language) => {
      const words = new Map(leaves(textsOf(language), ""))
      assert.deepStrictEqual([...words.keys()].sort(), [...english.keys()].sort())
      const same = [...words].filter(([path, text]) => english.get(path) === text).map(([path]) => path)
      assert.deepStrictEqual(
        same.filter((path) => !SAME.includes(path)),
        []
      )
    }
  )

  it.each(LANGUAGES)("say something in %s, and give what is put into them its place", (language) => {
    for (const [path, text] of leaves(textsOf(language), "")) {
      assert.strictEqual(
        text.trim() === "" || /undefined|null|\[object/.test(text),
        false,
        `${path}: ${text}`
      )
      if (language === "ja") assert.notMatch(text, /\n/, `${path}: a break of lines would be a space`)
    }
  })
})
