import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (file: string) => readFileSync(join(root, file), "utf8")

const decodeManifest = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({
      name: Schema.String,
      version: Schema.String,
      private: Schema.optionalKey(Schema.Boolean),
      files: Schema.optionalKey(Schema.Array(Schema.String))
    })
  )
)

const manifests = globSync("packages/*/package.json", { cwd: root }).map((file) => ({
  folder: dirname(file),
  ...decodeManifest(read(file))
}))
const published = manifests.filter((manifest) => manifest.private !== true)

describe("the change logs", () => {
  it("are published, and say what they are before their first entry", () => {
    assert.isAbove(published.length, 10)
    for (const { folder, name, version, files } of published) {
      assert.include(files ?? [], "CHANGELOG.md", name)
      const [title, , ...lines] = read(join(folder, "CHANGELOG.md")).split("\n")
      assert.strictEqual(title, `# ${name}`)
      // Entries are put before the first heading that is a version: what stands above stays at the top.
      const first = lines.findIndex((line) => line.startsWith("## "))
      assert.include(lines.slice(0, first).join(" "), "What changed for those who use this package", name)
      assert.strictEqual(lines[first], `## ${version}`, name)
    }
  })
})

/** A note: the packages that it is for, each once, and what it says. */
const NOTE = /^---\n((?:"@cairn\/[a-z-]+": (?:major|minor|patch)\n)+)---\n\n\S/

describe("the notes on changes", () => {
  const names = published.map(({ name }) => name)

  it("name published packages, and say something", () => {
    for (const file of globSync(".changeset/*.md", { cwd: root })) {
      const [, head = ""] = NOTE.exec(read(file)) ?? []
      const named = [...head.matchAll(/^"([^"]+)"/gm)].map(([, name = ""]) => name)
      assert.isNotEmpty(named, file)
      assert.includeMembers(names, named, file)
      assert.lengthOf(named, new Set(named).size, file)
    }
  })
})
