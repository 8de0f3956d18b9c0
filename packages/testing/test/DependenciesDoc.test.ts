import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const Versions = Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
const decodeManifest = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({
      workspaces: Schema.optionalKey(Schema.Array(Schema.String)),
      dependencies: Versions,
      devDependencies: Versions,
      peerDependencies: Versions,
      optionalDependencies: Versions
    })
  )
)

const manifestAt = (folder: string) =>
  decodeManifest(readFileSync(join(root, folder, "package.json"), "utf8"))

const folders = [
  "",
  ...(manifestAt("").workspaces ?? [])
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((folder) => existsSync(join(root, folder, "package.json")))
]

/** Each dependency on someone else's package: its name, its version, and the folder that has it. */
const dependencies = folders.flatMap((folder) => {
  const manifest = manifestAt(folder)
  return [
    manifest.dependencies,
    manifest.devDependencies,
    manifest.peerDependencies,
    manifest.optionalDependencies
  ]
    .flatMap((group) => Object.entries(group ?? {}))
    .filter(([name]) => !name.startsWith("@cairn/"))
    .map(([name, version]) => ({ name, version, folder }))
})

const unique = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)].sort()

const page = readFileSync(join(root, "docs/Dependencies.md"), "utf8")

/** The rows of the page's tables; one may name several packages. */
const rows = [...page.matchAll(/^\| (`.+?`) \| (.+) \|$/gm)].map(([, names = "", why = ""]) => ({
  names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  why
}))
const listed = rows.flatMap(({ names }) => names)

describe("docs/Dependencies.md", () => {
  it("lists each dependency of each package, and nothing else", () => {
    assert.isAbove(folders.length, 10)
    assert.deepStrictEqual(listed.toSorted(), unique(dependencies.map(({ name }) => name)))
  })

  it("says why in a line", () => {
    for (const { names, why } of rows) assert.isAtLeast(why.trim().length, 5, names.join())
  })
})

/** TypeDoc needs the JavaScript interface of the compiler, which TypeScript 7 does not have. */
const isOfTypeDoc = ({ name, folder }: { readonly name: string; readonly folder: string }) =>
  name === "typescript" && folder === join("packages", "reference")

describe("the dependencies", () => {
  it("are pinned to one exact version each, the same in every package", () => {
    const shared = dependencies.filter((one) => !isOfTypeDoc(one))
    const versions = unique(shared.map(({ name, version }) => `${name}@${version}`))
    assert.lengthOf(versions, unique(shared.map(({ name }) => name)).length)
    for (const { name, version, folder } of dependencies) {
      assert.match(version, /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, `${name} in ${folder}`)
    }
  })
})
