import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { MAX_HEIGHT, virtualWindow } from "../../../src/log/list/VirtualWindow.ts"

const generated = generatedTests(import.meta.url)

const input = fc.record({
  rows: fc.integer({ min: 0, max: 2_000_000 }),
  rowHeight: fc.integer({ min: 20, max: 120 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  viewport: fc.integer({ min: 100, max: 3_000 })
})

describe("virtualWindow", () => {
  it("covers the viewport at any offset of any list, with few rows", () => {
    generated.property(
      fc.property(input, ({ rows, rowHeight, share, viewport }) => {
        const height = Math.min(rows * rowHeight, MAX_HEIGHT)
        const offset = share * Math.max(0, height - viewport)
        const view = virtualWindow({ rows, rowHeight, offset, viewport })
        assert.strictEqual(view.height, height)
        assert.isAtMost(view.end - view.first, viewport / rowHeight + 14)
        if (rows === 0) return
        if (view.first > 0) assert.isAtMost(view.topOf(view.first), offset)
        if (view.end < rows) assert.isAtLeast(view.topOf(view.end) + rowHeight, offset + viewport)
        assert.isAtMost(view.topOf(rows - 1) + rowHeight - view.topOf(0), rows * rowHeight + 1)
      })
    )
  })

  it("reaches the last row of a list that no browser could make so tall", () => {
    const rows = 1_000_000
    const view = virtualWindow({ rows, rowHeight: 44, offset: MAX_HEIGHT - 800, viewport: 800 })
    assert.strictEqual(view.end, rows)
    assert.closeTo(view.topOf(rows - 1) + 44, MAX_HEIGHT, 1)
  })

  it("puts any row first in sight at the offset that it names, to within a row", () => {
    generated.property(
      fc.property(input, ({ rows, rowHeight, share, viewport }) => {
        const row = Math.floor(share * Math.max(0, rows - 1))
        const offset = virtualWindow({ rows, rowHeight, offset: 0, viewport }).offsetOf(row)
        const view = virtualWindow({ rows, rowHeight, offset, viewport })
        assert.isAtMost(view.first, row)
        if (rows > 0) assert.isAbove(view.end, row)
      })
    )
  })

  it("shows the first rows while the list is below", () => {
    assert.strictEqual(virtualWindow({ rows: 100, rowHeight: 44, offset: -300, viewport: 440 }).first, 0)
  })
})
