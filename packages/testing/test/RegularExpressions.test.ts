import { assert, describe, it } from "@effect/vitest"
import { sourceRegExps } from "./SourceRegExps.ts"

describe("regular expressions of the sources", () => {
  const found = sourceRegExps()

  it("are found", () => {
    assert.isAbove(found.length, 100)
    for (const folder of ["packages/ui/src/", "packages/verifier/src/", "packages/server/src/http/"]) {
      assert.isTrue(
        found.some(({ file }) => file.startsWith(folder)),
        folder
      )
    }
  })

  it("are made of constants, so that they are known before the program runs", () => {
    assert.deepStrictEqual(
      found.filter(({ pattern }) => pattern === null).map(({ file, text }) => `${file}: ${text}`),
      []
    )
  })
})
