import { Micros } from "@cairn/core/encoding"
import {
  contentParts,
  contentText,
  decodeEvent,
  type EventInput,
  type FilterColumns,
  parseContent
} from "@cairn/core/event"
import { hostileGenerator, ordinaryEvents } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { isContent } from "../../src/event/EventContent.ts"
import { filterColumns, sameColumns, withColumns } from "../../src/event/FilterColumns.ts"
import { holdsColumns } from "../../src/event/FilterColumnsCheck.ts"

const generated = generatedTests(import.meta.url)

const NOON = Micros.parse("2024-05-01T12:00:00Z") ?? 0
const hostile = hostileGenerator(7)

const contents = [
  ...ordinaryEvents(300, { seed: 3, keyed: 0.5 }),
  ...Array.from({ length: 300 }, hostile)
].flatMap((body) => {
  const decoded = decodeEvent(body)
  return Result.isSuccess(decoded)
    ? [contentText(contentParts(decoded.success, NOON), { country: "DE", city: 'K"öl\\n' })]
    : []
})

/** The columns of a content that is known to be one. */
const columnsOf = (content: string) => {
  const parsed = parseContent(content)
  assert.isDefined(parsed)
  return filterColumns(parsed)
}

describe("a content and its columns", () => {
  it("make the content again", () => {
    for (const content of contents) {
      const parsed = parseContent(content)
      assert.isDefined(parsed)
      assert.deepStrictEqual(withColumns(parsed, filterColumns(parsed)), parsed)
    }
  })

  it("differ where any column does, and the content made of them says so", () => {
    const [content = ""] = contents.filter((text) => columnsOf(text).targets.length > 0)
    const parsed = parseContent(content)
    assert.isDefined(parsed)
    const columns = filterColumns(parsed)
    const [target] = columns.targets
    assert.isDefined(target)
    const names = Object.keys(columns).filter((name) => name !== "targets")
    const changes: ReadonlyArray<Partial<FilterColumns>> = [
      ...names.map((name) => ({ [name]: "changed" })),
      { targets: [] },
      { targets: [{ ...target, type: "changed" }] },
      { targets: [{ ...target, id: "changed" }] },
      { targets: [...columns.targets, target] }
    ]
    assert.strictEqual(changes.length, 10)
    for (const change of changes) {
      const changed: FilterColumns = { ...columns, ...change }
      assert.isFalse(sameColumns(changed, columns), JSON.stringify(change))
      const made = withColumns(parsed, changed)
      assert.isTrue(isContent(made))
      assert.deepStrictEqual(isContent(made) && filterColumns(made), changed)
    }
  })
})

describe("columns held against the text of a content", () => {
  it("are found in each content they were derived from", () => {
    assert.isAbove(contents.length, 400)
    for (const content of contents) assert.isTrue(holdsColumns(content, columnsOf(content)), content)
  })

  it("are missed when any one of them is another", () => {
    for (const content of contents) {
      const columns = columnsOf(content)
      const others = [
        { ...columns, action: `${columns.action}x` },
        { ...columns, actorId: columns.actorId.slice(1) },
        { ...columns, resourceType: columns.resourceType === null ? "null" : null },
        { ...columns, resourceId: columns.resourceId === null ? "" : null },
        { ...columns, tenantId: columns.tenantId === null ? "null" : null },
        { ...columns, sessionId: columns.sessionId === null ? "null" : null },
        { ...columns, targets: [...columns.targets, { type: "folder", id: null }] },
        ...(columns.targets.length === 0 ? [] : [{ ...columns, targets: columns.targets.slice(1) }]),
        ...columns.targets.map((target, at) => ({
          ...columns,
          targets: columns.targets.with(at, { ...target, id: target.id === null ? "" : null })
        }))
      ]
      for (const other of others) assert.isFalse(holdsColumns(content, other), JSON.stringify(other))
    }
  })

  it("are not to be had by a value that closes its own quotes", () => {
    const body: EventInput = { actor_id: "a", action: "x", resource: "document" }
    const content = contentText(contentParts(Result.getOrThrow(decodeEvent(body)), NOON), {
      country: null,
      city: null
    })
    const columns = columnsOf(content)
    const swallowed = content.slice('{"action":"'.length, content.indexOf('","type":null},"idempotency_key"'))
    assert.isFalse(holdsColumns(content, { ...columns, action: swallowed }))
    assert.isFalse(holdsColumns(content, { ...columns, action: "\\u0078" }))
    assert.isFalse(holdsColumns(content.replace('"x"', '"\\u0078"'), { ...columns, action: "\\u0078" }))
  })

  it("are never found where parsing finds others, whatever was done to the text", () => {
    const pieces = ['"', "\\", "{", "}", "[", "]", ",", ":", "null", "0", '"id":"x",', '"type":"y"', "é"]
    let parsed = 0
    generated.stories({ count: 20_000 }, (random) => {
      const content = random.pick(contents)
      const at = random.below(content.length + 1)
      const cut = random.below(4)
      const piece = random.pick(pieces)
      const changed = content.slice(0, at) + piece + content.slice(at + cut)
      const read = parseContent(changed)
      if (read === undefined) return
      parsed++
      const columns = columnsOf(content)
      if (holdsColumns(changed, columns)) assert.deepStrictEqual(filterColumns(read), columns, changed)
    })
    assert.isAbove(parsed, 1_000)
  })
})
