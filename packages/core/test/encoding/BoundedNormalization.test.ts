import { naughtyStrings } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { MOST_MARKS, normalizeBounded } from "../../src/encoding/BoundedNormalization.ts"

const generated = generatedTests(import.meta.url)

const FORMS = ["NFC", "NFKC"] as const
/** In descending combining classes, and one that is of none. */
const MARKS = ["\u0345", "\u0301", "\u0316", "\u05b0", "\u0903"]

const marks = FastCheck.array(FastCheck.constantFrom(...MARKS), { maxLength: MOST_MARKS }).map((run) =>
  run.join("")
)
const anyText = FastCheck.oneof(
  FastCheck.constantFrom(...naughtyStrings),
  FastCheck.string({ unit: "binary", maxLength: 40 })
)
const writing = FastCheck.array(
  FastCheck.tuple(FastCheck.constantFrom("a", "\u00e4", "\uac00", "\u{1F600}"), marks),
  {
    maxLength: 8
  }
).map((letters) => letters.flat().join(""))

describe("a normalization that is bounded", () => {
  it("is the ordinary one of a text without long runs of marks", () => {
    for (const form of FORMS) {
      for (const text of naughtyStrings)
        assert.strictEqual(normalizeBounded(text, form), text.normalize(form))
      generated.property(
        FastCheck.property(FastCheck.oneof(anyText, writing), (text) => {
          assert.strictEqual(normalizeBounded(text, form), text.normalize(form))
        })
      )
    }
  })

  it("sorts no more than so many marks together, and loses none", () => {
    const run = "\u0301".repeat(MOST_MARKS) + "\u0316".repeat(MOST_MARKS)
    const letter = "x"
    assert.strictEqual(normalizeBounded(letter + run, "NFC"), letter + run)
    assert.notStrictEqual((letter + run).normalize("NFC"), letter + run)
    const first = `${letter}${"\u0301".repeat(MOST_MARKS - 1)}\u0316`
    assert.strictEqual(normalizeBounded(first + run, "NFC"), first.normalize("NFC") + run)
    generated.property(
      FastCheck.property(FastCheck.array(marks, { minLength: 2 }), (runs) => {
        const text = `x${runs.join("")}`
        assert.strictEqual(normalizeBounded(text, "NFC").normalize("NFC"), text.normalize("NFC"))
      })
    )
  })

  it("takes apart the same way what it has made", () => {
    generated.property(
      FastCheck.property(writing, FastCheck.array(marks), (before, runs) => {
        const once = normalizeBounded(before + runs.join(""), "NFC")
        assert.strictEqual(normalizeBounded(once, "NFC").normalize("NFC"), once.normalize("NFC"))
      })
    )
  })
})
