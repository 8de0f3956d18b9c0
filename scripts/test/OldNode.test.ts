/** What `npm start` runs with the machine's own Node, before the newer one that it fetches is used. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

const importsOf = (file: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, file), "utf8").matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(
    ([, name = ""]) => name
  )

/** What a configuration of a page loads, with the files beside it that are built into it. */
const loadedBy = (file: string): ReadonlyArray<string> =>
  importsOf(file).flatMap((name) => (name.startsWith(".") ? loadedBy(join(dirname(file), name)) : [name]))

describe("a page's configuration", () => {
  const configurations = globSync("packages/*/vite.config.ts", { cwd: root })

  it("loads no TypeScript of a package, which an old Node cannot read", () => {
    assert.isAtLeast(configurations.length, 2)
    for (const file of configurations) {
      assert.include(loadedBy(file), "vite", file)
      assert.deepStrictEqual(
        loadedBy(file).filter((name) => name.startsWith("@cairn/")),
        [],
        resolve(root, file)
      )
    }
  })
})
