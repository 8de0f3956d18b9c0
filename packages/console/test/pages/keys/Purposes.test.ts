import { MemberRole, permissionsOf, Scope, scopesWithin } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import {
  purposeNamed,
  purposesFor,
  scopesOf,
  scopesToGive,
  stateOf
} from "../../../src/page/pages/keys/Purposes.ts"

describe("The scopes that a person may give to a key", () => {
  it.each(MemberRole.literals)("are those that the service lets a %s give", (role) => {
    assert.sameMembers([...scopesToGive(permissionsOf(role))], [...scopesWithin(role, Scope.literals)])
  })
})

describe("A purpose of a key", () => {
  it("to send events gives the scope to send, and no other", () => {
    assert.deepStrictEqual(scopesOf("send", ["admin"]), ["ingest"])
  })

  it("of all but administration gives no administration", () => {
    assert.notInclude(scopesOf("all", []), "admin")
  })

  it("of one's own gives what was picked", () => {
    assert.deepStrictEqual(scopesOf("custom", ["viewer"]), ["viewer"])
  })

  it("is offered only to those who may give all of its scopes", () => {
    assert.deepStrictEqual(purposesFor(["ingest", "read"]), ["send", "read", "custom"])
    assert.deepStrictEqual(purposesFor(["read"]), ["read", "custom"])
  })

  it("is found by its name in an address", () => {
    assert.strictEqual(purposeNamed("read"), "read")
    assert.isUndefined(purposeNamed("constructor"))
    assert.isUndefined(purposeNamed(undefined))
  })
})

describe("A key", () => {
  const now = Date.parse("2026-01-10T00:00:00Z")
  it.each([
    [null, null, "active"],
    ["2026-06-01T00:00:00.000000Z", null, "active"],
    ["2026-01-20T00:00:00.000000Z", null, "ending"],
    ["2026-01-10T00:00:00.000000Z", null, "ended"],
    ["2026-06-01T00:00:00.000000Z", "2026-01-09T00:00:00.000000Z", "revoked"]
  ] as const)("that ends at %s and was revoked at %s is %s", (expires_at, revoked_at, state) => {
    assert.strictEqual(stateOf({ expires_at, revoked_at }, now), state)
  })
})
