/** Different values have different numbers, also those that have the same hash. */
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { hashOfBytes, PART_END, ValueTable } from "../../../src/log/frame/ValueTable.ts"

const generated = generatedTests(import.meta.url)

/** Few different ones, most of them with the same first part, up to which the hash goes. */
const someValue = FastCheck.array(FastCheck.constantFrom(0x61, 0x62, PART_END), { maxLength: 4 }).map(
  (bytes) => Uint8Array.from(bytes)
)

describe("a table of values", () => {
  it("numbers them in the order in which they come, each once", () => {
    generated.property(
      FastCheck.property(FastCheck.array(someValue, { maxLength: 60 }), (values) => {
        const table = new ValueTable()
        const numbers = values.map((value) => table.number(value))
        const keys = values.map(String)
        const different = [...new Set(keys)]
        assert.deepStrictEqual(
          numbers,
          keys.map((key) => different.indexOf(key))
        )
        assert.deepStrictEqual(table.values.map(String), different)
        assert.deepStrictEqual(table.hashes, table.values.map(hashOfBytes))
      })
    )
  })
})
