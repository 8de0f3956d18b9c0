import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { decodeEvent, StrictJson } from "@cairn/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const foreign = process.env.CAIRN_FOREIGN
const bodies = join(foreign ?? "", "vectors/json-parsing/test_parsing")

const inexact = (text: string) =>
  StrictJson.inexactNumbers(text, JSON.parse(text)).map(({ path, literal }) => [path.join("."), literal])

describe("inexactNumbers", () => {
  for (const literal of [
    "9007199254740993",
    "-9007199254740993",
    "12345678901234567890",
    "1e400",
    "-1e400",
    "123456789012345678901234567890"
  ]) {
    it(`reports ${literal}`, () => {
      assert.deepStrictEqual(inexact(`{"metadata":{"a":[1,{"n":${literal}}]}}`), [
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
      assert.deepStrictEqual(inexact(`{"metadata":{"n":${literal}}}`), [])
    })
  }

  it("finds every one of several", () => {
    assert.sameDeepMembers(inexact('{"a":9007199254740993,"b":[1e400],"c":"9007199254740993"}'), [
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

describe.skipIf(foreign === undefined)("parse against JSONTestSuite (needs CAIRN_FOREIGN)", () => {
  const names = foreign === undefined ? [] : readdirSync(bodies)
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  /** A body is refused when its bytes are not UTF-8, or its text is not JSON. */
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
