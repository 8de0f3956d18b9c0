/** The crossing is that of the format: no type of line and no member is left out. */
import { type Cell, CHANGES, LINE_TYPES, membersOf, SHAPES, type ShapeName } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { cells, shapes, trial } from "./Trials.ts"

const placeOf = ({ type, member }: Cell): string => [type, ...member].join(".")
const crossed = new Set(cells.map(placeOf))

/** Every place of a value, without the names inside of metadata, which clients choose. */
const placesOf = (value: unknown, place: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return [place, ...value.flatMap((item) => placesOf(item, `${place}.[]`))]
  if (typeof value !== "object" || value === null || place.endsWith(".metadata")) return [place]
  return [place, ...Object.entries(value).flatMap(([name, member]) => placesOf(member, `${place}.${name}`))]
}

describe("the crossing", () => {
  it("has every type of line and every member that the format has", () => {
    const members = LINE_TYPES.flatMap((type) => membersOf(type).map((member) => [type, ...member].join(".")))
    assert.deepStrictEqual(
      members.filter((member) => !crossed.has(member)),
      []
    )
  })

  it("has every member that the writer writes", () => {
    const written = [...shapes.values()].flat().flatMap(({ lines }) => lines)
    const missing = new Set(
      written.flatMap(({ type, value }) => placesOf(value, type)).filter((place) => !crossed.has(place))
    )
    assert.deepStrictEqual([...missing], [])
  })

  it("has the types that docs/Evidence.md lists, in every shape that has them", () => {
    const typesOf = (shape: ShapeName) =>
      new Set(cells.filter((cell) => cell.shape === shape).map(({ type }) => type))
    for (const shape of SHAPES) {
      for (const type of ["header", "event", "anchor", "checkpoint", "end", "file"] as const) {
        assert.isTrue(typesOf(shape).has(type), `${shape}: ${type}`)
      }
    }
    assert.isTrue(typesOf("range").has("prefix") && typesOf("anchors over both edges").has("prefix"))
    assert.isTrue(typesOf("erasures").has("removal") && typesOf("retention").has("removal"))
    assert.isTrue(typesOf("legacy").has("legacy"))
  })

  it("makes every kind of change of every type of line, in some shape", () => {
    const made = new Set(cells.map(({ type, change }) => `${type}: ${change}`))
    const all = [...LINE_TYPES, "file"].flatMap((type) => CHANGES.map((change) => `${type}: ${change}`))
    assert.deepStrictEqual(
      all.filter((one) => !made.has(one)),
      []
    )
  })

  it("makes at least one bundle for each cell among the first ten thousand, and the same one again", () => {
    assert.isAtMost(cells.length, 10_000)
    for (const number of [0, 1_234, cells.length - 1]) assert.strictEqual(trial(number).cell, cells[number])
    for (const number of [0, 1_234, cells.length, 9_999]) {
      assert.deepStrictEqual(trial(number).file.bytes, trial(number).file.bytes)
    }
  })
})
