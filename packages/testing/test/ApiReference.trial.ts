/** The API reference is made as `npm run docs:api` makes it. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "cairn-reference-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the API reference", () => {
  it("is made without a warning, and has a page for each door", { timeout: 300_000 }, () => {
    const args = ["packages/reference/reference.mjs", folder]
    const printed = execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    assert.match(printed, /^\d+ modules, \d+ declarations$/m)
    for (const door of ["core", "storage-sqlite", "client", "verifier"])
      assert.isTrue(existsSync(join(folder, `_cairn/${door}.html`)), door)
  })
})
