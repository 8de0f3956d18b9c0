import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const sources = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root }).map((file) =>
  file.replaceAll("\\", "/")
)

/** The files whose names differ from a neighbour's by an `s` at the end. */
const twins = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = new Set(files.map((file) => file.replace(/\.tsx?$/, "")))
  return files.filter((file) => names.has(file.replace(/s\.tsx?$/, "")) && /s\.tsx?$/.test(file))
}

/** The paths that a page names between backticks, of the folders at the top or of a package. */
const pathsOf = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/`([\w.*-]+\/[\w./*-]*)`/g)].flatMap(([, path]) => (path === undefined ? [] : [path]))

const isThere = (path: string): boolean =>
  globSync([path, `packages/${path}`], { cwd: root }).length > 0 || existsSync(join(root, path))

describe("the names of files", () => {
  it("of tests end as the projects of vitest ask for", () => {
    const others = globSync(
      "{packages,examples,scripts}/**/*.{spec.*,test.{tsx,js,mjs},trial.{tsx,js,mjs}}",
      {
        cwd: root,
        exclude: (name) => name === "node_modules"
      }
    )
    assert.deepStrictEqual(others, [])
  })

  it("differ by more than an s from those of their neighbours", () => {
    assert.deepStrictEqual(twins(["a/Row.ts", "a/Rows.ts", "b/Rows.ts"]), ["a/Rows.ts"])
    assert.isAbove(sources.length, 500)
    assert.deepStrictEqual(twins(sources), [])
  })
})

describe("a source", () => {
  it("has at most 400 lines, comments included", () => {
    const long = sources.filter(
      (file) =>
        // Made from the OpenAPI document by a program.
        file !== "packages/client/src/Schema.ts" &&
        readFileSync(join(root, file), "utf8").trimEnd().split("\n").length > 400
    )
    assert.deepStrictEqual(long, [])
  })
})

describe("CONTRIBUTING.md", () => {
  const paths = pathsOf(readFileSync(join(root, "CONTRIBUTING.md"), "utf8"))

  it("names files and folders that are there", () => {
    assert.isFalse(isThere("core/src/Nowhere.ts"))
    assert.isAbove(paths.length, 20)
    assert.deepStrictEqual(
      paths.filter((path) => !isThere(path)),
      []
    )
  })
})
