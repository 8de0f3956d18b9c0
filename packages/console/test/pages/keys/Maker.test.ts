import { assert, describe, it } from "@effect/vitest"
import { makerOf } from "../../../src/page/pages/keys/Maker.ts"

const MEMBERS = [
  { id: "mem_1", name: "Ada", email: "ada@example.com" },
  { id: "mem_2", name: null, email: "alan@example.com" }
]

describe("The maker of a key", () => {
  it("is a member, by name or address", () => {
    assert.deepStrictEqual(makerOf("mem_1", MEMBERS, true), { kind: "member", id: "mem_1", name: "Ada" })
    assert.deepInclude(makerOf("mem_2", MEMBERS, true), { name: "alan@example.com" })
  })

  it("is a former member only where all members are known", () => {
    assert.deepStrictEqual(makerOf("mem_9", MEMBERS, true), { kind: "former" })
    assert.deepInclude(makerOf("mem_9", MEMBERS, false), { kind: "member", name: "mem_9" })
  })

  it("is a key, the command or not known", () => {
    const keys = [{ id: "key_1", name: "Terraform" }]
    assert.deepInclude(makerOf("key_1", MEMBERS, true, keys), { kind: "key", name: "Terraform" })
    assert.deepInclude(makerOf("key_2", MEMBERS, true, keys), { kind: "key", name: null })
    assert.deepStrictEqual(makerOf("cairn-cli", MEMBERS, true), { kind: "command" })
    assert.deepStrictEqual(makerOf("cairn-demo", MEMBERS, true), { kind: "service", name: "cairn-demo" })
    assert.deepStrictEqual(makerOf(null, MEMBERS, true), { kind: "unknown" })
  })
})
