import { CairnApiError, CairnConnectionError, CairnTimeoutError } from "@cairn/client/session"
import { assert, describe, it } from "@effect/vitest"
import { faultOf } from "../../src/page/data/Fault.ts"

const answered = (status: number, more: Partial<CairnApiError> = {}) =>
  faultOf(new CairnApiError({ code: "x", message: "why", status, ...more }))

describe("a fault", () => {
  it("says what the service answered, as a page can say it", () => {
    assert.deepStrictEqual(answered(401), { kind: "signed_out" })
    assert.deepStrictEqual(answered(403), { kind: "refused", message: "why" })
    assert.deepStrictEqual(answered(404), { kind: "gone" })
    assert.deepStrictEqual(answered(429, { retryAfterMillis: 1_200 }), { kind: "busy", seconds: 2 })
    assert.deepStrictEqual(answered(503), { kind: "unavailable", seconds: 5 })
    assert.deepStrictEqual(answered(500), { kind: "failed", message: "why" })
  })

  it("has what is wrong with each field of a form", () => {
    const errors = [
      { field: "name", message: "must have a text" },
      { field: "scopes[0]", message: "must be a scope" },
      { field: 1, message: "is none" }
    ]
    assert.deepStrictEqual(answered(422, { body: { errors } }), {
      kind: "invalid",
      message: "why",
      fields: { name: "must have a text", "scopes[0]": "must be a scope" }
    })
  })

  it("of no answer is one that can be tried again", () => {
    assert.deepStrictEqual(faultOf(new CairnConnectionError("gone")), { kind: "failed", message: "gone" })
    assert.deepStrictEqual(faultOf(new CairnTimeoutError("late")), { kind: "unavailable", seconds: 5 })
  })
})
