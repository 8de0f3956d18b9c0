import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { contentParts } from "../../src/event/ContentWriter.ts"
import { decodeEvent } from "../../src/event/EventDecoding.ts"
import { describeIssue, type InvalidInput } from "../../src/event/InvalidInput.ts"
import type { ValidEvent } from "../../src/event/ValidEvent.ts"

type Body = Readonly<Record<string, unknown>>

const REQUIRED: Body = { actor_id: "a", action: "b" }

/** A field, and a body in which it has the given value. */
interface Field {
  readonly path: string
  readonly with: (value: unknown) => Body
}

const top = (path: string): Field => ({ path, with: (value) => ({ ...REQUIRED, [path]: value }) })

/** A field of the second of two targets. */
const ofTarget = (name: string): Field => ({
  path: `targets[1].${name}`,
  with: (value) => ({ ...REQUIRED, targets: [{ type: "t" }, { type: "t", [name]: value }] })
})

const required = [top("actor_id"), top("action"), ofTarget("type")]

const identifiers = [
  ...required,
  ...["actor_type", "action_category", "resource", "resource_id", "session_id", "tenant_id"].map(top),
  top("idempotency_key"),
  ofTarget("id")
]

const names = [top("actor_name"), top("resource_name"), ofTarget("name")]

const objects = [top("metadata"), ofTarget("metadata")]

const texts = [...identifiers, ...names, top("occurred_at"), top("ip_address")]

const accepted = (body: unknown): ValidEvent => {
  const result = decodeEvent(body)
  if (Result.isFailure(result)) throw new Error(`refused: ${result.failure.message}`)
  return result.success
}

const refused = (body: unknown): InvalidInput => {
  const result = decodeEvent(body)
  if (Result.isSuccess(result)) throw new Error("accepted")
  return result.failure
}

const assertRefused = (field: Field, value: unknown, reason: string): void => {
  const { path, reason: given } = refused(field.with(value))
  assert.deepStrictEqual({ path, reason: given }, { path: field.path, reason })
}

const SMILE = "\u{1f602}"
const ACUTE = "e\u0301"

describe.each(identifiers)("$path", (field) => {
  it("has at most 256 characters, however many bytes or UTF-16 units they take", () => {
    for (const character of ["x", "é", "€", SMILE]) {
      accepted(field.with(character.repeat(256)))
      assertRefused(field, character.repeat(257), "must have at most 256 characters")
    }
    // A character is a code point: these are two each.
    accepted(field.with(ACUTE.repeat(128)))
    assertRefused(field, `${ACUTE.repeat(128)}x`, "must have at most 256 characters")
  })

  it("does not contain U+0000, and may contain any other control character", () => {
    accepted(field.with("\u0001\n\u007f\u2028\ufeff"))
    assertRefused(field, "a\0b", "must not contain U+0000")
  })
})

describe.each(names)("$path", (field) => {
  it("has at most 1,024 characters", () => {
    for (const character of ["x", "€", SMILE]) {
      accepted(field.with(character.repeat(1024)))
      assertRefused(field, character.repeat(1025), "must have at most 1024 characters")
    }
  })

  it("may be empty, and hold any character", () => {
    accepted(field.with(""))
    accepted(field.with("\0\n\ufeff"))
  })
})

describe.each([...identifiers, ...names])("$path", (field) => {
  it("is well-formed Unicode", () => {
    accepted(field.with(SMILE))
    for (const text of ["\ud83d", "a\ude02", "\ude02\ud83d", `${SMILE}\ud83d`]) {
      assertRefused(field, text, "must be well-formed Unicode, without lone surrogates")
    }
  })
})

describe.each(texts)("$path", (field) => {
  it.each([1, true, {}, [], ["a"]])("is no text when it is %j", (value) => {
    assertRefused(field, value, "must be a string")
  })
})

describe.each(required)("$path", (field) => {
  it("is there", () => {
    const body = JSON.parse(JSON.stringify(field.with(undefined)))
    const { path, reason } = refused(body)
    assert.deepStrictEqual({ path, reason }, { path: field.path, reason: "is required" })
  })

  it("is neither empty nor null", () => {
    assertRefused(field, "", "must not be empty")
    assertRefused(field, null, "must be a string")
    accepted(field.with(" "))
  })
})

const optional = [...texts, ...objects, top("targets"), top("version")].filter(
  (field) => !required.includes(field)
)

