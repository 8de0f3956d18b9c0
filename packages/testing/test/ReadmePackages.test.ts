import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const text = readFileSync(join(root, "README.md"), "utf8").split("\n## Packages\n")[1] ?? ""
const section = text.split("\n## ")[0] ?? ""

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ name: Schema.String, private: Schema.optional(Schema.Boolean) }))
)
const packages = globSync("packages/*/package.json", { cwd: root }).map((file) =>
  decode(readFileSync(join(root, file), "utf8"))
)
const namesOf = (isPrivate: boolean) =>
  packages.flatMap((one) => ((one.private === true) === isPrivate ? [one.name] : [])).sort()

describe("README.md", () => {
  it("lists every package that is published, and no other", () => {
    const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
    assert.isAbove(listed.length, 5)
    assert.deepStrictEqual(listed.sort(), namesOf(false))
  })

  it("names those that are for this repository alone", () => {
    const after = section.slice(section.indexOf("for this repository alone"))
    const named = [...new Set([...after.matchAll(/`(@cairn\/[a-z-]+)`/g)].map(([, name]) => name))]
    assert.deepStrictEqual(named.sort(), namesOf(true))
  })
})
