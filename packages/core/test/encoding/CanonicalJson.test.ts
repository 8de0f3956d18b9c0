import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { canonicalize } from "@cairn/core/encoding"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import npmCanonicalize from "canonicalize"
import { Result } from "effect"
import * as FastCheck from "fast-check"

const generated = generatedTests(import.meta.url)

const foreign = process.env.CAIRN_FOREIGN
const jcs = join(foreign ?? "", "vectors/jcs")

const text = (value: unknown): string => Result.getOrThrow(canonicalize(value))
const refusal = (value: unknown, maxDepth?: number) =>
  Result.getOrThrow(Result.flip(canonicalize(value, maxDepth)))

describe("canonicalize", () => {
  it("sorts members by UTF-16 code units, integer-like ones too", () => {
    assert.strictEqual(
      text({ b: 1, "10": 2, "9": 3, a: 4, "\u{1F600}": 5, "\uFB33": 6 }),
      '{"10":2,"9":3,"a":4,"b":1,"\u{1F600}":5,"\uFB33":6}'
    )
  })

  it("keeps a member named __proto__", () => {
    assert.strictEqual(
      text(JSON.parse('{"__proto__":{"x":1},"constructor":2}')),
      '{"__proto__":{"x":1},"constructor":2}'
    )
  })

  it("writes numbers as ECMAScript does, and minus zero as zero", () => {
    assert.strictEqual(text([-0, 1e21, 1e-7, 0.1, 100, 5e-324]), "[0,1e+21,1e-7,0.1,100,5e-324]")
  })

  it("refuses a lone surrogate, in a value and in a name, and says where", () => {
    assert.deepInclude({ ...refusal({ a: ["x", "\ud800"] }) }, { path: ["a", 1], reason: "lone_surrogate" })
    assert.deepInclude(
      { ...refusal({ a: { "\udc00": 1 } }) },
      { path: ["a", "\udc00"], reason: "lone_surrogate" }
    )
  })

  it("refuses what is not finite, and what is not JSON", () => {
    assert.strictEqual(refusal([Number.POSITIVE_INFINITY]).reason, "not_finite")
    assert.strictEqual(refusal([undefined]).reason, "not_json")
  })

  it("leaves undefined members out and calls toJSON, as the npm package canonicalize does", () => {
    const value = {
      z: undefined,
      a: { b: undefined },
      at: new Date(0),
      list: [new URL("https://a.b/c")],
      c: 1
    }
    assert.strictEqual(text(value), npmCanonicalize(value))
    assert.strictEqual(text(value), '{"a":{},"at":"1970-01-01T00:00:00.000Z","c":1,"list":["https://a.b/c"]}')
  })

  it("refuses more levels than it is allowed", () => {
    assert.strictEqual(Result.getOrThrow(canonicalize([[1]], 2)), "[[1]]")
    assert.strictEqual(refusal([[[1]]], 2).reason, "too_deep")
  })

  it("agrees with the npm package canonicalize on any JSON value", () => {
    generated.property(
      FastCheck.property(
        FastCheck.jsonValue({ maxDepth: 5 }),
        (value) => text(value) === npmCanonicalize(value)
      ),
      { numRuns: 2_000 }
    )
  })

  it("refuses what is longer than it may be, and nothing that is as long", () => {
    generated.property(
      FastCheck.property(FastCheck.jsonValue({ maxDepth: 5 }), (value) => {
        const whole = text(value)
        return Result.getOrThrow(canonicalize(value, 10, whole.length)) === whole
      })
    )
    const long = Array.from({ length: 1_000 }, () => "a".repeat(10))
    for (const value of [long, { a: long }, Object.fromEntries(long.map((item, index) => [index, item]))]) {
      assert.strictEqual(Result.getOrThrow(Result.flip(canonicalize(value, 10, 9_000))).reason, "too_long")
    }
  })

  it("gives one text whatever the order of the members", () => {
    generated.property(
      FastCheck.property(FastCheck.dictionary(FastCheck.string(), FastCheck.integer()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse())
        return text(object) === text(reversed)
      })
    )
  })
})

describe.skipIf(foreign === undefined)(
  "canonicalize against the vectors of RFC 8785 (needs CAIRN_FOREIGN)",
  () => {
    for (const name of foreign === undefined ? [] : readdirSync(join(jcs, "input"))) {
      it(`canonicalizes ${name}`, () => {
        const canonical = text(JSON.parse(readFileSync(join(jcs, "input", name), "utf8")))
        assert.strictEqual(canonical, readFileSync(join(jcs, "output", name), "utf8").trim())
        const hex = readFileSync(join(jcs, "outhex", name.replace(".json", ".txt")), "utf8").replace(
          /\s+/g,
          ""
        )
        assert.strictEqual(Buffer.from(canonical).toString("hex"), hex)
      })
    }

    it("writes a thousand numbers as ECMAScript does", () => {
      const lines = readFileSync(join(jcs, "es6-numbers-1000.txt"), "utf8").trim().split("\n")
      assert.strictEqual(lines.length, 1000)
      for (const line of lines) {
        const [hex = "", expected = ""] = line.trim().split(",")
        const bytes = new DataView(new ArrayBuffer(8))
        bytes.setBigUint64(0, BigInt(`0x${hex}`))
        assert.strictEqual(text(bytes.getFloat64(0)), expected, hex)
      }
    })
  }
)
