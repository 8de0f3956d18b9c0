import { assert, describe, it } from "@effect/vitest"
import { endOfUse } from "../../../src/page/pages/members/SessionEnd.ts"

const session = { expires_at: "2026-12-01T12:00:00.000000Z" }

describe("A session in a workspace", () => {
  it("ends with the access of the member where that is earlier", () => {
    const member = { expires_at: "2026-11-27T19:00:00.000000Z" }
    assert.strictEqual(endOfUse(session, member), member.expires_at)
  })

  it("ends by itself where access ends later, or never", () => {
    assert.strictEqual(endOfUse(session, { expires_at: "2026-12-02T12:00:00Z" }), session.expires_at)
    assert.strictEqual(endOfUse(session, { expires_at: null }), session.expires_at)
  })
})
