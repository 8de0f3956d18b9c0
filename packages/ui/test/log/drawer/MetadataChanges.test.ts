import { assert, describe, it } from "@effect/vitest"
import { readMetadata } from "../../../src/log/drawer/MetadataChanges.ts"

const change = (field: string, before: unknown, after: unknown) => ({ field, before, after })

describe("readMetadata", () => {
  it.each<readonly [string, Record<string, unknown>, ReadonlyArray<unknown>, Record<string, unknown>]>([
    [
      "the state before and after",
      { before: { a: 1, b: 1 }, after: { a: 2, b: 1 }, why: "x" },
      [change("a", 1, 2)],
      { why: "x" }
    ],
    [
      "old and new",
      { old: { a: 1 }, new: { b: 2 } },
      [change("a", 1, undefined), change("b", undefined, 2)],
      {}
    ],
    ["fields within fields", { from: { a: { b: 1 } }, to: { a: { b: 2 } } }, [change("a.b", 1, 2)], {}],
    [
      "a list of changes",
      { changes: [{ field: "status", before: "draft", after: "live" }], region: "eu" },
      [change("status", "draft", "live")],
      { region: "eu" }
    ],
    [
      "a list whose fields are named otherwise",
      { diff: [{ path: "a", old_value: 1, new_value: null }] },
      [change("a", 1, null)],
      {}
    ],
    [
      "changes by field",
      { changes: { role: { from: "user", to: "admin" } } },
      [change("role", "user", "admin")],
      {}
    ],
    [
      "changes by field as pairs",
      { changes: { role: ["user", "admin"] } },
      [change("role", "user", "admin")],
      {}
    ],
    ["changes as two states", { changes: { before: { a: 1 }, after: { a: 2 } } }, [change("a", 1, 2)], {}],
    ["one named change", { field: "a", before: 1, after: 2, by: "x" }, [change("a", 1, 2)], { by: "x" }]
  ])("reads %s", (_, metadata, changes, rest) => {
    assert.deepStrictEqual(readMetadata(metadata), { changes, rest } as ReturnType<typeof readMetadata>)
  })

  it.each<readonly [string, Record<string, unknown>]>([
    ["nothing", {}],
    ["a state before alone", { before: { a: 1 } }],
    ["two states that are the same", { before: { a: 1 }, after: { a: 1 } }],
    ["a period", { from: "2024-01-01", to: "2024-01-02" }],
    ["changes of which one is none", { changes: [{ field: "a", before: 1, after: 2 }, { note: "x" }] }],
    ["changes that are a number", { changes: 3 }],
    ["names of the prototype", { ["__proto__"]: 1, constructor: 2 }]
  ])("leaves %s as it is", (_, metadata) => {
    assert.deepStrictEqual(readMetadata(metadata), { changes: [], rest: metadata })
  })

  it("keeps a key that would be the prototype", () => {
    const metadata = JSON.parse('{"before":{"__proto__":1},"after":{"__proto__":2},"__proto__":{"x":1}}')
    const { changes, rest } = readMetadata(metadata)
    assert.deepStrictEqual(changes, [change("__proto__", 1, 2)] as typeof changes)
    assert.isTrue(Object.hasOwn(rest, "__proto__"))
  })
})
