/** The columns of a frame select what `matches` selects, no event more and none less. */
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import type { EventContent } from "../../../src/event/EventContent.ts"
import { matches } from "../../../src/event/EventFilter.ts"
import { filterColumns } from "../../../src/event/FilterColumns.ts"
import { DamagedFrame } from "../../../src/log/frame/ByteReader.ts"
import {
  columnsEntries,
  decodeColumns,
  encodeColumns,
  selectInFrame
} from "../../../src/log/frame/FrameColumns.ts"
import { columnFilter } from "../../../src/log/frame/FrameFilter.ts"
import { bare } from "../../event/BareContent.ts"
import { someContent, someFilter } from "./FilteredContents.ts"

const generated = generatedTests(import.meta.url)

/** Events with gaps between their sequences, and times that go back once, as before the chain. */
const FRAME = { first: -1_000, since: 1_700_000_000_000_000 }
/** Some as they were recorded, some long before and after, in any order. */
const OCCURRED = [0, 1_000_003, -2, 3_000_000_001, -1_700_000_000_000_000, 2.4e17, -6e16] as const
const entriesOf = (contents: ReadonlyArray<EventContent>) =>
  contents.map((content, index) => ({
    sequence: FRAME.first + index * 3,
    createdAt: FRAME.since + (index === 2 ? -5 : index * 1_000_003),
    occurredAt: FRAME.since + (OCCURRED[index % OCCURRED.length] ?? 0),
    columns: filterColumns(content)
  }))

describe("the columns of a frame", () => {
  it("select what matches selects", () => {
    const several = FastCheck.array(someContent, { minLength: 1, maxLength: 12 })
    generated.property(
      FastCheck.property(several, someFilter, (contents, filter) => {
        const columns = decodeColumns(FRAME, encodeColumns(FRAME, entriesOf(contents)))
        const { conditions } = columnFilter(filter)
        const wanted = contents.flatMap((content, index) => (matches(filter, content, 0) ? [index] : []))
        assert.deepStrictEqual(selectInFrame(columns, conditions), wanted)
      })
    )
  })

  it("hold every value, as it was written", () => {
    generated.property(
      FastCheck.property(FastCheck.array(someContent, { maxLength: 256 }), (contents) => {
        const entries = entriesOf(contents)
        assert.deepStrictEqual(columnsEntries(decodeColumns(FRAME, encodeColumns(FRAME, entries))), entries)
      })
    )
  })

  it("hold texts of any length, of ASCII alone or not", () => {
    const texts = [127, 128, 129].flatMap((length) =>
      ["", "\u007f", "\u0080", "é", "\u{1f600}"].map((end) => "a".repeat(length - end.length) + end)
    )
    const entries = entriesOf(["", "é", ...texts].map((action) => ({ ...bare, action })))
    assert.deepStrictEqual(columnsEntries(decodeColumns(FRAME, encodeColumns(FRAME, entries))), entries)
  })

  it("of other bytes are damaged", () => {
    const whole = encodeColumns(FRAME, entriesOf([bare, { ...bare, targets: [{ type: "t", id: "1" }] }]))
    const read = (bytes: Uint8Array) => columnsEntries(decodeColumns(FRAME, bytes))
    for (let length = 0; length < whole.length; length++)
      assert.throws(() => read(whole.subarray(0, length)), DamagedFrame)
    assert.throws(() => read(Uint8Array.of(...whole, 0)), DamagedFrame)
    assert.throws(() => read(Uint8Array.of(1, ...whole.subarray(1))), DamagedFrame)
  })
})
