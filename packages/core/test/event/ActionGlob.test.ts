import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { actionGlob } from "../../src/event/ActionGlob.ts"

const generated = generatedTests(import.meta.url)

describe("ActionGlob", () => {
  it.each([
    ["document.deleted", "document.deleted", true],
    ["document.deleted", "document.deleted.twice", false],
    ["document.deleted", "Document.Deleted", true],
    ["*", "", true],
    ["*", "anything.at.all", true],
    ["document.*", "document.deleted", true],
    ["document.*", "document.version.deleted", true],
    ["document.*", "document", false],
    ["document.*", "documents.deleted", false],
    ["*.deleted", "document.deleted", true],
    ["*.deleted", "deleted", false],
    ["*delete*", "s3.DeleteBucket", true],
    ["a*b*c", "axxbyyc", true],
    ["a*b*c", "acb", false],
    ["a*b*c", "abc", true],
    ["ab*bc", "abc", false],
    ["ab*bc", "abbc", true],
    ["a**b", "ab", true],
    ["a.b", "axb", false],
    ["a+(b)?[c]", "a+(b)?[c]", true],
    ["", "", true],
    ["", "a", false]
  ])("%j and %j: %s", (pattern, action, expected) => {
    assert.strictEqual(actionGlob(pattern)(action), expected)
  })

  it("agrees with a regular expression that says the same", () => {
    const text = FastCheck.string({ unit: FastCheck.constantFrom("a", "b", "."), maxLength: 12 })
    const pattern = FastCheck.string({ unit: FastCheck.constantFrom("a", "b", ".", "*"), maxLength: 6 })
    generated.property(
      FastCheck.property(pattern, text, (glob, action) => {
        const expression = new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`)
        assert.strictEqual(actionGlob(glob)(action), expression.test(action))
      }),
      { numRuns: 2_000 }
    )
  })

  it("takes no longer for a pattern that means harm", () => {
    const matches = actionGlob(`${"a*".repeat(128)}b`)
    const began = performance.now()
    for (let index = 0; index < 1_000; index++) matches("a".repeat(256))
    assert.isBelow(performance.now() - began, 2_000)
  })
})
