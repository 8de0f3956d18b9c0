import { assert, describe, it } from "@effect/vitest"
import { BREAK_MEANING, ChainBreak, printable, sayEvent } from "../src/index.ts"

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

describe("a text from a log", () => {
  it("is shown without anything that a terminal would obey, whatever character it is", () => {
    for (let code = 0; code < 0x1_0000; code++) {
      const shown = printable(`a${String.fromCharCode(code)}b`)
      assert.notMatch(shown, /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u, code.toString(16))
      assert.notMatch(shown, /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/, code.toString(16))
    }
  })

  it("is cut if it is long", () => {
    assert.strictEqual(printable("x".repeat(8 << 20)), `${"x".repeat(200)}…`)
    assert.strictEqual(printable("Zoë 🦊"), "Zoë 🦊")
    // A pair that is cut in two leaves nothing that is no character.
    assert.isTrue(printable(`${"x".repeat(199)}🦊`).isWellFormed())
  })
})
