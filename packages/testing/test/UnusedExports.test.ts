import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** What is made: another test may be making it while this one reads. */
const isMade = (file: string) =>
  /(?:^|\/)(?:node_modules|dist|bundle|coverage|testdata)\/|client\/src\/Schema\.ts$/.test(file)

const files = globSync("{packages,examples,scripts,docs}/**/*.{ts,tsx,mjs,js,md}", {
  cwd: root,
  exclude: ["**/node_modules", "**/dist"]
})
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !isMade(file))

const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]))

/** The files in which each word stands. */
const filesOf = new Map<string, Set<string>>()
for (const [file, text] of texts)
  for (const [word] of text.matchAll(/[\w$]+/g)) {
    const found = filesOf.get(word)
    if (found === undefined) filesOf.set(word, new Set([file]))
    else found.add(file)
  }

/** The constants and functions that a file exports where it makes them. */
const valuesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^export (?:async )?(?:const|let|function\*?) ([\w$]+)/gm)].flatMap(([, name]) =>
    name === undefined ? [] : [name]
  )

describe("an exported constant or function", () => {
  it("is named by another file than its own", () => {
    const exported = [...texts].flatMap(([file, text]) =>
      /^packages\/[^/]+\/src\//.test(file) ? valuesOf(text).map((name) => ({ file, name })) : []
    )
    assert.isAbove(exported.length, 1_000)
    assert.deepStrictEqual(
      exported
        .filter(({ name }) => (filesOf.get(name)?.size ?? 0) < 2)
        .map(({ file, name }) => `${file}: ${name}`),
      []
    )
  })
})
