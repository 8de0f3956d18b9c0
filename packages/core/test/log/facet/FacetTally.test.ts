/** Values are counted as a plain count does, however alike their hashes are. */
import { assert, describe, it } from "@effect/vitest"
import type { EventContent } from "../../../src/event/EventContent.ts"
import { filterColumns } from "../../../src/event/FilterColumns.ts"
import { facetKind, facetPart } from "../../../src/log/facet/FacetPart.ts"
import type { FacetField } from "../../../src/log/facet/Facets.ts"
import { FacetTally } from "../../../src/log/facet/FacetTally.ts"
import { decodeColumns, encodeColumns, FRAME_EVENTS } from "../../../src/log/frame/FrameColumns.ts"
import { kindPostings } from "../../../src/log/frame/GroupPostings.ts"
import { hashOfBytes } from "../../../src/log/frame/ValueTable.ts"
import { bare } from "../../event/BareContent.ts"

const encoder = new TextEncoder()

/** What postings keep of a hash. */
const keyOf = (value: string): number => {
  const hash = hashOfBytes(encoder.encode(value))
  return ((hash & 0xf) << 16) | (hash >>> 16)
}

/** Begins with `ada`, and has its key. */
const OTHER = "ada12um4"

/** Some texts, of which each has the key of another. */
const alike = (): ReadonlyArray<string> => {
  const byKey = new Map<number, Array<string>>()
  for (let tried = 0; tried < 9_000; tried++) {
    const value = `a${tried.toString(36)}`
    const others = byKey.get(keyOf(value))
    if (others === undefined) byKey.set(keyOf(value), [value])
    else others.push(value)
  }
  return [...byKey.values()].filter((values) => values.length > 1).flat()
}

/** The part of a group whose events, the oldest first, have these contents; all of them or some. */
const partOf = (field: FacetField, contents: ReadonlyArray<EventContent>, marked?: ReadonlySet<number>) => {
  const frames = Array.from({ length: Math.ceil(contents.length / FRAME_EVENTS) }, (_, frame) => {
    const place = frame * FRAME_EVENTS
    const start = { first: 1 + place, since: 1 }
    const entries = contents.slice(place, place + FRAME_EVENTS).map((content, index) => ({
      sequence: start.first + index,
      createdAt: 1,
      occurredAt: 1,
      columns: filterColumns(content)
    }))
    return { place, first: start.first, columns: decodeColumns(start, encodeColumns(start, entries)) }
  })
  const places = marked && Uint8Array.from(contents, (_, place) => (marked.has(place) ? 1 : 0))
  return facetPart(field, kindPostings(frames, facetKind(field)), places)
}

const ofActor = (id: string, name: string | null = null): EventContent => ({
  ...bare,
  actor: { id, name, type: null }
})

const countsOf = (tally: FacetTally, prefix = "") =>
  tally.top(prefix).map(({ value, label, count }) => [value, label, count])

describe("the counts of values", () => {
  it("are told apart and counted together where one begins with the other and their keys are the same", () => {
    assert.strictEqual(keyOf(OTHER), keyOf("ada"))
    // In the order of bytes, the other is between the id without a name and the id with one.
    const contents = [ofActor("ada"), ofActor(OTHER), ofActor("ada", "Ada"), ofActor("ada", "Zoe")]
    const tally = new FacetTally()
    tally.add(partOf("actor", contents))
    assert.deepStrictEqual(countsOf(tally), [
      ["ada", "Zoe", 3],
      [OTHER, null, 1]
    ])
    tally.add(partOf("actor", [ofActor(OTHER, "Other"), ofActor("ada", "Former")]))
    const both = [
      ["ada", "Zoe", 4],
      [OTHER, "Other", 2]
    ]
    assert.deepStrictEqual(countsOf(tally), both)
    tally.merge()
    assert.deepStrictEqual(countsOf(tally), both)
  })

  it("are exact of some parts of which each has other values of one key", () => {
    const values = alike().slice(0, 14)
    assert.lengthOf(values, 14)
    const tally = new FacetTally()
    const expected = new Map<string, number>()
    for (let part = 0; part < 9; part++) {
      const some = values.filter((_, at) => (at * 7 + part * 5) % 4 < 2)
      tally.add(
        partOf(
          "actor",
          [...some, ...some.slice(part % 5)].map((id) => ofActor(id))
        )
      )
      for (const id of [...some, ...some.slice(part % 5)]) expected.set(id, (expected.get(id) ?? 0) + 1)
    }
    const sorted = [...expected].sort(
      ([one, count], [other, otherCount]) => otherCount - count || (one < other ? -1 : 1)
    )
    const wanted = sorted.map(([value, count]) => [value, null, count])
    assert.deepStrictEqual(countsOf(tally), wanted)
    tally.merge()
    assert.deepStrictEqual(countsOf(tally), wanted)
    const more = new FacetTally()
    more.add(partOf("actor", [ofActor("ab", "Newest"), ofActor("ac")]))
    more.addAll(tally)
    assert.deepStrictEqual(countsOf(more, "ab").at(-1), ["ab", "Newest", 1])
    assert.deepStrictEqual(
      countsOf(more).filter(([value]) => expected.has(String(value))),
      wanted
    )
    assert.deepStrictEqual(countsOf(tally), wanted, "what was added to others is as it was")
  })

  it("are of the events that are marked, and an event with a target under several names counts once", () => {
    const target = (name: string) => ({ type: "user", id: "u", name })
    const contents = [["b", "a"], ["c"], ["a", "d"], ["a"]].map((names) => ({
      ...bare,
      targets: names.map(target)
    }))
    const all = new FacetTally()
    all.add(partOf("target", contents))
    assert.deepStrictEqual(countsOf(all), [["u", "a", 4]])
    const some = new FacetTally()
    some.add(partOf("target", contents, new Set([0, 1])))
    assert.deepStrictEqual(countsOf(some), [["u", "c", 2]])
    const one = new FacetTally()
    one.add(partOf("target", contents, new Set([0])))
    assert.deepStrictEqual(countsOf(one), [["u", "a", 1]])
  })
})