describe.each(identifiers.filter((field) => !required.includes(field)))("$path", (field) => {
  it("may be empty", () => {
    accepted(field.with(""))
  })
})

describe.each(optional)("$path", (field) => {
  it("may be null, which is as good as not being there", () => {
    accepted(field.with(null))
  })
})

describe.each(objects)("$path", (field) => {
  /** `{"k":"xx…"}` with this many bytes. */
  const ofBytes = (bytes: number, character = "x"): Body => {
    const rest = bytes - '{"k":""}'.length
    const width = Buffer.byteLength(character)
    return { k: character.repeat(Math.floor(rest / width)) + "x".repeat(rest % width) }
  }

  /** Objects and arrays by turns, this deep. */
  const ofDepth = (depth: number): unknown => {
    let value: unknown = 1
    for (let level = depth; level > 0; level--) value = level % 2 === 1 ? { d: value } : [value]
    return value
  }

  it("has at most 64 KiB as JSON in UTF-8", () => {
    for (const character of ["x", "€", SMILE]) {
      const largest = ofBytes(65_536, character)
      assert.strictEqual(Buffer.byteLength(JSON.stringify(largest)), 65_536)
      accepted(field.with(largest))
      assertRefused(field, ofBytes(65_537, character), "must have at most 65536 bytes as JSON")
    }
  })

  it("is measured as it is stored, without the white space and the escapes that it was sent with", () => {
    const body = JSON.stringify(field.with("?")).replace('"?"', `{ "k" : "${"\\u0078".repeat(65_528)}" }`)
    accepted(JSON.parse(body))
  })

  it("has at most 32 levels, itself included", () => {
    accepted(field.with(ofDepth(32)))
    const { path, reason } = refused(field.with(ofDepth(33)))
    assert.strictEqual(reason, "must have at most 32 levels")
    assert.isTrue(path.startsWith(`${field.path}.d[0].d[0]`), path)
  })

  it("is an object", () => {
    for (const value of [1, "{}", true, [], [{}]]) assertRefused(field, value, "must be an object")
    accepted(field.with({}))
  })

  it("is well-formed Unicode in its texts and keys, and may hold U+0000 in both", () => {
    accepted(field.with({ "a\0": ["\0"] }))
    for (const value of [{ a: ["\ud83d"] }, { a: [{ "\ud83d": 1 }] }]) {
      const { path, reason } = refused(field.with(value))
      assert.strictEqual(reason, "must be well-formed Unicode, without lone surrogates")
      assert.isTrue(path.startsWith(`${field.path}.a[0]`), path)
    }
  })

  it("holds no number too large for a double", () => {
    accepted(field.with({ a: [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE] }))
    const { path, reason } = refused(field.with({ a: [1, JSON.parse("-1e400")] }))
    assert.strictEqual(path, `${field.path}.a[1]`)
    assert.strictEqual(reason, "is a number too large for a double; send it as a string")
  })
})

describe("targets", () => {
  const targets = top("targets")

  it("are at most 100", () => {
    accepted(targets.with([]))
    accepted(targets.with(Array(100).fill({ type: "t" })))
    assertRefused(targets, Array(101).fill({ type: "t" }), "must have at most 100 items")
  })

  it("are an array of objects", () => {
    for (const value of [{}, "t", 1, true]) assertRefused(targets, value, "must be an array")
    for (const value of [null, "t", 1, []]) {
      const { path, reason } = refused(targets.with([{ type: "t" }, value]))
      assert.deepStrictEqual({ path, reason }, { path: "targets[1]", reason: "must be an object" })
    }
  })
})

