import { compressTexts, openTexts } from "@cairn/storage-sql"
import { assert, describe, it } from "@effect/vitest"

const FIRST = 1_000
const entries = Array.from({ length: 40 }, (_, index) => ({
  sequence: FIRST + index,
  text: new TextEncoder().encode(`document ${index % 7} was read by user ${index * 7}`)
}))

/** A frame as it is read from its blob; undefined if that is damaged. */
const opened = (blob: Uint8Array) => {
  const frame = openTexts({ number: 0, first: FIRST, texts: blob })
  return frame && { ...frame, texts: Buffer.from(frame.texts).toString("hex") }
}

describe("the blob of a frame", () => {
  const blob = compressTexts(FIRST, entries)
  const whole = opened(blob)

  it("that has a bit flipped is damaged, or the same frame", () => {
    assert.lengthOf(whole?.sequences ?? [], entries.length)
    let damaged = 0
    for (let bit = 0; bit < blob.length * 8; bit++) {
      const flipped = blob.slice()
      flipped[bit >>> 3] = (flipped[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
      const found = opened(flipped)
      if (found === undefined) damaged++
      else assert.deepStrictEqual(found, whole, `bit ${bit}`)
    }
    assert.isAbove(damaged, blob.length * 7)
  })

  it("that is cut short is damaged", () => {
    for (let length = 0; length < blob.length; length++)
      assert.isUndefined(opened(blob.subarray(0, length)), `${length} bytes`)
  })
})
