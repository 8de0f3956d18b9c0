import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { EventInput, MAX_IDENTIFIER, MAX_NAME, MAX_TARGETS } from "../../src/event/EventInput.ts"
import { knownMembers } from "../../src/event/KnownMembers.ts"
import { isOrdinary } from "../../src/event/OrdinaryEvent.ts"

const decode = Schema.decodeUnknownResult(EventInput)
const unknownIn = knownMembers(EventInput)

const FULL = {
  actor_id: "ada",
  actor_name: "Ada \u0000",
  actor_type: "user",
  action: "document.created",
  action_category: "documents",
  resource_id: "42",
  resource_name: "Ärger 😀",
  resource: "document",
  metadata: { z: [1, { y: null }], a: "\u0000" },
  targets: [{ type: "folder", id: "f", name: "F", metadata: { b: 1 } }, { type: "x" }],
  occurred_at: "2024-05-01T14:00:00.1234567+02:00",
  session_id: "s",
  tenant_id: "t",
  idempotency_key: "k",
  version: 3,
  ip_address: "192.0.2.1"
}

const SMILE = "😀"

/** Of every kind that JSON has, and on both sides of every limit. */
const VALUES: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -0,
  1.5,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
  1e300,
  "",
  "x",
  "\0",
  "\ud800",
  "2024-05-01",
  "2024-02-30",
  "0001-01-01",
  "0000-12-31T23:59:59.999999Z",
  "0001-01-01T00:59:59+01:00",
  "0000-12-31T23:00:00-01:00",
  "cairn.event.erased",
  ...[MAX_IDENTIFIER, MAX_IDENTIFIER + 1, MAX_NAME, MAX_NAME + 1].map((length) => "x".repeat(length)),
  [],
  [null],
  [[]],
  {},
  { type: "t" },
  [{}],
  [{ type: "t" }],
  [{ type: null }],
  [{ type: "t", more: 1 }, "t"],
  Array.from({ length: MAX_TARGETS }, () => ({ type: "t" })),
  Array.from({ length: MAX_TARGETS + 1 }, () => ({ type: "t" })),
  JSON.parse('{"__proto__":{"a":1}}')
]

const FIELDS = Object.keys(FULL)

/** Bodies that differ from a full one, or from one with what is required, in one value. */
const bodies = function* (): Generator<object> {
  for (const base of [FULL, { actor_id: "a", action: "b" }]) {
    for (const field of [...FIELDS, "unknown", "__proto__"]) {
      // Parsed, as a body is: a key may be `__proto__`.
      const rest = Object.entries(base).filter(([key]) => key !== field)
      yield Object.fromEntries(rest)
      for (const value of VALUES) yield Object.fromEntries([...rest, [field, value]])
    }
    for (const field of ["type", "id", "name", "metadata", "unknown"]) {
      for (const value of VALUES) yield { ...base, targets: [{ type: "t" }, { type: "t", [field]: value }] }
    }
  }
}

describe("an ordinary body", () => {
  it("is whatever the schema accepts and knows, and nothing else", () => {
    let count = 0
    for (const body of bodies()) {
      const isRight = Result.isSuccess(decode(body)) && unknownIn(body) === undefined
      assert.strictEqual(isOrdinary(body), isRight, JSON.stringify(body).slice(0, 300))
      count++
    }
    assert.isAbove(count, 1_000)
  })

  it("is read as the schema reads it", () => {
    for (const body of [FULL, { actor_id: "a", action: "b", actor_name: null }]) {
      assert.isTrue(isOrdinary(body))
      assert.deepStrictEqual<object>(body, Result.getOrThrow(decode(body)))
    }
  })

  it("is no body that is something else than an object", () => {
    for (const body of VALUES) assert.isFalse(isOrdinary(body))
    assert.isFalse(isOrdinary([FULL]))
  })

  it("has no text whose length says too little, which the schema counts", () => {
    const body = { ...FULL, actor_id: SMILE.repeat(MAX_IDENTIFIER) }
    assert.isFalse(isOrdinary(body))
    assert.isTrue(Result.isSuccess(decode(body)))
  })

  it("has no field without a value, which is nothing that JSON has", () => {
    assert.isFalse(isOrdinary({ ...FULL, actor_name: undefined }))
    assert.isFalse(isOrdinary({ ...FULL, targets: [{ type: "t", id: undefined }] }))
  })
})
