import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "cairn-prose-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the check finds in a project of these files. */
const check = (name: string, files: Readonly<Record<string, string>>) => {
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, name, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const args = [join(root, "scripts/prose.mjs"), join(folder, name)]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  return { status, found: stdout.trimEnd().split("\n").slice(0, -1) }
}

const widest = "x".repeat(110)

describe("the check of prose", () => {
  it("finds lines of docs that are wider than 110 columns", () => {
    const { status, found } = check("docs", {
      "README.md": `${widest}\n${widest}y\n`,
      "docs/Own.md": `| ${widest} |\n`,
      "docs/decisions/0001-x.md": `\u{1f600}${widest.slice(1)}\n`
    })
    assert.strictEqual(status, 1)
    assert.deepStrictEqual(found, ["README.md:2: 111 columns", "docs/Own.md:1: 114 columns"])
  })

  it("finds comments that are, and leaves code to the formatter", () => {
    const { found } = check("comments", {
      "scripts/a.mjs": `// ${widest}\nconst a = "${widest}"\n/**\n * ${widest}\n */\n`,
      ".ci/run": `# ${widest}\n`
    })
    assert.deepStrictEqual(found, [
      ".ci/run:1: a comment of 112 columns",
      "scripts/a.mjs:1: a comment of 113 columns",
      "scripts/a.mjs:4: a comment of 113 columns"
    ])
  })

  it("lets addresses be as long as they are, and tables of the pages that it names", () => {
    const { status, found } = check("exceptions", {
      "README.md": `see https://example.test/${widest}\n`,
      "docs/Configuration.md": `| ${widest} |\n`,
      "scripts/a.mjs": `// https://example.test/${widest}\n`
    })
    assert.deepStrictEqual(found, [])
    assert.strictEqual(status, 0)
  })

  it("finds links that lead to no file and to no heading", () => {
    const { found } = check("links", {
      "README.md":
        "[a](docs/A.md) [b](docs/A.md#the-second-part) [c](https://example.test) [d](#here)\n# Here\n",
      "docs/A.md": "# The second part\n[e](../README.md#there) [f](B.md)\n"
    })
    assert.deepStrictEqual(found, [
      "docs/A.md: ../README.md has no heading #there",
      "docs/A.md: B.md is not there"
    ])
  })
})
