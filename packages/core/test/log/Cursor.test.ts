import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import * as Micros from "../../src/encoding/Micros.ts"
import { decode, decodeOccurrence, encode, encodeOccurrence } from "../../src/log/Cursor.ts"

const generated = generatedTests(import.meta.url)

const NOON = Micros.parse("2024-05-01T12:00:00.123456Z") ?? 0

/** RFC 4648 section 5 by Node's hand. */
const base64url = (text: string): string => Buffer.from(text, "latin1").toString("base64url")

describe("a cursor", () => {
  it("is the decimal microseconds of the last item in URL-safe base64 without padding", () => {
    assert.strictEqual(encode(NOON), "MTcxNDU2NDgwMDEyMzQ1Ng")
    generated.property(
      FastCheck.property(FastCheck.maxSafeNat(), (micros) => encode(micros) === base64url(String(micros)))
    )
  })

  it("names each microsecond from 1970 until 2255, and comes back as it went", () => {
    for (const micros of [0, 1, 9, 10, NOON, Number.MAX_SAFE_INTEGER]) {
      assert.strictEqual(decode(encode(micros)), micros)
    }
    generated.property(
      FastCheck.property(FastCheck.maxSafeNat(), (micros) => decode(encode(micros)) === micros)
    )
  })

  it("of the order of occurrence has the moment and the sequence, each of which may be below zero", () => {
    for (const occurredAt of [0, 1, -1, NOON, -62_135_596_800_000_000, 253_402_300_799_000_000])
      for (const sequence of [1, 0, 12, -(2 ** 35), Number.MAX_SAFE_INTEGER]) {
        const cursor = encodeOccurrence({ occurredAt, sequence })
        assert.strictEqual(cursor, base64url(`${occurredAt}.${sequence}`))
        assert.deepStrictEqual(decodeOccurrence(cursor), { occurredAt, sequence })
        assert.isUndefined(decode(cursor))
      }
    for (const text of [
      "",
      "1",
      "1.",
      ".1",
      "01.1",
      "1.01",
      "-0.1",
      "1.-0",
      "1.1.1",
      "1e3.1",
      "1.9007199254740992"
    ])
      assert.isUndefined(decodeOccurrence(base64url(text)), text)
    assert.isUndefined(decodeOccurrence(`${encodeOccurrence({ occurredAt: 1, sequence: 1 })}=`))
    assert.isUndefined(decodeOccurrence(encode(NOON)))
  })

  it.each([
    ["nothing", ""],
    ["a minus", "-1"],
    ["a plus", "+1"],
    ["a leading zero", "01"],
    ["a fraction", "1.0"],
    ["an exponent", "1e3"],
    ["hexadecimal digits", "0x10"],
    ["a space before", " 1"],
    ["a line break after", "1\n"],
    ["digits of another script", "\u0661"],
    ["the first integer that a double may have rounded", "9007199254740992"],
    ["a digit more than a time has", "17145648001234560"]
  ])("is none when it holds %s", (_, text) => {
    assert.isUndefined(decode(Buffer.from(text, "utf8").toString("base64url")))
  })

  it.each([
    ["padding", `${encode(NOON)}==`],
    ["a character that base64 does not have", `${encode(NOON)}!`],
    ["a space before", ` ${encode(NOON)}`],
    ["a line break after", `${encode(NOON)}\n`],
    ["a character too few", encode(NOON).slice(0, -1)],
    ["bits set that it does not use", `${encode(NOON).slice(0, -1)}h`]
  ])("is none with %s", (_, cursor) => {
    assert.isUndefined(decode(cursor))
  })

  it("has one spelling: whatever decodes is what its microseconds encode to", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n"
    const changed = FastCheck.tuple(FastCheck.maxSafeNat(), FastCheck.nat(21), FastCheck.nat(69)).map(
      ([micros, place, character]) => {
        const cursor = encode(micros)
        const at = place % cursor.length
        return cursor.slice(0, at) + alphabet.charAt(character) + cursor.slice(at + 1)
      }
    )
    generated.property(
      FastCheck.property(FastCheck.oneof(changed, FastCheck.string()), (text) => {
        const micros = decode(text)
        return micros === undefined || encode(micros) === text
      }),
      { numRuns: 2_000 }
    )
  })
})
