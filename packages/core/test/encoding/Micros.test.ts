import { Micros } from "@cairn/core/encoding"
import { Cursor } from "@cairn/core/log"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"

const generated = generatedTests(import.meta.url)

describe("Micros", () => {
  for (const [text, expected] of [
    ["2024-05-01", "2024-05-01T00:00:00.000000Z"],
    ["2024-05-01T12:30:45Z", "2024-05-01T12:30:45.000000Z"],
    ["2024-05-01T12:30:45.1Z", "2024-05-01T12:30:45.100000Z"],
    ["2024-05-01T12:30:45,123456Z", "2024-05-01T12:30:45.123456Z"],
    ["2024-05-01T12:30:45.1234569Z", "2024-05-01T12:30:45.123456Z"],
    ["2024-05-01T12:30:45+02:00", "2024-05-01T10:30:45.000000Z"],
    ["2024-05-01T00:30:45-0530", "2024-05-01T06:00:45.000000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"],
    ["1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"],
    ["0000-01-01", "0000-01-01T00:00:00.000000Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"]
  ] as const) {
    it(`reads ${text}`, () => assert.strictEqual(Micros.normalize(text), expected))
  }

  for (const text of [
    "",
    "yesterday",
    "2024",
    "2024-13-01",
    "2023-02-29",
    "2024-04-31",
    "2024-05-01T24:00:00Z",
    "2024-05-01T12:60:00Z",
    "2024-05-01T12:30:60Z",
    "2024-05-01T12:30:45+25:00",
    "24-05-01",
    "9999-12-31T23:59:59-01:00",
    " 2024-05-01"
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.isUndefined(Micros.parse(text)))
  }

  it("writes what it reads, to the microsecond", () => {
    generated.property(
      FastCheck.property(
        FastCheck.integer({ min: -62_167_219_200_000_000, max: Number.MAX_SAFE_INTEGER }),
        (micros) => {
          const safe = Math.max(micros, Number.MIN_SAFE_INTEGER)
          return Micros.parse(Micros.format(safe)) === safe
        }
      )
    )
  })
})

describe("Cursor", () => {
  it("comes back as it went", () => {
    generated.property(
      FastCheck.property(FastCheck.maxSafeNat(), (micros) => Cursor.decode(Cursor.encode(micros)) === micros)
    )
  })

  for (const text of ["", "!", "MTc5=", "MTc5 ", "LTU", "MWUz", "MDA3", "OTk5OTk5OTk5OTk5OTk5OTk5OTk"]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.isUndefined(Cursor.decode(text)))
  }
})
