import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { StrictJson } from "@cairn/core/encoding"
import { decodeEvent } from "@cairn/core/event"
import { escapedKeys, oddKeys, oddNumbers, type SeededRandom } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const generated = generatedTests(import.meta.url)

const foreign = process.env.CAIRN_FOREIGN
const bodies = join(foreign ?? "", "vectors/json-parsing/test_parsing")

const altered = (text: string) =>
  Array.from(
    StrictJson.alterationsWithin(Result.getOrThrow(StrictJson.read(text)).altered),
    ({ path, literal }) => [path.join("."), literal ?? "repeated"]
  )

describe("what reading alters", () => {
  for (const literal of [
    "9007199254740993",
    "-9007199254740993",
    "12345678901234567890",
    "1e400",
    "-1e400",
    "123456789012345678901234567890"
  ]) {
    it(`reports ${literal}`, () => {
      assert.deepStrictEqual(altered(`{"metadata":{"a":[1,{"n":${literal}}]}}`), [
        ["metadata.a.1.n", literal]
      ])
    })
  }

  for (const literal of [
    "9007199254740991",
    "-9007199254740992",
    "0.1",
    "1.5e300",
    "1e22",
    "1E3",
    "100000000000000000000",
    "3.141592653589793238"
  ]) {
    it(`lets ${literal} pass`, () => {
      assert.deepStrictEqual(altered(`{"metadata":{"n":${literal}}}`), [])
    })
  }

  it("reports each repeated key once, however it is spelt and wherever it is", () => {
    assert.deepStrictEqual(altered('{"a":9007199254740993,"a":1,"b":{"n":1e400},"b":{}}'), [
      ["a", "repeated"],
      ["b", "repeated"]
    ])
    assert.deepStrictEqual(altered('{"x":[{"a":1,"\\u0061":1,"a":2},{"a":1}],"":[{"":0,"":0}]}'), [
      ["x.0.a", "repeated"],
      [".0.", "repeated"]
    ])
    for (const key of ["__proto__", "constructor", "1", "\\ud800", "é"]) {
      assert.lengthOf(altered(`{"m":{"${key}":1,"n":{"${key}":1}}}`), 0)
      assert.lengthOf(altered(`{"m":{"${key}":1,"n":[{"${key}":1,"z":":","${key}":":"}]}}`), 1)
    }
    // One key composed, one decomposed: two keys.
    assert.lengthOf(altered('{"\u00e9":1,"e\u0301":2}'), 0)
  })

  it("looks at any depth where a number is, and holds on to its stack", () => {
    const deep = (depth: number, literal: string) =>
      `{"x":${"[".repeat(depth)}${literal}${"]".repeat(depth)},"n":9007199254740993}`
    assert.deepStrictEqual(altered(deep(StrictJson.MAX_DEPTH - 1, "1e400")), [["n", "9007199254740993"]])
    assert.strictEqual(altered(deep(StrictJson.DEEPEST_ALTERATION - 1, "1e400")).length, 2)
    assert.strictEqual(altered(deep(StrictJson.DEEPEST_ALTERATION, "1e400")).length, 1)
  })

  it("holds on to the first of many that follow each other in arrays, and to each within an object", () => {
    const many = (item: string) => `${`${item},`.repeat(10_000)}${item}`
    for (const item of ["1e400", "[1e400]", "[[9007199254740993]]"]) {
      assert.lengthOf(altered(`{"x":[[1],[${many(item)}]],"n":1e400}`), 2)
    }
    assert.deepStrictEqual(altered('{"x":[{"a":1e400,"a":1},{"a":1},1e400,[1e400],{"a":1e400},2]}'), [
      ["x.0.a", "repeated"],
      ["x.2", "1e400"],
      ["x.4.a", "1e400"]
    ])
    assert.lengthOf(altered(`[${many('{"a":1e400}')}]`), 10_001)
  })

  it("compares numbers by their value, however long they are spelt", () => {
    const zeros = "0".repeat(5_000)
    assert.deepStrictEqual(altered(`[9007199254740992.${zeros},${zeros.length}e20,0.${zeros}1e5022]`), [])
    assert.strictEqual(altered(`[9007199254740992.${zeros}1]`).length, 1)
    assert.strictEqual(altered(`[1${zeros}1e-4000]`).length, 1)
  })

  it("finds every one of several", () => {
    assert.sameDeepMembers(altered('{"a":9007199254740993,"b":[1e400],"c":"9007199254740993"}'), [
      ["a", "9007199254740993"],
      ["b.0", "1e400"]
    ])
  })
})

describe("parse", () => {
  it("keeps the last of duplicate members", () => {
    assert.deepStrictEqual(Result.getOrThrow(StrictJson.parse('{"a":1,"a":2}')), { a: 2 })
  })
})

/** A text, and the value that it was made from. */
interface Sample {
  readonly text: string
  readonly value: unknown
}

