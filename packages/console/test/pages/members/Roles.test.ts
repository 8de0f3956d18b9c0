import { MemberRole, PERMISSION_NAMES, permissionsOf, rolesWith } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import {
  CAPABILITIES,
  canEnd,
  isLastOwner,
  may,
  mayChange,
  ROLES,
  rolesThatMay,
  rolesToGive
} from "../../../src/page/pages/members/Roles.ts"

describe("The table of roles", () => {
  it("has every role and every permission, each once", () => {
    assert.deepStrictEqual([...ROLES], [...MemberRole.literals])
    const named = CAPABILITIES.flatMap(({ permissions }) => permissions)
    assert.sameMembers(named, [...PERMISSION_NAMES])
    assert.strictEqual(new Set(named).size, named.length)
  })

  it.each(CAPABILITIES)("says of “$name” what the service does", (capability) => {
    const roles = ROLES.filter((role) => may(role, capability))
    for (const permission of capability.permissions) {
      assert.deepStrictEqual(roles, [...rolesWith(permission)])
      assert.deepStrictEqual(rolesThatMay(permission), roles)
    }
  })
})

describe("Who may give and change roles", () => {
  it("owners give all of them, and admins all but their own superiors", () => {
    assert.deepStrictEqual(rolesToGive(permissionsOf("owner")), ROLES)
    assert.notInclude(rolesToGive(permissionsOf("admin")), "owner")
  })

  it("owners are changed by owners, others by admins, and nobody by a developer", () => {
    assert.isTrue(mayChange(permissionsOf("owner"), { role: "owner" }))
    assert.isFalse(mayChange(permissionsOf("admin"), { role: "owner" }))
    assert.isTrue(mayChange(permissionsOf("admin"), { role: "admin" }))
    assert.isFalse(mayChange(permissionsOf("developer"), { role: "member" }))
  })

  it("owners and admins have no end", () => {
    assert.deepStrictEqual(ROLES.filter(canEnd), ["developer", "auditor", "member"])
  })
})

describe("The last owner", () => {
  const at = "2026-01-01T00:00:00.000000Z"
  const owner = (id: string, signed_in_at: string | null) => ({ id, role: "owner" as const, signed_in_at })
  const ada = owner("ada", at)

  it("is one beside whom there is none", () => {
    assert.isTrue(isLastOwner([ada, { ...owner("bob", at), role: "admin" }], ada))
    assert.isFalse(isLastOwner([ada, owner("bob", at)], ada))
  })

  it("is, of those who have signed in, one beside whom there are only others", () => {
    assert.isTrue(isLastOwner([ada, owner("bob", null)], ada))
    assert.isFalse(isLastOwner([ada, owner("bob", null)], owner("bob", null)))
  })

  it("is no admin", () => {
    assert.isFalse(isLastOwner([], { ...ada, role: "admin" }))
  })
})
