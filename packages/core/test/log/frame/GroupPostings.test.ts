/** The postings of a group select what `matches` selects, also after removals. */
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import type { EventContent } from "../../../src/event/EventContent.ts"
import { type EventFilter, matches } from "../../../src/event/EventFilter.ts"
import { filterColumns } from "../../../src/event/FilterColumns.ts"
import { DamagedFrame } from "../../../src/log/frame/ByteReader.ts"
import { decodeColumns, encodeColumns } from "../../../src/log/frame/FrameColumns.ts"
import { type ColumnFilter, columnFilter } from "../../../src/log/frame/FrameFilter.ts"
import { groupPostings } from "../../../src/log/frame/GroupPostings.ts"
import {
  blobsOf,
  findPlaces,
  intersection,
  listedValues,
  placesOf,
  union,
  withoutPlaces
} from "../../../src/log/frame/Postings.ts"
import { bytewise, hashOfBytes } from "../../../src/log/frame/ValueTable.ts"
import { bare } from "../../event/BareContent.ts"
import { someContent, someFilter } from "./FilteredContents.ts"

const generated = generatedTests(import.meta.url)

/**
 * A group whose frames have these contents, each from a place of its own on, and every other event removed.
 */
const FRAME_PLACES = 256
const groupOf = (frames: ReadonlyArray<ReadonlyArray<EventContent>>): ReadonlyMap<number, Uint8Array> => {
  const placed = frames.map((contents, frame) => {
    const start = { first: 1 + frame * FRAME_PLACES, since: 1 }
    const entries = contents.map((content, index) => ({
      sequence: start.first + 2 * index,
      createdAt: start.since + index,
      occurredAt: start.since,
      columns: filterColumns(content)
    }))
    return {
      place: frame * FRAME_PLACES,
      first: start.first,
      columns: decodeColumns(start, encodeColumns(start, entries))
    }
  })
  return new Map([...groupPostings(placed)].flat().map(({ number, blob }) => [number, blob]))
}

/** Postings of no value. */
const NOTHING = Uint8Array.of(1, 0, 0, 0, 0)

/** The places that have a value of each condition; undefined for a filter without one. */
const selected = (blobs: ReadonlyMap<number, Uint8Array>, { values }: ColumnFilter) =>
  values
    .map((anyOf) =>
      union(
        anyOf.flatMap((value) =>
          blobsOf(value).map((number) => findPlaces(blobs.get(number) ?? NOTHING, value))
        )
      )
    )
    .reduce<Uint16Array | undefined>(
      (before, places) => (before === undefined ? places : intersection(before, places)),
      undefined
    )

const wanted = (
  frames: ReadonlyArray<ReadonlyArray<EventContent>>,
  isWanted: (content: EventContent, place: number) => boolean
) =>
  frames.flatMap((contents, frame) =>
    contents.flatMap((content, index) => {
      const place = frame * FRAME_PLACES + 2 * index
      return isWanted(content, place) ? [place] : []
    })
  )

const someFrames = FastCheck.array(FastCheck.array(someContent, { maxLength: 6 }), {
  minLength: 1,
  maxLength: 4
})

