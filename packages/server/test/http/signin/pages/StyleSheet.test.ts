import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { STYLE_SHEET } from "../../../../src/http/signin/pages/style/StyleSheet.ts"

const { text } = STYLE_SHEET

/** The colours that a rule of a style sheet declares, by name; the last such rule counts. */
const coloursOf = (sheet: string, rule: RegExp): Readonly<Record<string, string>> => {
  const body = sheet.match(rule)?.[1] ?? ""
  return Object.fromEntries(
    Array.from(body.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g), ([, name = "", colour = ""]) => [name, colour])
  )
}

const light = coloursOf(text, /^:root \{([^}]*)\}/m)
const dark = { ...light, ...coloursOf(text, /prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/) }

/** WCAG 2.2, "relative luminance". */
const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** WCAG 2.2, "contrast ratio". */
const contrast = (one: string, other: string): number => {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (more + 0.05) / (less + 0.05)
}

/** What stands on what, and the least contrast: text 4.5, borders of fields and pictures 3. */
const PAIRS: ReadonlyArray<readonly [front: string, ground: string, least: number]> = [
  ...["ground", "card"].flatMap(
    (ground): ReadonlyArray<readonly [string, string, number]> => [
      ["text", ground, 4.5],
      ["muted", ground, 4.5],
      ["accent", ground, 4.5],
      ["wrong", ground, 4.5],
      ["done", ground, 4.5],
      ["edge", ground, 3]
    ]
  ),
  ["on-accent", "accent", 4.5],
  ["text", "wrong-ground", 4.5],
  ["wrong", "wrong-ground", 4.5],
  ["text", "done-ground", 4.5],
  ["done", "done-ground", 4.5]
]

/** The names that the viewer has for the same colours. */
const VIEWER = {
  text: "text",
  muted: "muted",
  line: "line",
  edge: "edge",
  accent: "accent",
  "on-accent": "on-accent",
  done: "proven",
  "done-ground": "proven-page",
  wrong: "broken",
  "wrong-ground": "broken-page"
}

describe("the style sheet", () => {
  it("lies at a path that names its content", () => {
    const digits = createHash("sha256").update(text).digest("hex").slice(0, 16)
    assert.strictEqual(STYLE_SHEET.path, `/sign-in/${digits}.css`)
  })

  it("loads nothing: its pictures are in it", () => {
    assert.notMatch(text, /@import|@font-face|image-set|https?:\/\/(?!www\.w3\.org\/)/)
    const addresses = Array.from(text.matchAll(/url\("?([^"]*)/g), ([, address = ""]) => address)
    assert.isAbove(addresses.length, 5)
    for (const address of addresses) {
      assert.match(address, /^data:image\/svg\+xml,/)
      assert.notMatch(decodeURIComponent(address), /<script|<style| on|href/)
    }
  })

  it("has brackets in pairs", () => {
    assert.strictEqual(text.split("{").length, text.split("}").length)
  })

  it.each([
    ["light", light],
    ["dark", dark]
  ])("has the contrast of WCAG 2.2 AA in %s", (_, colours) => {
    for (const [front, ground, least] of PAIRS) {
      const ratio = contrast(colours[front] ?? "", colours[ground] ?? "")
      assert.isAtLeast(ratio, least, `${front} on ${ground}`)
    }
  })

  it.each([
    ["light", light, /^:root \{([^}]*)\}/m, { ground: "raised", card: "page" }],
    ["dark", dark, /^:root\[data-theme="dark"\] \{([^}]*)\}/m, { ground: "page", card: "raised" }]
  ] as const)("has the colours of the viewer in %s", (_, colours, rule, grounds) => {
    const file = new URL("../../../../../ui/src/base.css", import.meta.url)
    const viewer = coloursOf(readFileSync(file, "utf8"), rule)
    for (const [name, there] of Object.entries({ ...VIEWER, ...grounds })) {
      assert.strictEqual(colours[name], viewer[there], name)
    }
  })

  it("heeds those who see fewer colours, print, or use the keyboard, and moves nothing", () => {
    for (const rule of ["forced-colors: active", "@media print", ":focus-visible"]) assert.include(text, rule)
    assert.notMatch(text, /transition|animation|@keyframes|scroll-behavior/)
  })
})