describe("version", () => {
  const version = top("version")

  it("is an integer that no other integer rounds to", () => {
    for (const value of [0, -0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      assert.strictEqual(accepted(version.with(value)).input.version, value)
    }
    for (const value of [2 ** 53, -(2 ** 53), 1e300, 1.5, -0.1, Number.POSITIVE_INFINITY]) {
      assertRefused(version, value, "must be an integer between -2^53 and 2^53, both excluded")
    }
  })

  it("is a number", () => {
    for (const value of ["1", true, {}, [1]]) assertRefused(version, value, "must be a number")
  })
})

describe("occurred_at", () => {
  const occurredAt = top("occurred_at")

  it.each([
    "2026-01-15",
    "0001-01-01",
    "9999-12-31T23:59:59.999999Z",
    "2024-02-29T00:00Z",
    "2026-01-15T09:30:00.1234567891+05:30"
  ])("may be %s", (text) => {
    accepted(occurredAt.with(text))
  })

  it.each([
    "",
    "now",
    "2026",
    "2026-1-5",
    "2026-02-29",
    "2026-01-15T24:00:00Z",
    "2026-01-15T09:60Z",
    "1768469400"
  ])("is not %j", (text) => {
    assertRefused(
      occurredAt,
      text,
      "must be an ISO 8601 date or date-time of the years 1 to 9999 in UTC, with hours to 23 and seconds to 59"
    )
  })
})

describe("ip_address", () => {
  const address = top("ip_address")

  it.each(["192.0.2.1", "::1", "2001:db8::1", "::ffff:192.0.2.1"])("may be %s", (text) => {
    accepted(address.with(text))
  })

  it.each(["", "localhost", "256.0.0.1", "192.0.2", "192.0.2.0/24", "2001:db8::g", " 192.0.2.1"])(
    "is not %j",
    (text) => {
      assertRefused(address, text, "must be an IPv4 or IPv6 address")
    }
  )
})

describe("an event body", () => {
  it("may have fields that nobody knows where they are a warning, whatever they hold", () => {
    const body = {
      ...REQUIRED,
      later: "\ud83d".repeat(300),
      tennant_id: [[[[]]]],
      targets: [{ type: "t", nmae: Number.POSITIVE_INFINITY }]
    }
    const { input, warnings } = Result.getOrThrow(decodeEvent(body, [], "warn"))
    assert.deepStrictEqual<object>(input, { ...REQUIRED, targets: [{ type: "t" }] })
    assert.deepStrictEqual(warnings, [
      "later: is not known; did you mean `actor_id`?",
      "tennant_id: is not known; did you mean `tenant_id`?",
      "targets[0].nmae: is not known; did you mean `name`?"
    ])
    assert.deepStrictEqual(refused(body).unknown, ["later", "tennant_id", "targets[0].nmae"])
  })

  it("counts the fields that it does not name", () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`later${index}`, 1]))
    const { warnings = [] } = Result.getOrThrow(decodeEvent({ ...REQUIRED, ...unknown }, [], "warn"))
    assert.lengthOf(warnings, 21)
    assert.strictEqual(warnings.at(-1), "30 or more other members are not known")
  })

  it("names the fields that nobody knows also where they are a warning and something else is wrong", () => {
    const invalid = Result.flip(decodeEvent({ actor_id: "a", tennant_id: "t" }, [], "warn"))
    assert.deepStrictEqual(Result.getOrThrow(invalid).unknown, ["tennant_id"])
  })

  it("is refused with all that is wrong, and the unknown apart", () => {
    const invalid = refused({
      action: "",
      tennant_id: "t",
      metadata: { a: ["\ud83d"] },
      targets: [{ type: 1 }, { type: "t", metadata: { b: Number.NaN } }],
      ip_address: "here"
    })
    assert.deepStrictEqual(invalid.unknown, ["tennant_id"])
    assert.sameMembers(
      invalid.wrong.map(({ path }) => path),
      ["actor_id", "action", "metadata.a[0]", "targets[0].type", "targets[1].metadata.b", "ip_address"]
    )
    for (const { path, reason } of invalid.faults) assert.include(invalid.message, `${path}: ${reason}`)
  })

  it("names of very many faults so many that the error stays short", () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `${"x".repeat(200)}${index}`)
    const body = {
      ...Object.fromEntries(names(5_000).map((name) => [name, 1])),
      targets: Array.from({ length: 100 }, () => ({ type: 1, id: 1 }))
    }
    const invalid = refused(body)
    assert.lengthOf(invalid.unknown ?? [], 100)
    assert.lengthOf(invalid.wrong, 20)
    assert.isBelow(invalid.message.length, 8_000)
  })

  it.each([null, true, 1, "{}", [], [REQUIRED]])("is an object and not %j", (body) => {
    const { path, reason } = refused(body)
    assert.deepStrictEqual({ path, reason }, { path: "", reason: "must be an object" })
  })

  it("is named by its place in the batch", () => {
    const at = ["events", 3]
    const paths = [
      null,
      { actor_id: "a" },
      { ...REQUIRED, targets: [{}] },
      { ...REQUIRED, metadata: { a: "\ud83d" } },
      { ...REQUIRED, targets: [{ type: "t", metadata: { a: "\ud83d" } }] },
      { ...REQUIRED, ip_address: "x" }
    ].map((body) => Result.getOrThrow(Result.flip(decodeEvent(body, at))).path)
    assert.deepStrictEqual(paths, [
      "events[3]",
      "events[3].action",
      "events[3].targets[0].type",
      "events[3].metadata.a",
      "events[3].targets[0].metadata.a",
      "events[3].ip_address"
    ])
  })
})

