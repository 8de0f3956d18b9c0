import { assert, describe, it } from "@effect/vitest"
import { MAX_EVENT_BYTES, prepareEvent } from "../src/Prepare.ts"
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

  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["no object", null, "event"],
    ["an array", [], "event"],
    ["no actor", { action: "a" }, "actor_id"],
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
