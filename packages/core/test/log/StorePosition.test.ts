import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { formatPosition, laterPosition, parsePosition } from "../../src/log/StorePosition.ts"

const generated = generatedTests(import.meta.url)

const position = FastCheck.record({
  system: FastCheck.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((id) => id.toString(16).padStart(16, "0")),
  timeline: FastCheck.integer({ min: 1, max: 2 ** 32 - 1 }),
  written: FastCheck.maxSafeNat()
})

const here = { system: "00000000000000ab", timeline: 3, written: 255 }

describe("a position of a store", () => {
  it("comes back from its text, which always has 42 characters", () => {
    assert.strictEqual(formatPosition(here), "1-00000000000000ab-00000003-000000000000ff")
    generated.property(
      FastCheck.property(position, (one) => {
        const text = formatPosition(one)
        assert.strictEqual(text.length, 42)
        assert.deepStrictEqual(parsePosition(text), one)
      })
    )
  })

  it("is no other text", () => {
    const text = formatPosition(here)
    for (const wrong of [
      "",
      ` ${text}`,
      `${text}\n`,
      `${text}0`,
      text.slice(1),
      text.toUpperCase(),
      text.replace("1-", "2-"),
      "1-00000000000000ab-00000000-000000000000ff",
      "1-00000000000000ab-00000003-ffffffffffffff"
    ]) {
      assert.isUndefined(parsePosition(wrong), JSON.stringify(wrong))
    }
  })

  it("is later than another of its history where more is written, and otherwise not compared", () => {
    const earlier = { ...here, written: 254 }
    assert.strictEqual(laterPosition(here, earlier), here)
    assert.strictEqual(laterPosition(earlier, here), here)
    for (const other of [
      { ...earlier, timeline: 2 },
      { ...earlier, system: "00000000000000ac" }
    ]) {
      assert.strictEqual(laterPosition(here, other), other)
    }
  })
})
