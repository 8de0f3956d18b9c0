import { MemberRole, type Scope, scopesWithin } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { SCOPES } from "../../../src/page/pages/keys/Purposes.ts"
import { keysMadeBy, mayDoMore } from "../../../src/page/pages/members/MadeKeys.ts"

const NOW = Date.parse("2026-03-04T12:00:00Z")

const key = (id: string, created_by: string | null, more: object = {}) => ({
  id,
  created_by,
  scopes: ["read"] as ReadonlyArray<Scope>,
  revoked_at: null,
  expires_at: null,
  ...more
})

describe("The keys of a member", () => {
  it("are those that it has made, and those that these have made, as long as they work", () => {
    const keys = [
      key("key_3", "key_2"),
      key("key_2", "key_1", { revoked_at: "2026-01-01T00:00:00Z" }),
      key("key_1", "mem_1"),
      key("key_4", "mem_2"),
      key("key_5", null),
      key("key_6", "mem_1", { expires_at: "2026-03-01T00:00:00Z" }),
      key("key_7", "mem_1", { expires_at: "2026-03-05T00:00:00Z" })
    ]
    const ids = (member: string) => keysMadeBy(member, keys, NOW).map(({ id }) => id)
    assert.deepStrictEqual(ids("mem_1"), ["key_3", "key_1", "key_7"])
    assert.deepStrictEqual(ids("mem_2"), ["key_4"])
    assert.deepStrictEqual(ids("mem_3"), [])
  })

  it("may do more than a role where the role could not make them", () => {
    for (const role of MemberRole.literals)
      for (const scope of SCOPES)
        assert.strictEqual(
          mayDoMore({ scopes: [scope] }, role),
          scopesWithin(role, [scope]).length === 0,
          `${scope} ${role}`
        )
  })

  it("may do more than nothing where they do anything but send events", () => {
    assert.isFalse(mayDoMore({ scopes: ["ingest"] }, undefined))
    for (const scope of SCOPES.filter((one) => one !== "ingest"))
      assert.isTrue(mayDoMore({ scopes: ["ingest", scope] }, undefined), scope)
  })
})
