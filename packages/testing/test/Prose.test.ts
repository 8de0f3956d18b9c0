import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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
      "docs/decisions/README.md": `\u{1f600}${widest.slice(1)}\n`
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

  it("finds words that the glossary avoids, in docs, comments and texts", () => {
    const { status, found } = check("words", {
      "docs/Glossary.md":
        "## Words to prefer\n\n| write | not |\n|---|---|\n| *again* | `anew` |\n| *is notified* | `is told`, but `told apart` |\n",
      "README.md": "Anew.\n",
      "packages/a/CHANGELOG.md": "anew\n",
      "packages/a/src/A.ts":
        '/**\n * Who is\n * told, and what is told apart, like renewed.\n */\nexport const a = "is told"\n',
      "packages/a/test/A.test.ts": 'it("begins anew")\n',
      "packages/testing/src/contracts/A.ts": '// Begins anew.\nit("begins anew")\n',
      "clients/python/src/a.py": '"""Begins anew."""\n'
    })
    assert.strictEqual(status, 1)
    assert.sameMembers(found, [
      'README.md:1: "Anew", see docs/Glossary.md',
      'packages/a/src/A.ts:2: "is told", see docs/Glossary.md',
      'packages/a/src/A.ts:5: "is told", see docs/Glossary.md',
      'packages/testing/src/contracts/A.ts:1: "anew", see docs/Glossary.md',
      'clients/python/src/a.py:1: "anew", see docs/Glossary.md'
    ])
  })

  it("reads the words from the glossary of this repository", () => {
    const glossary = readFileSync(join(root, "docs/Glossary.md"), "utf8")
    const { found } = check("own-words", {
      "docs/Glossary.md": glossary,
      "README.md": "Whoever\nbegins anew\nis told to, and is told.\n"
    })
    assert.deepStrictEqual(
      found.map((line) => line.split(",")[0]),
      ['README.md:1: "Whoever"', 'README.md:2: "anew"', 'README.md:3: "is told"']
    )
  })

  it("finds decisions that lack a section of the others", () => {
    const whole = "# 1. A\n\n**Context.** A.\n\n**Decision**\n\n- A.\n\n**Reasons.** A.\n\n**Rejected.** B.\n"
    const { found } = check("decisions", {
      "docs/decisions/0001-a.md": whole,
      "docs/decisions/0002-b.md": whole.replace("**Reasons.** A.\n\n", ""),
      "docs/decisions/README.md": "# Decisions\n"
    })
    assert.deepStrictEqual(found, [
      "docs/decisions/0002-b.md: its sections are not Context, Decision, Reasons, Rejected"
    ])
  })
})
