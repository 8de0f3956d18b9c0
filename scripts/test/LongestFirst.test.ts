import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { LONGEST, longestFirst } from "./LongestFirst.ts"

describe("the order of files", () => {
  it("begins with those that take longest, and leaves the others in theirs", () => {
    const [first = "", second = ""] = LONGEST
    const files = ["b.test.ts", second, "a.test.ts", first]
    assert.deepStrictEqual(
      longestFirst(files, (file) => file),
      [first, second, "b.test.ts", "a.test.ts"]
    )
  })

  it("names files that there are, each once", () => {
    const missing = LONGEST.filter(
      (path) => !existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)))
    )
    assert.deepStrictEqual(missing, [])
    assert.strictEqual(new Set(LONGEST).size, LONGEST.length)
  })
})
