import { assert, describe, it } from "@effect/vitest"
import { type VerificationStatus, verdictOf } from "../../../src/page/pages/integrity/Verdict.ts"

const WHOLE: VerificationStatus = {
  valid: true,
  complete: true,
  sequence: 10,
  events_checked: 10,
  total: 10,
  began_at: "2026-05-01T12:00:00.000000Z",
  reached_end_at: "2026-05-01T12:01:00.000000Z",
  paused: false,
  findings: [],
  findings_total: 0
}
const of = (change: Partial<VerificationStatus>) => verdictOf({ ...WHOLE, ...change })

describe("verdictOf", () => {
  it("is whole only where every event of the log was checked", () => {
    assert.strictEqual(of({}), "whole")
    assert.strictEqual(of({ complete: false, total: 11 }), "following")
    assert.strictEqual(of({ complete: false, total: 100 }), "partly")
    assert.strictEqual(of({ complete: false, sequence: 4, reached_end_at: null }), "partly")
  })

  it("is partly while a later pass has not been at the end, whatever the one before found", () => {
    const began_at = "2026-05-02T12:00:00.000000Z"
    assert.strictEqual(of({ complete: false, sequence: 4, began_at }), "partly")
  })

  it("is broken as long as a finding stands, also in a log that has no event any more", () => {
    assert.strictEqual(of({ valid: false, findings_total: 1 }), "broken")
    assert.strictEqual(of({ valid: false, findings_total: 1, complete: false, total: 0 }), "broken")
  })

  it("says that nothing was verified before the first pass, and that an empty log has nothing to verify", () => {
    const before = { complete: false, sequence: 0, began_at: null, reached_end_at: null }
    assert.strictEqual(of(before), "unverified")
    assert.strictEqual(of({ ...before, total: 0 }), "empty")
    assert.strictEqual(of({ total: 0, sequence: 0 }), "empty")
  })
})
