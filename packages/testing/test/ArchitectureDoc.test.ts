import { globSync, readdirSync, readFileSync } from "node:fs"
import { join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const page = readFileSync(join(root, "docs/Architecture.md"), "utf8")

/** The folders that the page draws: `packages/<name>/src/`, and below it each room on a line of its own. */
const drawn = (): ReadonlyArray<string> => {
  const lines = /```text\n(packages\/core\/src\/[\s\S]*?)```/.exec(page)?.[1]?.split("\n") ?? []
  const folders: Array<string> = []
  let source = ""
  for (const line of lines) {
    const [name] = line.trim().split(/\s+/)
    if (name?.endsWith("/") !== true) continue
    if (!line.startsWith(" ")) source = name
    folders.push(line.startsWith(" ") ? source + name : name)
  }
  return folders
}

/** The folders below each package's src that hold a file of their own. */
const present = (): ReadonlyArray<string> =>
  globSync("packages/*/src/**/", { cwd: root })
    .map((folder) => `${folder.split(sep).join("/").replace(/\/$/, "")}/`)
    .filter((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true }).some((entry) => entry.isFile())
    )

describe("docs/Architecture.md", () => {
  it("draws every room that there is, and no other", () => {
    assert.isAbove(drawn().length, 60)
    assert.deepStrictEqual([...drawn()].sort(), [...present()].sort())
  })

  it("draws the rooms of the core in the order in which they may import each other", () => {
    const rooms = Object.keys(
      JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8")).exports
    ).flatMap((name) => (/^\.\/[a-z]+$/.test(name) ? [`packages/core/src/${name.slice(2)}/`] : []))
    assert.deepStrictEqual(
      drawn().filter((folder) => rooms.includes(folder)),
      rooms
    )
  })
})
