import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as door from "@cairn/core"
import { assert, describe, it } from "@effect/vitest"
import { parseSync } from "rolldown/utils"

const file = fileURLToPath(new URL("../src/index.ts", import.meta.url))
const { body } = parseSync(file, readFileSync(file, "utf8")).program

/** The names that a statement exports, types too; none for a statement of another form. */
const namesOf = (statement: (typeof body)[number]): ReadonlyArray<string> | undefined =>
  statement.type === "ExportNamedDeclaration" && statement.source !== null
    ? statement.specifiers.flatMap(({ exported }) => (exported.type === "Identifier" ? [exported.name] : []))
    : undefined

/** Rooms of the second floor, of which an embedder needs nothing. */
const SECOND_FLOOR = [
  "workspace",
  "people",
  "access",
  "alert",
  "outbound",
  "export",
  "retention",
  "management"
]

describe("the front door", () => {
  it("names fewer than 80 things, each written out", () => {
    const names = body.map(namesOf)
    assert.notInclude(names, undefined, "only `export { … } from`")
    assert.isBelow(names.flat().length, 80)
    assert.includeMembers([...names.flat()], Object.keys(door))
  })

  it("holds no namespace", () => {
    for (const [name, value] of Object.entries(door)) {
      assert.notStrictEqual(Object.prototype.toString.call(value), "[object Module]", name)
    }
  })

  it("names nothing of the second floor", () => {
    const rooms = body.flatMap((statement) =>
      statement.type === "ExportNamedDeclaration" ? [statement.source?.value.split("/")[1]] : []
    )
    assert.isNotEmpty(rooms)
    for (const room of SECOND_FLOOR) assert.notInclude(rooms, room)
  })
})