describe("the reason of a refusal", () => {
  const Choice = Schema.Literals(["free", "pro"])
  const Settings = Schema.Struct({
    plan: Schema.optionalKey(Choice),
    next: Schema.optionalKey(Schema.NullOr(Choice)),
    scopes: Schema.optionalKey(Schema.Array(Choice)),
    kind: Schema.optionalKey(Schema.Literal("cairn")),
    cap: Schema.optionalKey(Schema.NullOr(Schema.Number))
  })

  const reasonOf = (settings: unknown): string => {
    const result = Schema.decodeUnknownResult(Settings)(settings)
    if (Result.isSuccess(result)) throw new Error("accepted")
    return describeIssue(result.failure.issue).message
  }

  it.each([
    [{ plan: "gold" }, "plan: must be one of free, pro"],
    [{ plan: 1 }, "plan: must be one of free, pro"],
    [{ next: "gold" }, "next: must be one of free, pro"],
    [{ scopes: ["pro", "gold"] }, "scopes[1]: must be one of free, pro"],
    [{ scopes: "pro" }, "scopes: must be an array"],
    [{ kind: "other" }, "kind: must be cairn"],
    [{ cap: "1" }, "cap: must be a number"]
  ])("for %j is %j", (settings, message) => {
    assert.strictEqual(reasonOf(settings), message)
  })
})

describe("a whole event", () => {
  const LIMIT = 256 * 1024
  const bytesOf = (body: unknown): number => {
    const { head, tail } = contentParts(accepted(body), 0)
    return new TextEncoder().encode(head + tail).length
  }
  /** Targets whose metadata hold a text of so many of a character, in at most 60,000 bytes each. */
  const withText = (character: string, count: number): Body => {
    const each = Math.floor(60_000 / new TextEncoder().encode(JSON.stringify(character).slice(1, -1)).length)
    const targets = Array.from({ length: Math.ceil(count / each) }, (_, index) => ({
      type: "t",
      metadata: { x: character.repeat(Math.min(each, count - index * each)) }
    }))
    return { ...REQUIRED, metadata: { y: 1 }, targets }
  }

  it.each(["x", "\u00e9", "\u20ac", SMILE, "\n", "\u0001"])(
    "has at most 256 KiB of %j as JSON",
    (character) => {
      const one = new TextEncoder().encode(JSON.stringify(character).slice(1, -1)).length
      let count = Math.floor((LIMIT - 600) / one)
      const sent = (count: number) =>
        new TextEncoder().encode(JSON.stringify(withText(character, count))).length
      while (sent(count + 1) <= LIMIT) count++
      // Whatever is sent in so many bytes, however few of its members it names, is accepted.
      bytesOf(withText(character, count))
      for (const more of [count + Math.ceil(2_000 / one), 2 * count, 10 * count]) {
        const { path, reason } = refused(withText(character, more))
        assert.deepStrictEqual(
          { path, reason },
          { path: "", reason: `must have at most ${LIMIT} bytes as JSON` }
        )
      }
    }
  )

  it("is as large with names and numbers as with text, and is named by its place in a batch", () => {
    const long = "\u0001".repeat(1024)
    const named = (count: number) => ({
      ...REQUIRED,
      targets: Array.from({ length: count }, () => ({ type: "t", name: long }))
    })
    assert.isBelow(bytesOf(named(40)), LIMIT)
    assert.strictEqual(refused(named(100)).path, "")
    // Each of them takes five times as many characters as it was sent in.
    const metadata = { n: Array.from({ length: 2_900 }, () => 1e20) }
    const numbers = { ...REQUIRED, targets: Array.from({ length: 5 }, () => ({ type: "t", metadata })) }
    const result = decodeEvent(numbers, ["events", 7])
    assert.isTrue(Result.isFailure(result) && result.failure.path === "events[7]")
  })
})
