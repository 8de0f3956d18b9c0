import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { KINDS } from "../../../src/log/sentence/Kinds.ts"
import { type Colour, contrast, readColour } from "../../../src/theme/Colour.ts"

const read = (path: string): string => readFileSync(new URL(`../../../src/${path}`, import.meta.url), "utf8")
const base = read("base.css")
const sheet = read("log/sentence/sentence.css")

/** The colours that a style sheet gives the document in a theme, by their names. */
const coloursOf = (css: string, theme: "light" | "dark"): ReadonlyMap<string, Colour> => {
  const selector = theme === "light" ? ":root {" : ':root[data-theme="dark"] {'
  const start = css.indexOf(selector)
  const block = css.slice(start, css.indexOf("}", start))
  return new Map(
    Array.from(block.matchAll(/(--[\w-]+): (#\w{6});/g), ([, name = "", value = ""]) => {
      const colour = readColour(value)
      if (colour === undefined) throw new Error(`no colour: ${value}`)
      return [name, colour] as const
    })
  )
}

describe("the colours of kinds of events", () => {
  it.each(["light", "dark"] as const)("are readable on every page colour of the %s theme", (theme) => {
    const pages = coloursOf(base, theme)
    const kinds = coloursOf(sheet, theme)
    assert.isAtLeast(kinds.size, 7)
    for (const page of ["--page", "--raised", "--broken-page"]) {
      const behind = pages.get(page)
      if (behind === undefined) throw new Error(`no colour: ${page}`)
      for (const [name, colour] of kinds)
        assert.isAtLeast(contrast(colour, behind), 4.5, `${name} on ${page}`)
    }
    assert.deepStrictEqual([...coloursOf(sheet, "dark").keys()], [...coloursOf(sheet, "light").keys()])
  })

  it("are those of kinds that there are, each of them by a name that there is", () => {
    const styled = Array.from(sheet.matchAll(/\[data-kind="(\w+)"\]/g), ([, kind = ""]) => kind)
    assert.deepStrictEqual(
      styled.filter((kind) => !KINDS.some((known) => known === kind)),
      []
    )
    const named = Array.from(sheet.matchAll(/var\((--[\w-]+)\)/g), ([, name = ""]) => name)
    assert.deepStrictEqual(
      named.filter((name) => !coloursOf(sheet, "light").has(name)),
      []
    )
  })
})
