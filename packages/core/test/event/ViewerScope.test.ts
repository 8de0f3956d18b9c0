import { isInScope, scopedFilter } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"

describe("the scope of a viewer", () => {
  const event = (tenant_id: string | null, id: string) => ({
    tenant_id,
    actor: { id, name: null, type: null }
  })

  it("is forced onto a filter, which may narrow it and never leave it", () => {
    const scope = { tenantId: "t", actorId: null }
    assert.deepStrictEqual(scopedFilter({ action: "a" }, scope), { action: "a", tenantId: "t" })
    assert.deepStrictEqual(scopedFilter({ tenantId: "t", actorId: "ada" }, scope), {
      tenantId: "t",
      actorId: "ada"
    })
    assert.isUndefined(scopedFilter({ tenantId: "u" }, scope))
    assert.isUndefined(scopedFilter({ tenantId: "" }, scope))
    assert.isUndefined(scopedFilter({ actorId: "bob" }, { tenantId: "t", actorId: "ada" }))
    assert.deepStrictEqual(scopedFilter({ tenantId: "u" }, { tenantId: null, actorId: null }), {
      tenantId: "u"
    })
  })

  it("leaves of several values the one that is within it", () => {
    const both = { tenantId: "t", actorId: "ada" }
    const asked = { action: ["a", "b"], tenantId: ["u", "t"], actorId: ["ada", "bob"] }
    assert.deepStrictEqual(scopedFilter(asked, both), { ...asked, tenantId: "t", actorId: "ada" })
    assert.isUndefined(scopedFilter({ ...asked, tenantId: ["u", "T", ""] }, both))
    assert.isUndefined(scopedFilter({ ...asked, actorId: ["bob", "eve"] }, both))
    assert.isUndefined(scopedFilter({ tenantId: [] }, both))
    assert.deepStrictEqual(scopedFilter(asked, { tenantId: null, actorId: null }), asked)
  })

  it("holds both of its halves for an event", () => {
    const both = { tenantId: "t", actorId: "ada" }
    assert.isTrue(isInScope(event("t", "ada"), both))
    assert.isFalse(isInScope(event("t", "bob"), both))
    assert.isFalse(isInScope(event("u", "ada"), both))
    assert.isFalse(isInScope(event(null, "ada"), both))
    assert.isTrue(isInScope(event(null, "bob"), { tenantId: null, actorId: null }))
  })
})
