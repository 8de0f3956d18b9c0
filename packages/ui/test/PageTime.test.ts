import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))

const SOURCES = ["packages/console/src/page/**/*.{ts,tsx}", "packages/ui/src/**/*.{ts,tsx}"]

/** The browser's clock, as a call or handed on. */
const BROWSER_CLOCK = /\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])|(?<!new\s)\bDate\s*\(\s*\)/

/** Who reads the browser's clock all the same. */
const MAY = [
  // Without a connection, by whoever checks: the report says when by that computer's clock.
  "packages/console/src/page/pages/check/RunCheck.ts",
  // How long ago the same browser was there.
  "packages/console/src/page/frame/PageFile.tsx",
  // What is put right.
  "packages/ui/src/locale/PageClock.ts",
  "packages/ui/src/locale/ServiceClock.ts"
].sort()

describe("what time it is on a page", () => {
  it.each(["Date.now()", "useState(Date.now)", "new Date()", "new Date( )", "new Date", "Date()"])(
    "is not %s",
    (text) => {
      assert.match(text, BROWSER_CLOCK)
    }
  )

  it.each(["clock.now()", "new Date(clock.now())", "Date.parse(at)", "new Date(\n  at\n)"])(
    "may be %j",
    (text) => {
      assert.notMatch(text, BROWSER_CLOCK)
    }
  )

  it("is read from the page's clock, which the service puts right", () => {
    const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root }))
    assert.isAbove(files.length, 200)
    const readers = files.filter((file) => {
      // Comments and types name the class, too.
      const text = readFileSync(join(root, file), "utf8").replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, "")
      return BROWSER_CLOCK.test(text)
    })
    assert.deepStrictEqual(readers.sort(), MAY)
  })
})
