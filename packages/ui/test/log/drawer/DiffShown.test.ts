import { diff } from "@cairn/client/changes"
import { assert, describe, it } from "@effect/vitest"
import { readMetadata } from "../../../src/log/drawer/MetadataChanges.ts"

/** What the viewer shows of an event whose metadata are these, as it gets them. */
const shown = (before: object | null, after: object | null) =>
  readMetadata(JSON.parse(JSON.stringify(diff(before, after)))).changes.map(
    ({ field, before: was, after: is }) => [field, was, is]
  )

describe("diff", () => {
  const cases: ReadonlyArray<readonly [string, object | null, object | null, ReadonlyArray<unknown>]> = [
    ["a changed field", { a: 1, b: 2 }, { a: 1, b: 3 }, [["b", 2, 3]]],
    ["nested fields", { a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 1, d: 3 } } }, [["a.b.d", 2, 3]]],
    ["a field that came", { a: 1 }, { a: 1, b: null }, [["b", undefined, null]]],
    ["a field that went", { a: 1, b: undefined, c: 2 }, { a: 1 }, [["c", 2, undefined]]],
    ["lists, whole", { a: [1, 2] }, { a: [1, 3] }, [["a", [1, 2], [1, 3]]]],
    ["a list that became an object", { a: [] }, { a: {} }, [["a", [], {}]]],
    [
      "times",
      { at: new Date(0) },
      { at: new Date(1) },
      [["at", "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z"]]
    ],
    ["large integers", { n: 10n ** 20n }, { n: 1 }, [["n", "100000000000000000000", 1]]],
    ["what JSON has no number for", { n: Number.NaN }, { n: 0 }, [["n", null, 0]]],
    ["zero and minus zero, as one", { n: -0 }, { n: 0 }, []],
    ["a new thing", null, { a: 1 }, [["a", undefined, 1]]],
    ["a thing that is gone", { a: 1 }, null, [["a", 1, undefined]]],
    ["nothing", { a: { b: [1] } }, { a: { b: [1] } }, []],
    ["lists as things", [1], [2], [["value", [1], [2]]]]
  ]
  for (const [name, before, after, expected] of cases) {
    it(`shows ${name}`, () => assert.deepStrictEqual(shown(before, after), expected))
  }

  it("keeps a field named __proto__, and harms nothing", () => {
    const changes = diff(JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":2}}'))
    assert.strictEqual(
      JSON.stringify(changes),
      '{"before":{"__proto__":{"a":1}},"after":{"__proto__":{"a":2}}}'
    )
  })

  it("says that a thing contains itself", () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    assert.throws(() => diff(cycle, {}), TypeError)
  })
})
