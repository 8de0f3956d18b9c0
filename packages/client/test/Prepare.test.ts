import { assert, describe, it } from "@effect/vitest"
import { MAX_EVENT_BYTES, prepareEvent } from "../src/Prepare.ts"
import { makeRedactor } from "../src/Redaction.ts"
import { uuid7 } from "../src/Uuid7.ts"

describe("uuid7", () => {
  it("has its moment, version and variant where RFC 9562 puts them", () => {
    // The time of the RFC's own example, appendix A.6.
    const id = uuid7(0x017f22e279b0)
    assert.match(id, /^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const many = new Set(Array.from({ length: 10_000 }, () => uuid7(1)))
    assert.strictEqual(many.size, 10_000)
  })
})

describe("an event", () => {
  const event = { actor_id: "ada", action: "invoice.paid" }
  const bodyOf = (json: string): Record<string, unknown> => JSON.parse(json)

  it("gets its key and its time unless it has them", () => {
    const made = prepareEvent(event)
    assert.strictEqual(bodyOf(made.json).idempotency_key, made.key)
    assert.match(String(bodyOf(made.json).occurred_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const given = { ...event, idempotency_key: "mine", occurred_at: "2023-01-01T00:00:00Z" }
    assert.deepStrictEqual(bodyOf(prepareEvent(given).json), given)
    for (const nothing of [undefined, null, ""]) {
      const { key } = prepareEvent({ ...event, idempotency_key: nothing, occurred_at: null })
      assert.strictEqual(key.length, 36)
    }
  })

  it("stays as it was when the caller changes its object", () => {
    const metadata = { amount: 1 }
    const { json } = prepareEvent({ ...event, metadata })
    metadata.amount = 2
    assert.deepStrictEqual(bodyOf(json).metadata, { amount: 1 })
  })

  it("lies over its context, whose metadata it is joined with", () => {
    const context = () => ({
      actor_id: "context",
      tenant_id: "acme",
      metadata: { request_id: "r", amount: 0 }
    })
    const { json } = prepareEvent(
      { ...event, tenant_id: undefined, session_id: null, metadata: { amount: 1 } },
      { context }
    )
    assert.deepInclude(bodyOf(json), {
      actor_id: "ada",
      tenant_id: "acme",
      session_id: null,
      metadata: { request_id: "r", amount: 1 }
    })
  })

  it("is redacted before it is text", () => {
    const redact = (whole: object) => ({ ...whole, metadata: "[redacted]" })
    const { json } = prepareEvent({ ...event, metadata: { password: "hunter2" } }, { redact })
    assert.notInclude(json, "hunter2")
  })

  it("keeps its key, time, actor and action whatever redaction and context do", () => {
    const given = { ...event, idempotency_key: "mine", occurred_at: "2023-01-01T00:00:00Z" }
    const around = {
      idempotency_key: "its",
      occurred_at: "2020-01-01T00:00:00Z",
      actor_id: "eve",
      action: "b"
    }
    for (const redact of ["*", "**.actor_id", "idempotency_key", "action", "occurred_at"]) {
      const preparation = { context: () => around, redact: makeRedactor([redact]) }
      const { key, json } = prepareEvent(given, preparation)
      assert.strictEqual(key, "mine")
      assert.deepInclude(bodyOf(json), given)
      const made = prepareEvent(event, preparation)
      assert.strictEqual(bodyOf(made.json).idempotency_key, made.key)
      assert.strictEqual(made.key.length, 36)
      assert.notStrictEqual(bodyOf(made.json).occurred_at, around.occurred_at)
    }
  })

  it("gets nothing of its context's actor where it names another", () => {
    const context = () => ({ actor_id: "eve", actor_name: "Eve", actor_type: "admin" })
    const { json } = prepareEvent(event, { context })
    assert.notProperty(bodyOf(json), "actor_name")
    assert.notProperty(bodyOf(json), "actor_type")
    const named = prepareEvent({ ...event, actor_name: "Ada" }, { context })
    assert.strictEqual(bodyOf(named.json).actor_name, "Ada")
  })

  it("has a member __proto__ like any other, and all that it has otherwise", () => {
    const parsed = JSON.parse(
      '{"actor_id":"ada","action":"a","__proto__":{"occurred_at":"x","actor_id":"y"}}'
    )
    for (const context of [undefined, () => ({ tenant_id: "acme" })]) {
      const { json } = prepareEvent(parsed, { context })
      assert.match(json, /"__proto__":\{"occurred_at":"x","actor_id":"y"\}/)
      assert.match(String(bodyOf(json).occurred_at), /^\d{4}-/)
      assert.strictEqual(bodyOf(json).actor_id, "ada")
    }
  })

  it("has U+FFFD in the place of half a surrogate pair, and nothing else is changed", () => {
    const metadata = { "\ud800": "a\udfffb", whole: "\ud83d\ude00", text: "\\ud800 \\\\ud800 \u0001" }
    const { json } = prepareEvent({ ...event, metadata })
    assert.deepStrictEqual(bodyOf(json).metadata, {
      "\ufffd": "a\ufffdb",
      whole: "\ud83d\ude00",
      text: "\\ud800 \\\\ud800 \u0001"
    })
  })

  it("repeats nothing of what its own code says when it fails", () => {
    const said = { toJSON: () => assert.fail("hunter2") }
    for (const redact of [undefined, makeRedactor(["metadata.password"])]) {
      let message = ""
      try {
        prepareEvent({ ...event, metadata: { password: said, other: said } }, { redact })
      } catch (error) {
        message = (error as Error).message
      }
      assert.match(message, /^event has no JSON/)
      assert.notInclude(message, "hunter2")
    }
  })

  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["no object", null, "event"],
    ["an array", [], "event"],
    ["no actor", { action: "a" }, "actor_id"],
    ["an actor that is a number", { actor_id: 7, action: "a" }, "actor_id"],
    ["a key that is a number", { ...event, idempotency_key: 7 }, "idempotency_key"],
    ["an empty actor", { actor_id: "", action: "a" }, "actor_id"],
    ["no action", { actor_id: "a" }, "action"],
    ["an action that is no text", { actor_id: "a", action: 1 }, "action"],
    ["a big integer", { ...event, metadata: { amount: 1n } }, "event"],
    ["a cycle", { ...event, metadata: cycle }, "event"],
    ["too much", { ...event, metadata: { text: "é".repeat(MAX_EVENT_BYTES / 2) } }, "event"]
  ]
  for (const [name, value, field] of wrong) {
    it(`with ${name} is refused, and says which field is wrong`, () => {
      let refusal: unknown
      try {
        prepareEvent(value as typeof event)
      } catch (error) {
        refusal = (error as { refusal?: unknown }).refusal
      }
      assert.deepInclude(refusal, { error: "validation_failed" })
      assert.strictEqual((refusal as { errors: ReadonlyArray<{ field: string }> }).errors[0]?.field, field)
    })
  }
})
