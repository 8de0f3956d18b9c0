import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { recoverCell } from "@cairn/core/encoding"
import { naughtyStrings } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as FastCheck from "fast-check"
import { csvRecord, neutraliseCell } from "../../src/encoding/Csv.ts"
import { readCsv } from "../support/ForgivingCsv.ts"

const generated = generatedTests(import.meta.url)

const foreign = process.env.CAIRN_FOREIGN
const vectors = join(foreign ?? "", "vectors/csv")

/** What a spreadsheet must not find at the beginning of a cell. */
const RUNS = /^[=+\-@\t\r\n\0＝＋－＠]/

/** Characters of a formula's beginning. */
const STARTS = Array.from("=+-@\t\r＝＋－＠﹦﹢﹣﹫")

/** White space and what is not seen: a spreadsheet may drop it before it looks for a formula. */
const UNSEEN = [
  ..."\ufeff\u200b\u200c\u200d\u200e\u2060\u00ad\u180e\u3164\u034f",
  ..." \u00a0\u1680\u2000\u200a\u202f\u205f\u3000\u2028\u2029\u0085\v\f\u0001\u007f"
]

const roundTrip = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  readCsv(rows.map(csvRecord).join("")).map((row) => row.map(recoverCell))

describe("a CSV record", () => {
  it("ends in CRLF, and separates its cells by commas", () => {
    assert.strictEqual(csvRecord(["a", "b", "c"]), "a,b,c\r\n")
  })

  it("quotes a comma, a quote and a line break, and doubles the quote", () => {
    assert.strictEqual(csvRecord(["a,b", 'say "hi"', "one\r\ntwo"]), '"a,b","say ""hi""","one\r\ntwo"\r\n')
  })

  it("quotes what another program may split or strip at: semicolon, bar, tab, space at either end", () => {
    assert.strictEqual(csvRecord(["a;=1", "a|b", "a\tb", " a", "a "]), '"a;=1","a|b","a\tb"," a","a "\r\n')
  })

  it("tells nothing from empty text", () => {
    assert.strictEqual(csvRecord([null, "", null]), ',"",\r\n')
  })

  it("writes an apostrophe before what a spreadsheet would run, and before an apostrophe", () => {
    for (const first of ["=", "+", "-", "@", "\t", "\r", "'", "＝", "＋", "－", "＠"]) {
      assert.strictEqual(neutraliseCell(`${first}1`), `'${first}1`)
    }
    for (const text of ["1=1", "a", "", "{", '"', " a=", "\ufeffa"])
      assert.strictEqual(neutraliseCell(text), text)
  })

  it("gives back any text, and never a cell that a spreadsheet would run", () => {
    generated.property(
      FastCheck.property(
        FastCheck.array(
          FastCheck.array(
            FastCheck.oneof(
              FastCheck.string({ unit: "grapheme" }),
              FastCheck.string({ unit: FastCheck.constantFrom(...`=+-@'",;\r\n\t\0 a＝`) })
            ),
            { minLength: 1 }
          )
        ),
        (rows) => {
          assert.deepStrictEqual(roundTrip(rows), rows)
          const cells = readCsv(rows.map(csvRecord).join("")).flat()
          for (const cell of cells) assert.notMatch(cell, RUNS)
        }
      ),
      { numRuns: 2_000 }
    )
  })

  it("is neutralised behind any white space and whatever is not seen, and comes back", () => {
    for (const start of STARTS) {
      for (const unseen of ["", ...UNSEEN]) {
        const cell = `${unseen}${start}1`
        assert.deepStrictEqual(readCsv(csvRecord([cell])), [[`'${cell}`]], JSON.stringify(cell))
      }
    }
    const run = FastCheck.string({ unit: FastCheck.constantFrom(...UNSEEN) })
    generated.property(
      FastCheck.property(
        run,
        FastCheck.constantFrom(...STARTS),
        FastCheck.string(),
        (unseen, start, rest) => {
          const cell = `${unseen}${start}${rest}`
          assert.deepStrictEqual(readCsv(csvRecord([cell])), [[`'${cell}`]])
        }
      )
    )
  })

  it("gives back the naughty strings", () => {
    const rows = Array.from(naughtyStrings, (text) => [text, text])
    assert.deepStrictEqual(roundTrip(rows), rows)
  })
})

const Samples = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.String)))
)
const Payloads = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      owasp_expected: Schema.Array(Schema.Struct({ input: Schema.String, cell: Schema.String })),
      payloads: Schema.Array(Schema.Struct({ value: Schema.String }))
    })
  )
)

describe.skipIf(foreign === undefined)("foreign CSV (needs CAIRN_FOREIGN)", () => {
  const samples = foreign === undefined ? [] : readdirSync(join(vectors, "csv-spectrum/csvs"))
  for (const file of samples) {
    // What its authors give beside it was read from another file.
    const described = file !== "location_coordinates.csv"
    it(`${file} ${described ? "is read as its authors read it, and " : ""}survives being written and read again`, () => {
      const text = readFileSync(join(vectors, "csv-spectrum/csvs", file), "utf8")
      const rows = readCsv(text)
      const [header = [], ...records] = rows
      const json = join(vectors, "csv-spectrum/json", `${basename(file, ".csv")}.json`)
      if (described)
        assert.deepEqual<unknown>(
          records.map((record) => Object.fromEntries(record.map((cell, at) => [header[at], cell]))),
          Samples(readFileSync(json, "utf8"))
        )
      assert.isAbove(rows.length, 1)
      assert.deepStrictEqual(roundTrip(rows), rows)
    })
  }

  it("injection payloads stay one cell, begin harmlessly, and can be recovered", () => {
    const { payloads } = Payloads(readFileSync(join(vectors, "csv-injection-payloads.json"), "utf8"))
    assert.isNotEmpty(payloads)
    for (const { value } of payloads) {
      const [record = []] = readCsv(csvRecord(["before", value, "after"]))
      assert.lengthOf(record, 3)
      assert.strictEqual(record[0], "before")
      assert.strictEqual(record[2], "after")
      assert.notMatch(record[1] ?? "", RUNS)
      assert.strictEqual(recoverCell(record[1] ?? ""), value)
    }
  })

  it("cells that OWASP gives as examples are written as OWASP writes them", () => {
    const { owasp_expected } = Payloads(readFileSync(join(vectors, "csv-injection-payloads.json"), "utf8"))
    assert.isNotEmpty(owasp_expected)
    for (const { input, cell } of owasp_expected) assert.strictEqual(csvRecord([input]), `${cell}\r\n`)
  })
})