const KEYS = [...oddKeys, ...escapedKeys, "key ", "key key ", "a key of more than a dozen characters"]

const TEXTS = [...KEYS, '{"a":1e999}', ", 1e999", '": 9007199254740993', "\ud800", "\u{1F600}", "\u2028"]

const escaped = (text: string): string =>
  `"${text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`

/** A text with odd spacing, keys in either spelling and repeated, and odd numbers. */
const sample = (random: SeededRandom, depth: number): Sample => {
  const space = () => (random.chance(0.2) ? random.pick([" ", "\n", "\t", "\r", " \n "]) : "")
  const spelt = (text: string) => (random.chance(0.2) ? escaped(text) : JSON.stringify(text))
  const around = (text: string, value: unknown): Sample => ({ text: `${space()}${text}${space()}`, value })
  const children = () => Array.from({ length: random.below(4) }, () => sample(random, depth - 1))
  if (depth === 0 || random.chance(0.3)) {
    const text = random.pick(TEXTS)
    const number = random.pick(oddNumbers)
    return random.pick([
      around(spelt(text), text),
      around(number, Number(number)),
      around("true", true),
      around("false", false),
      around("null", null)
    ])
  }
  if (random.chance(0.4)) {
    const items = children()
    return around(
      `[${items.map(({ text }) => text).join(",")}]`,
      items.map(({ value }) => value)
    )
  }
  const members = children().map((child) => ({ key: random.pick(KEYS), child }))
  const texts = members.map(({ key, child }) => `${space()}${spelt(key)}${space()}:${child.text}`)
  return around(
    `{${texts.join(",")}${space()}}`,
    Object.fromEntries(members.map(({ key, child }) => [key, child.value]))
  )
}

describe("parseText", () => {
  it("reads the value that a text was made from, keys in any spelling and repeated", () => {
    generated.stories({ count: 5_000 }, (random) => {
      const { text, value } = sample(random, 4)
      const read = StrictJson.parseText(text)
      assert.deepStrictEqual(read, value, text)
      assert.strictEqual(JSON.stringify(read), JSON.stringify(value), text)
    })
  })

  it("takes a text for what it says, whatever else could be meant by it", () => {
    const text = `{"\\n":"key key key 0061","key key 0061":1,"__proto__":{"a":1}}`
    const read = StrictJson.parseText(text)
    assert.deepStrictEqual(Object.entries(read as object), [
      ["\n", "key key key 0061"],
      ["key key 0061", 1],
      ["__proto__", { a: 1 }]
    ])
    assert.strictEqual(Object.getPrototypeOf(read), Object.prototype)
  })

  it("refuses a text that is nested deeper than any event can be", () => {
    const deep = (depth: number) => `{"a":"]}[\\"","b":[${"[".repeat(depth - 2)}${"]".repeat(depth - 1)}}`
    assert.isTrue(Result.isSuccess(StrictJson.parse(deep(StrictJson.MAX_DEPTH))))
    for (const text of [deep(StrictJson.MAX_DEPTH + 1), "[".repeat(1_000_000), '{"a":'.repeat(500_000)]) {
      const failure = Result.getOrThrow(Result.flip(StrictJson.parse(text)))
      assert.include(failure.detail, "100000 nested")
    }
  })

  it("reads a text that is nested as deep as it is long, with a key that has an escape", () => {
    const depth = StrictJson.MAX_DEPTH - 1
    let value = StrictJson.parseText(`{"\\n":${"[".repeat(depth)}${"]".repeat(depth)}}`)
    value = (value as { readonly "\n": unknown })["\n"]
    let levels = 0
    for (; Array.isArray(value); value = value[0]) levels++
    assert.strictEqual(levels, depth)
  })
})

describe.skipIf(foreign === undefined)("parse against JSONTestSuite (needs CAIRN_FOREIGN)", () => {
  const names = foreign === undefined ? [] : readdirSync(bodies)
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  /** A body is rejected if its bytes are not UTF-8, or its text is not JSON. */
  const read = (name: string): Result.Result<unknown, unknown> => {
    try {
      return StrictJson.parse(utf8.decode(readFileSync(join(bodies, name))))
    } catch {
      return Result.fail("not UTF-8")
    }
  }

  it("refuses every invalid text", () => {
    const invalid = names.filter((name) => name.startsWith("n_"))
    assert.strictEqual(invalid.length, 188)
    assert.deepStrictEqual(
      invalid.filter((name) => Result.isSuccess(read(name))),
      []
    )
  })

  it("reads every valid text, and none of them is an event", () => {
    const valid = names.filter((name) => name.startsWith("y_"))
    assert.strictEqual(valid.length, 95)
    for (const name of valid) {
      const value = read(name)
      assert.isTrue(Result.isSuccess(value), name)
      assert.isTrue(Result.isFailure(decodeEvent(Result.getOrThrow(value))), name)
    }
  })
})
