import { withoutSlashesAround, withoutSlashesAtEnd } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"

const CASES: ReadonlyArray<readonly [text: string, atEnd: string, around: string]> = [
  ["", "", ""],
  ["/", "", ""],
  ["///", "", ""],
  ["a", "a", "a"],
  ["/a//b/", "/a//b", "a//b"],
  ["//a///", "//a", "a"],
  ["https://example.com//", "https://example.com", "https://example.com"]
]

describe("slashes at the edges", () => {
  for (const [text, atEnd, around] of CASES) {
    it(`are taken from ${JSON.stringify(text)}`, () => {
      assert.strictEqual(withoutSlashesAtEnd(text), atEnd)
      assert.strictEqual(withoutSlashesAround(text), around)
    })
  }
})
