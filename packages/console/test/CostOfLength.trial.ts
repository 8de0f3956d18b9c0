import { superlinear } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { READERS } from "./OutsideReaders.ts"

/** Milliseconds; a busy machine takes its time. */
const LONG_ENOUGH = 900_000

describe("eight times the length costs less than twenty-four times the work", () => {
  for (const reader of READERS) {
    it(`of ${reader.name}`, () => assert.deepStrictEqual(superlinear(reader), []), LONG_ENOUGH)
  }
})
