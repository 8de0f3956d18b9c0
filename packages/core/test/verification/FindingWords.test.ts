import { assert, describe, it } from "@effect/vitest"
import {
  BREAK_MEANING,
  ChainBreak,
  printable,
  printableJson,
  printableLines,
  sayEvent
} from "../../src/verification/index.ts"

describe("the words for what is found", () => {
  it("are there for each kind of break that the interface names", () => {
    assert.sameMembers(Object.keys(BREAK_MEANING), [...ChainBreak.fields.type.literals])
  })

  it("name an event by who, what and when", () => {
    const said = sayEvent({
      actor: { id: "ada" },
      action: "document.viewed",
      occurred_at: "2026-01-15T09:30:00.000000Z"
    })
    assert.strictEqual(said, "ada, document.viewed, at 2026-01-15T09:30:00.000000Z")
  })
})

/** Controls, halves of pairs, separators, and what sets the direction or has no width. */
const OBEYED = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u

describe("a text from a log", () => {
  it("is shown without anything that a terminal would obey, whatever character it is", () => {
    for (let code = 0; code < 0x1_0000; code++) {
      const shown = printable(`a${String.fromCharCode(code)}b`)
      if (OBEYED.test(shown)) assert.fail(`${code.toString(16)} is shown as it is`)
    }
  })

  it("is cut if it is long", () => {
    assert.strictEqual(printable("x".repeat(8 << 20)), `${"x".repeat(200)}…`)
    assert.strictEqual(printable("Zoë 🦊"), "Zoë 🦊")
    // A pair that is cut in two leaves nothing that is no character.
    assert.isTrue(printable(`${"x".repeat(199)}🦊`).isWellFormed())
  })
})

describe("what a terminal is given", () => {
  // Controls of both kinds, escape sequences, directions, marks without width, separators, halves of a pair.
  const obeyed = [
    ...Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((one) =>
      /\p{Cc}/u.test(one)
    ),
    ..."\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\ufeff\ufff9",
    "\ud800"
  ]

  it("obeys nothing of any text, in lines or in JSON, and JSON reads back as the same", () => {
    for (const one of obeyed) {
      const text = `x${one}cairn.x`
      if (one !== "\n" && one !== "\t") assert.notInclude(printableLines(text), one)
      const value = { action: text, [text]: [text] }
      const json = printableJson(value)
      assert.notInclude(json, one)
      assert.deepStrictEqual(JSON.parse(json), value)
    }
  })

  it("is given all the rest as it is", () => {
    const text = "a\tb\nÆther 日本 👩 é\n"
    assert.strictEqual(printableLines(text), text)
    assert.strictEqual(printableJson({ text }), JSON.stringify({ text }))
  })
})
