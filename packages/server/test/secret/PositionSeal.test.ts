/** The seal of positions: which texts open, and what a client may learn from one. */
import { randomBytes } from "node:crypto"
import type { ReachedPosition } from "@cairn/core/log"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { makePositionSeal } from "../../src/secret/PositionSeal.ts"

const generated = generatedTests(import.meta.url)

const newKey = () => randomBytes(32).toString("base64")
const [KEY, FORMER] = [newKey(), newKey()]
const seal = makePositionSeal([KEY])

const reached = (changes: Partial<ReachedPosition> = {}): ReachedPosition => ({
  system: "00ab0000000000cd",
  timeline: 3,
  written: 0x0f_ed_cb_a9_87,
  at: 1_800_000_000_000_000,
  ...changes
})

describe("a sealed position", () => {
  it("opens at every server with the same key, the smallest and the greatest, and with a former one", () => {
    const { at: _, ...position } = reached()
    assert.deepStrictEqual(makePositionSeal([KEY]).open(seal.seal(reached())), position)
    assert.deepStrictEqual(makePositionSeal([FORMER, KEY]).open(seal.seal(reached())), position)
    for (const changes of [
      { timeline: 1, written: 0, at: 0 },
      { timeline: 0xff_ff_ff_ff, written: Number.MAX_SAFE_INTEGER, at: Number.MAX_SAFE_INTEGER }
    ]) {
      const { at, ...rest } = reached(changes)
      const text = seal.seal({ ...rest, at })
      assert.lengthOf(text, 83)
      assert.deepStrictEqual(seal.open(text), rest)
    }
    assert.strictEqual(makePositionSeal([FORMER]).open(seal.seal(reached())), "unknown")
  })

  it("does not open once any character is another one", () =>
    generated.stories({}, (random) => {
      const text = seal.seal(reached())
      for (let place = 0; place < text.length; place++) {
        const others = [..."0123456789abcdefABCXYZ-_. é"].filter((one) => one !== text[place])
        const changed = `${text.slice(0, place)}${random.pick(others)}${text.slice(place + 1)}`
        assert.isTrue(
          [undefined, "unknown"].some((one) => one === seal.open(changed)),
          changed
        )
      }
      for (const changed of [
        "",
        "1",
        text.slice(1),
        text.slice(0, -1),
        `${text}A`,
        `${text}\n`,
        ` ${text}`
      ]) {
        assert.isUndefined(seal.open(changed), JSON.stringify(changed))
      }
    }))

  it("tells nothing but its time: two of one position have no part in common, nor anything of it", () => {
    const texts = Array.from({ length: 50 }, () => seal.seal(reached()))
    const bytes = texts.map((text) => Buffer.from(text.slice(15), "base64url"))
    assert.deepStrictEqual(new Set(texts.map((text) => text.slice(0, 15))).size, 1)
    for (let place = 0; place < 51; place++) {
      // 50 random bytes are the same one once in 256^49 times.
      assert.isAbove(new Set(bytes.map((one) => one[place])).size, 1, `byte ${place}`)
    }
    for (const text of texts) assert.notInclude(text, "fedcba987")
  })

  it("of a later time is the greater text", () =>
    generated.stories({}, (random) => {
      const times = Array.from({ length: 200 }, () => random.below(2 ** 50))
      const texts = times.map((at) => ({ at, text: seal.seal(reached({ at })) }))
      const byText = texts.toSorted((one, other) => (one.text < other.text ? -1 : 1)).map(({ at }) => at)
      assert.deepStrictEqual(
        byText,
        times.toSorted((one, other) => one - other)
      )
    }))
})
