import { MalformedPrivateKey, privateKeyFrom } from "@cairn/anchor-base"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

const DIGITS = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

describe("privateKeyFrom", () => {
  it("reads 64 hexadecimal characters, with 0x or without, in a file with a newline or not", () => {
    for (const text of [DIGITS, `0x${DIGITS}`, `  0X${DIGITS.toUpperCase()}\r\n`]) {
      assert.strictEqual(Redacted.value(Result.getOrThrow(privateKeyFrom(text))), `0x${DIGITS}`)
    }
  })

  it("refuses anything else, and repeats none of it", () => {
    for (const text of ["", "0x", DIGITS.slice(1), `${DIGITS}0`, `${DIGITS.slice(0, 63)}g`]) {
      const found = privateKeyFrom(text)
      assert.deepStrictEqual(found, Result.fail(new MalformedPrivateKey({ length: text.length })))
      if (text.length > 2) assert.notInclude(JSON.stringify(found), text.slice(0, 10))
    }
  })

  it("shows no key when it is printed", () => {
    assert.notInclude(String(Result.getOrThrow(privateKeyFrom(DIGITS))), DIGITS.slice(0, 8))
  })
})
