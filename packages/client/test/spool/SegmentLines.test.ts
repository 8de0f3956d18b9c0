import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { crc32, crc32ByTable } from "../../src/spool/Crc32.ts"
import { eventLine, markLine, readSegment } from "../../src/spool/SegmentLines.ts"
import { eventOf } from "./SpoolSteps.ts"

const keysOf = (bytes: Buffer): ReadonlyArray<string> => readSegment(bytes).waiting.map(({ key }) => key)

/** Cases that every client with a spool shares. */
interface SegmentCase {
  readonly name: string
  readonly segment: string
  readonly waiting: ReadonlyArray<string>
  readonly damaged: ReadonlyArray<string>
  readonly whole_bytes: number
}

const CASES = new URL("../../../../testdata/client/spool/segments.json", import.meta.url)

describe("the cases of segments", () => {
  const { cases }: { cases: ReadonlyArray<SegmentCase> } = JSON.parse(readFileSync(CASES, "utf8"))
  for (const { name, segment, waiting, damaged, whole_bytes } of cases) {
    it(name, () => {
      const read = readSegment(Buffer.from(segment))
      const keys = read.waiting.map(({ key }) => key)
      assert.deepStrictEqual([keys, read.damaged, read.wholeLength], [waiting, damaged, whole_bytes])
    })
  }
})

describe("a segment", () => {
  const events = ["a", "b", "ü\u2028😀"].map((key) => eventOf(key))
  const whole = Buffer.from(events.map(eventLine).join(""))
  /** Where each line ends. */
  const ends = [...whole].flatMap((byte, at) => (byte === 0x0a ? [at + 1] : []))

  it("is read as it was written", () => {
    assert.deepStrictEqual(readSegment(whole), { waiting: events, damaged: [], wholeLength: whole.length })
    assert.deepStrictEqual(readSegment(Buffer.alloc(0)), { waiting: [], damaged: [], wholeLength: 0 })
  })

  it("cut at any byte has the records before it", () => {
    for (let length = 0; length <= whole.length; length++) {
      const read = readSegment(whole.subarray(0, length))
      const left = ends.filter((end) => end <= length).length
      assert.deepStrictEqual(read.waiting, events.slice(0, left), `cut at ${length}`)
      assert.deepStrictEqual(read.damaged, [])
      assert.strictEqual(read.wholeLength, ends[left - 1] ?? 0)
    }
  })

  it("in which any bit is flipped loses the record that has it, or the two that the newline parted", () => {
    for (let at = 0; at < whole.length; at++) {
      const record = ends.findIndex((end) => at < end)
      const hurt = ends.includes(at + 1) ? [record, record + 1] : [record]
      const left = events.filter((_, index) => !hurt.includes(index)).map(({ key }) => key)
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(whole)
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit)
        assert.deepStrictEqual(keysOf(flipped), left, `bit ${bit} of byte ${at}`)
      }
    }
  })

  it("has marks that settle the events before them, and not those after", () => {
    const [a, b] = [eventLine(eventOf("a")), eventLine(eventOf("b"))]
    for (const [lines, left] of [
      [[a, b, markLine(["a"])], ["b"]],
      [
        [a, markLine(["a"]), a, b],
        ["a", "b"]
      ],
      [[a, a, markLine(["a", "unknown"])], []],
      [[markLine(["a"]), a], ["a"]],
      [[a, markLine([])], ["a"]]
    ] as const) {
      assert.deepStrictEqual(keysOf(Buffer.from(lines.join(""))), left)
    }
  })

  it("keeps what it cannot read apart", () => {
    const lineOf = (text: string) => `${crc32(text).toString(16).padStart(8, "0")} ${text}`
    const strange = [
      lineOf("nonsense"),
      lineOf("{}"),
      lineOf('{"idempotency_key":1}'),
      lineOf("[1]"),
      lineOf("null"),
      lineOf('"text"'),
      `0${eventLine(eventOf("long")).trimEnd()}`,
      "",
      eventLine(eventOf("large"))
        .trimEnd()
        .replace(/^\w+/, (crc) => crc.toUpperCase().replace(/^\d+$/, "ABCDEFAB")),
      "12345678"
    ]
    const read = readSegment(Buffer.from(`${strange.join("\n")}\n${eventLine(eventOf("a"))}`))
    assert.deepStrictEqual(read.waiting, [eventOf("a")])
    assert.deepStrictEqual(
      read.damaged,
      strange.filter((line) => line !== "")
    )
  })
})

it("the checksum is zlib's, by its own table too", () => {
  // The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
  assert.strictEqual(crc32ByTable("123456789"), 0xcbf43926)
  for (const text of ["", "a", "ü😀", "x".repeat(10_000)]) assert.strictEqual(crc32ByTable(text), crc32(text))
})