describe("the postings of a group", () => {
  it("select what matches selects, and without what was removed nothing of it", () => {
    generated.property(
      FastCheck.property(someFrames, someFilter, FastCheck.nat(), (frames, filter, pick) => {
        const prepared = columnFilter(filter)
        const blobs = groupOf(frames)
        const found = selected(blobs, prepared)
        if (found === undefined) return
        assert.deepStrictEqual(
          [...found],
          wanted(frames, (content) => matches(filter, content, 0))
        )
        const all = wanted(frames, () => true)
        const removed = new Set(all.filter((place) => place % 3 === pick % 3))
        const left = new Map(
          [...blobs].flatMap(([number, blob]) => {
            const rest = withoutPlaces(blob, removed)
            return rest === undefined ? [] : [[number, rest] as const]
          })
        )
        assert.deepStrictEqual(
          [...(selected(left, prepared) ?? [])],
          wanted(frames, (content, place) => !removed.has(place) && matches(filter, content, 0))
        )
        for (const blob of left.values())
          for (const listed of listedValues(blob)) assert.isAbove(placesOf(listed).length, 0)
      })
    )
  })

  it("have few bytes more than the actions, whatever the number of their dots", () => {
    const contents = Array.from({ length: 64 }, (_, at) => ({ ...bare, action: `${at}`.padEnd(256, ".") }))
    const bytes = groupOf([contents])
      .values()
      .reduce((sum, { length }) => sum + length, 0)
    assert.isBelow(bytes, 4 * 64 * 256)
  })

  it("of other bytes are damaged", () => {
    const contents: ReadonlyArray<EventContent> = ["a", "a.b", "A", "\u{1f600}"].flatMap((action, at) => [
      { ...bare, action, targets: [{ type: action, id: `${at}` }] },
      { ...bare, action, tenant_id: "a" }
    ])
    const [blob] = groupOf([contents]).values()
    const whole = blob ?? assert.fail("there is none")
    const read = (bytes: Uint8Array) => [...listedValues(bytes)].map(placesOf)
    for (let length = 0; length < whole.length; length++)
      assert.throws(() => read(whole.subarray(0, length)), DamagedFrame)
    assert.throws(() => read(Uint8Array.of(...whole, 0)), DamagedFrame)
    assert.throws(() => read(Uint8Array.of(2, ...whole.subarray(1))), DamagedFrame)
  })

  it("list a value with its further parts, but for those at the end that it does not have", () => {
    const resources = [
      { id: "1", type: null, name: null },
      { id: "2", type: "t", name: null },
      { id: "3", type: null, name: "n" },
      { id: "4", type: "t", name: "n" }
    ]
    const blobs = groupOf([resources.map((resource) => ({ ...bare, resource }))])
    const listed = [...blobs.values()].flatMap((blob) => [...listedValues(blob)].map(({ value }) => value))
    const wanted = ["1", "2\u00fft", "3\u00ff\u00fe\u00ffn", "4\u00fft\u00ffn"]
    const begun = listed.map((value) => bytewise.decode(value)).filter((value) => /^\d/.test(value))
    assert.deepStrictEqual(begun.sort(), wanted)
  })

  it("find each of many values that have one tag, with all its types and without those of others", () => {
    const tagOf = (id: string) => hashOfBytes(new TextEncoder().encode(id)) >>> 16
    const ids = ["7"]
    for (let at = 0; ids.length < 12; at++) if (tagOf(`7${at}`) === tagOf("7")) ids.push(`7${at}`)
    const contents = ids.flatMap((id) => [
      { ...bare, targets: [{ type: "a", id }] },
      { ...bare, targets: [{ type: "b", id }, { type: "a" }] }
    ])
    const blobs = groupOf([contents])
    ids.forEach((targetId, index) => {
      const places = (filter: EventFilter) => [...(selected(blobs, columnFilter(filter)) ?? [])]
      assert.deepStrictEqual(places({ targetId }), [4 * index, 4 * index + 2])
      assert.deepStrictEqual(places({ targetId, targetType: "a" }), [4 * index])
      assert.deepStrictEqual(places({ targetId, targetType: "b" }), [4 * index + 2])
      assert.deepStrictEqual(places({ targetId: `${targetId}!` }), [])
    })
  })

  it("hold more values in a blob than two bytes count, and one longer than a call has arguments", () => {
    const MANY = 65_600
    const encoder = new TextEncoder()
    const ids: Array<string> = ["x".repeat(300_000)]
    const [first = ""] = ids
    const blob = hashOfBytes(encoder.encode(first)) % 16
    for (let at = 0; ids.length < MANY; at++)
      if (hashOfBytes(encoder.encode(`${at}`)) % 16 === blob) ids.push(`${at}`)
    const frames = Array.from({ length: 8 }, (_, frame) => [
      { ...bare, targets: ids.filter((_, at) => at % 8 === frame).map((id) => ({ type: "t", id })) }
    ])
    const blobs = groupOf(frames)
    for (const at of [0, 1, 2, 32_768, MANY - 1]) {
      const found = selected(blobs, columnFilter({ targetId: ids[at] ?? "" }))
      assert.deepStrictEqual([...(found ?? [])], [(at % 8) * FRAME_PLACES], `${at}`)
    }
  })
})
