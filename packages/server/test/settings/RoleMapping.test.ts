import { MemberRole } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { readRoleMapping, rolesFor } from "../../src/settings/RoleMapping.ts"

const ONE = "wsp_00000000-0000-4000-8000-000000000001"
const TWO = "wsp_00000000-0000-4000-8000-000000000002"
const NOBODY = { groups: [], address: null, isConfirmed: false }

const mapped = (text: string, claims: Partial<Parameters<typeof rolesFor>[1]>) => {
  const mapping = readRoleMapping(text)
  assert.isDefined(mapping)
  return rolesFor(mapping ?? [], { ...NOBODY, ...claims }).map(
    ({ workspaceId, role }) => `${role}@${workspaceId}`
  )
}

describe("the mapping of roles", () => {
  it("is a list of rules", () => {
    assert.deepStrictEqual(readRoleMapping(""), [])
    assert.deepStrictEqual(
      readRoleMapping(` group:Audit Team=auditor@${ONE}, domain:Example.com=member@${TWO} ,`),
      [
        { kind: "group", name: "Audit Team", role: "auditor", workspaceId: ONE },
        { kind: "domain", name: "example.com", role: "member", workspaceId: TWO }
      ]
    )
  })

  it("takes groups with any characters in their names", () => {
    for (const [text, name] of [
      ["cn=admins", "cn=admins"],
      ["cn=admins%2Cou=groups", "cn=admins,ou=groups"],
      ["100%25", "100%"],
      ["/eng/leads", "/eng/leads"],
      ["a@b=c@d", "a@b=c@d"],
      ["グループ", "グループ"]
    ] as const) {
      assert.strictEqual(readRoleMapping(`group:${text}=owner@${ONE}`)?.[0]?.name, name)
    }
  })

  it.each([
    "group:a",
    `a=owner@${ONE}`,
    `group:=owner@${ONE}`,
    `group:a=root@${ONE}`,
    `group:a=Owner@${ONE}`,
    "group:a=owner@wsp_1",
    `group:a=owner@${ONE}0`,
    `group:a=owner@${ONE.toUpperCase()}`,
    `group:100%=owner@${ONE}`,
    `Group:a=owner@${ONE}`,
    `domain:example=owner@${ONE}`,
    `domain:*.example.com=owner@${ONE}`,
    `domain:@example.com=owner@${ONE}`,
    `domain:exam ple.com=owner@${ONE}`,
    `domain:example.com.=owner@${ONE}`,
    `domain:bücher.example=owner@${ONE}`,
    `group:${"a".repeat(1_000)}=owner@${ONE}`,
    `group:a=owner@${ONE},group:b`
  ])("is not %s", (text) => assert.isUndefined(readRoleMapping(text)))
})

describe("the roles of a person", () => {
  it("are those of the groups, by their exact names", () => {
    const text = `group:admins=admin@${ONE},group:audit=auditor@${TWO}`
    assert.deepStrictEqual(mapped(text, { groups: ["audit", "admins"] }), [`admin@${ONE}`, `auditor@${TWO}`])
    for (const group of ["Admins", "admins ", "admin", "adminss"])
      assert.deepStrictEqual(mapped(text, { groups: [group] }), [])
  })

  it("are the most powerful of several for each workspace, in whatever order they stand", () => {
    const groups: ReadonlyArray<string> = MemberRole.literals
    for (const roles of [MemberRole.literals, MemberRole.literals.toReversed()]) {
      for (let from = 0; from < groups.length; from++) {
        const text = roles.map((role) => `group:${role}=${role}@${ONE}`).join(",")
        assert.deepStrictEqual(mapped(text, { groups: groups.slice(from) }), [`${groups[from]}@${ONE}`])
      }
    }
    const both = `group:a=member@${ONE},group:a=owner@${TWO},domain:example.com=developer@${ONE}`
    const claims = { groups: ["a"], address: "ada@example.com", isConfirmed: true }
    assert.sameMembers([...mapped(both, claims)], [`developer@${ONE}`, `owner@${TWO}`])
  })

  it("are those of the address's own domain, in any case of its ASCII letters", () => {
    const text = `domain:kilo.example=member@${ONE}`
    for (const address of ["ada@kilo.example", "ada@KILO.Example"])
      assert.lengthOf(mapped(text, { address, isConfirmed: true }), 1, address)
    for (const address of [
      "ada@sub.kilo.example",
      "ada@xkilo.example",
      "ada@kilo.example.org",
      "kilo.example@evil.example",
      // The Kelvin sign, which Unicode makes a k.
      "ada@\u212Ailo.example",
      ""
    ]) {
      assert.deepStrictEqual(mapped(text, { address, isConfirmed: true }), [], address)
    }
  })

  it("are not those of a domain while the address is not confirmed", () => {
    const text = `domain:example.com=owner@${ONE},group:a=member@${ONE}`
    const address = "ada@example.com"
    assert.deepStrictEqual(mapped(text, { address, isConfirmed: false }), [])
    assert.deepStrictEqual(mapped(text, { address, isConfirmed: false, groups: ["a"] }), [`member@${ONE}`])
    assert.deepStrictEqual(mapped(text, { address: null, isConfirmed: true }), [])
  })
})
