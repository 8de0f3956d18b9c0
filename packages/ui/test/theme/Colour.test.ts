import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type Colour,
  contrast,
  formatColour,
  readableOn,
  readColour,
  textOn
} from "../../src/theme/Colour.ts"

const generated = generatedTests(import.meta.url)

const channel = fc.integer({ min: 0, max: 255 })
const colour: fc.Arbitrary<Colour> = fc.tuple(channel, channel, channel)
const light: ReadonlyArray<Colour> = [
  [255, 255, 255],
  [244, 246, 248]
]
const dark: ReadonlyArray<Colour> = [
  [20, 23, 28],
  [29, 34, 41]
]

describe("an accent colour", () => {
  it("is read from three or six digits, with or without the sign, and from nothing else", () => {
    assert.deepStrictEqual(readColour("#0b5cad"), [11, 92, 173])
    assert.deepStrictEqual(readColour("FC0"), [255, 204, 0])
    for (const text of ["", "red", "#12345", "#1234567", "url(x)", "0b5cag", "#0b5cad;"]) {
      assert.isUndefined(readColour(text), text)
    }
  })

  it("has the contrast that WCAG names for black on white", () => {
    assert.closeTo(contrast([0, 0, 0], [255, 255, 255]), 21, 1e-9)
    // From WebAIM's checker.
    assert.closeTo(contrast([119, 119, 119], [255, 255, 255]), 4.48, 0.005)
  })

  it("is readable on every background of its theme, whatever it was", () => {
    generated.property(
      fc.property(colour, fc.constantFrom(light, dark), (asked, backgrounds) => {
        const readable = readableOn(asked, backgrounds)
        for (const background of backgrounds) assert.isAtLeast(contrast(readable, background), 4.5)
        assert.isAtLeast(contrast(textOn(readable), readable), 4.5)
      })
    )
  })

  it("stays as it is where it is readable", () => {
    assert.strictEqual(formatColour(readableOn([11, 92, 173], light)), "rgb(11 92 173)")
  })
})
