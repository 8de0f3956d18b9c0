import { assert, describe, it } from "@effect/vitest"
import { nextOf, tallyOf } from "../../../src/log/verification/Tally.ts"

describe("how many events verified", () => {
  it("is counted, with those that did not", () => {
    assert.deepStrictEqual(
      tallyOf([
        ["a", "proven"],
        ["b", "unchecked"],
        ["c", "checking"]
      ]),
      { shown: 3, proven: 1, isChecking: true, isBroken: false, others: ["b"] }
    )
  })

  it("leads to those whose verification failed before those without one", () => {
    assert.deepStrictEqual(
      tallyOf([
        ["a", "unchecked"],
        ["b", "broken"],
        ["c", "broken"]
      ]),
      { shown: 3, proven: 0, isChecking: false, isBroken: true, others: ["b", "c"] }
    )
  })

  it("says of one alone that its verification failed", () => {
    assert.deepStrictEqual(tallyOf([["a", "broken"]]), {
      shown: 1,
      proven: 0,
      isChecking: false,
      isBroken: true,
      others: ["a"]
    })
  })

  it("leads to one after the other, and then to the first", () => {
    assert.deepStrictEqual(
      [undefined, "b", "c", "gone"].map((last) => nextOf(["b", "c"], last)),
      ["b", "c", "b", "b"]
    )
    assert.isUndefined(nextOf([], "b"))
  })
})
