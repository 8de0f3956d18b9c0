import { assert, describe, it } from "@effect/vitest"
import {
  type Attempt,
  isMoving,
  isRetrying,
  outcomeOf,
  readable
} from "../../../src/page/pages/webhooks/deliveries/Delivery.ts"

const NOW = Date.parse("2026-01-31T09:00:00.000Z")

const attempt: Attempt = {
  started_at: "2026-01-31T09:00:00.000000Z",
  duration_ms: 12,
  status: 500,
  answer: "",
  error: null
}

describe("a delivery", () => {
  it("is looked at again only while it is sent, or tried again within moments", () => {
    assert.isTrue(isMoving({ status: "pending", next_attempt_at: null }, NOW))
    assert.isTrue(isMoving({ status: "pending", next_attempt_at: "2026-01-31T09:00:05.000000Z" }, NOW))
    assert.isFalse(isMoving({ status: "pending", next_attempt_at: "2026-01-31T09:05:00.000000Z" }, NOW))
    assert.isFalse(isMoving({ status: "delivered", next_attempt_at: null }, NOW))
    assert.isFalse(isMoving({ status: "failed", next_attempt_at: null }, NOW))
  })

  it("that failed is tried again as long as it is on its way", () => {
    assert.isFalse(isRetrying({ status: "pending", attempts: 0 }))
    assert.isTrue(isRetrying({ status: "pending", attempts: 2 }))
    assert.isFalse(isRetrying({ status: "failed", attempts: 8 }))
  })
})

describe("a test", () => {
  it("says what came of it", () => {
    assert.strictEqual(outcomeOf({ status: "delivered", attempt: { ...attempt, status: 204 } }), "accepted")
    assert.strictEqual(outcomeOf({ status: "pending", attempt }), "refused")
    assert.strictEqual(
      outcomeOf({ status: "pending", attempt: { ...attempt, status: null, error: "timed out" } }),
      "silent"
    )
    assert.strictEqual(outcomeOf({ status: "pending" }), "unanswered")
  })

  it("of a protocol without a status is refused in its own words", () => {
    const said = { ...attempt, status: null, answer: "the folder is not there" }
    assert.strictEqual(outcomeOf({ status: "failed", attempt: said }), "refused")
  })
})

describe("a body", () => {
  it("of JSON is shown over several lines, and any other as it is", () => {
    assert.strictEqual(readable('{"a":1}'), '{\n  "a": 1\n}')
    assert.strictEqual(readable("12"), "12")
    assert.strictEqual(readable('{"a":'), '{"a":')
  })
})
