import { assert, describe, it } from "@effect/vitest"
import { makeRedactor, type SecretPath } from "../src/Redaction.ts"

const R = "[redacted]"

describe("a redactor", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<SecretPath>, object, object]> = [
    [
      ["metadata.password"],
      { metadata: { password: "p", user: "u" } },
      { metadata: { password: R, user: "u" } }
    ],
    [["metadata.Password"], { metadata: { PASSWORD: { deep: 1 } } }, { metadata: { PASSWORD: R } }],
    [
      ["metadata.*.token"],
      { metadata: { a: { token: 1, b: 2 }, token: 3 } },
      { metadata: { a: { token: R, b: 2 }, token: 3 } }
    ],
    [
      ["metadata.**.token"],
      { metadata: { token: 1, a: { b: [{ token: 2 }] } } },
      { metadata: { token: R, a: { b: [{ token: R }] } } }
    ],
    [["**.token"], { token: 1, a: { token: null } }, { token: R, a: { token: R } }],
    [["**.a.**.b"], { a: { b: 1, a: { c: { b: 2 } } }, b: 3 }, { a: { b: R, a: { c: { b: R } } }, b: 3 }],
    [
      ["targets.metadata.ssn"],
      { targets: [{ metadata: { ssn: 1 } }, { id: "x" }] },
      { targets: [{ metadata: { ssn: R } }, { id: "x" }] }
    ],
    [
      [["metadata", "card.number"]],
      { metadata: { "card.number": 1, card: { number: 2 } } },
      { metadata: { "card.number": R, card: { number: 2 } } }
    ],
    [["metadata"], { metadata: { a: 1 }, b: 2 }, { metadata: R, b: 2 }],
    [["metadata.a.b"], { metadata: "text" }, { metadata: "text" }],
    [["metadata.__proto__.x"], { metadata: { y: 1 } }, { metadata: { y: 1 } }],
    [
      ["metadata.secret"],
      { metadata: { toJSON: () => ({ secret: 1, other: 2 }) } },
      { metadata: { secret: R, other: 2 } }
    ]
  ]
  for (const [paths, event, expected] of cases) {
    it(`takes ${JSON.stringify(paths)} out of ${JSON.stringify(event)}`, () => {
      const before = JSON.stringify(event)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(makeRedactor(paths)(event))), expected)
      assert.strictEqual(JSON.stringify(event), before)
    })
  }

  it("keeps times as they are written, and a member named __proto__", () => {
    const event = JSON.parse('{"metadata":{"__proto__":{"a":1},"secret":1}}')
    event.metadata.at = new Date(0)
    assert.strictEqual(
      JSON.stringify(makeRedactor(["**.secret"])(event)),
      '{"metadata":{"__proto__":{"a":1},"secret":"[redacted]","at":"1970-01-01T00:00:00.000Z"}}'
    )
  })

  it("does not follow what contains itself for ever", () => {
    const cycle: Record<string, unknown> = {}
    Object.assign(cycle, { one: cycle, two: cycle })
    assert.throws(() => makeRedactor(["**.secret"])(cycle), "circular")
  })

  for (const path of ["", ".", "a..b", "a.**", []]) {
    it(`refuses the path ${JSON.stringify(path)}`, () => {
      assert.throws(() => makeRedactor([path]), TypeError, "is no path")
    })
  }

  it("changes nothing else of what JSON has of a value", () => {
    const itself = {
      text: "t",
      toJSON() {
        return this
      }
    }
    const metadata = {
      password: "hunter2",
      boxed: new String("text"),
      number: new Number(3),
      itself,
      at: new Date(0)
    }
    const event = { metadata }
    const { password: _, ...rest } = JSON.parse(JSON.stringify(metadata))
    assert.deepStrictEqual(makeRedactor(["metadata.password", "metadata.none.deep"])(event), {
      metadata: { ...rest, password: "[redacted]" }
    })
  })

  it("finds a secret in what only JSON makes of a value", () => {
    const late = Object.assign(() => {}, { toJSON: () => ({ password: "hunter2" }) })
    const said = JSON.stringify(makeRedactor(["**.password"])({ metadata: { late } }))
    assert.include(said, "[redacted]")
    assert.notInclude(said, "hunter2")
  })
})
