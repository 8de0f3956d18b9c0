/** The contract of `Members.ofAddress`, as tests. */
import { ManagedWorkspaces, type Member, Members } from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { testMember } from "../generators/TestMember.ts"
import { testWorkspace } from "../generators/TestWorkspace.ts"
import { type ConsumptionLayer, consumptionTest } from "./ConsumptionContract.ts"
import { LOOKALIKES } from "./PeopleSteps.ts"
import { NOON } from "./StorageSteps.ts"

const member = (id: string, workspace_id: string, email: string, created_at = NOON): Member =>
  testMember({ id: `mem_${id}`, workspace_id, email, created_at })

/** Members, over a storage with three workspaces. */
const withMembers = Effect.fnUntraced(function* (...all: ReadonlyArray<Member>) {
  const { create } = yield* ManagedWorkspaces
  for (const id of ["wsp_1", "wsp_2", "wsp_3"]) yield* create(testWorkspace({ id, created_at: NOON }))
  const members = yield* Members
  for (const one of all) yield* members.create(one)
  return members
})

/** Registers the contract of `ofAddress` for the storage called `name`. */
export const memberAddressContract = (name: string, storage: ConsumptionLayer): void => {
  const test = consumptionTest(storage)
  describe(`${name}: Members of an address`, () => {
    test(
      "are found in all workspaces, the oldest first, in whatever case of ASCII letters",
      Effect.gen(function* () {
        const [second, first, third] = [
          member("b", "wsp_1", "Ada@example.com", NOON + 1),
          member("c", "wsp_2", "ada@example.com", NOON),
          member("d", "wsp_3", "ADA@EXAMPLE.COM", NOON + 1)
        ]
        const { ofAddress } = yield* withMembers(
          second,
          first,
          third,
          member("eve", "wsp_1", "eve@example.com")
        )
        for (const address of ["ada@example.com", "aDa@Example.Com"]) {
          assert.deepStrictEqual(yield* ofAddress(address), [first, second, third])
        }
        assert.deepStrictEqual(yield* ofAddress("nobody@example.com"), [])
      })
    )

    test(
      "are none of an address that only Unicode takes for the same, nor of what no database keeps",
      Effect.gen(function* () {
        const kit = member("kit", "wsp_1", "Kit@example.com")
        const kelvin = member("kelvin", "wsp_2", "\u212Ait@example.com")
        const half = member("half", "wsp_3", "half\uD800@example.com")
        const { ofAddress } = yield* withMembers(kit, kelvin, half)
        for (const address of LOOKALIKES.slice(1)) {
          assert.deepStrictEqual(yield* ofAddress(address), [], JSON.stringify(address))
        }
        assert.deepStrictEqual(yield* ofAddress("\u212AIT@example.com"), [kelvin])
        assert.deepStrictEqual(yield* ofAddress("kit@example.com"), [kit])
        assert.deepStrictEqual(yield* ofAddress("half\uFFFD@example.com"), [])
      })
    )

    test(
      "are as they have become, and none once they are removed",
      Effect.gen(function* () {
        const ada = member("ada", "wsp_1", "ada@example.com")
        const { modify, remove, ofAddress, get } = yield* withMembers(ada)
        yield* modify("wsp_1", ada.id, (before) => Result.succeed({ ...before, sessions_from: NOON + 5 }))
        assert.deepStrictEqual(yield* ofAddress(ada.email), [{ ...ada, sessions_from: NOON + 5 }])
        yield* modify("wsp_1", ada.id, (before) => Result.succeed({ ...before, email: "A@example.com" }))
        assert.deepStrictEqual(yield* ofAddress(ada.email), [])
        assert.deepStrictEqual(
          (yield* ofAddress("a@example.com")).map(({ id }) => id),
          [ada.id]
        )
        yield* remove("wsp_1", ada.id)
        assert.deepStrictEqual(yield* ofAddress("a@example.com"), [])
        assert.deepStrictEqual(yield* get("wsp_1", ada.id), Option.none())
      })
    )
  })
}
