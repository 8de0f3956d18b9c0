/** The contract of `Members.firstOwner` and `createFirstOwner`, as tests. */
import { ManagedWorkspaces, type Member, MemberExists, Members, withNewEmail } from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { testMember } from "../generators/TestMember.ts"
import { testWorkspace } from "../generators/TestWorkspace.ts"
import { type ConsumptionLayer, consumptionTest } from "./ConsumptionContract.ts"
import { atOnce } from "./PeopleSteps.ts"
import { NOON } from "./StorageSteps.ts"

const owner = (id: string, workspace_id: string, fields: Partial<Member> = {}): Member =>
  testMember({
    id: `mem_${id}`,
    workspace_id,
    email: `${id}@example.com`,
    role: "owner",
    created_at: NOON,
    ...fields
  })

/** Members, over a storage with eight workspaces. */
const withMembers = Effect.fnUntraced(function* (...all: ReadonlyArray<Member>) {
  const { create } = yield* ManagedWorkspaces
  for (let index = 0; index < 8; index++)
    yield* create(testWorkspace({ id: `wsp_${index}`, created_at: NOON }))
  const members = yield* Members
  for (const one of all) yield* members.create(one)
  return members
})

/** Registers the contract of the first owner for the storage called `name`. */
export const firstOwnerContract = (name: string, storage: ConsumptionLayer): void => {
  const test = consumptionTest(storage)
  describe(`${name}: The first owner`, () => {
    test(
      "is the oldest of all workspaces, whatever others say they are",
      Effect.gen(function* () {
        const { firstOwner, create, remove } = yield* withMembers(
          owner("admin", "wsp_0", { role: "admin", name: '"role":"owner"' }),
          owner("member", "wsp_1", { role: "member", email: "owner@example.com" })
        )
        assert.deepStrictEqual(yield* firstOwner(null), Option.none())
        const [first, second] = [owner("b", "wsp_2", { created_at: NOON + 1 }), owner("c", "wsp_1")]
        yield* create(first)
        assert.deepStrictEqual(yield* firstOwner(null), Option.some(first))
        yield* create(second)
        assert.deepStrictEqual(yield* firstOwner(null), Option.some(second))
        yield* remove("wsp_1", second.id)
        yield* remove("wsp_2", first.id)
        assert.deepStrictEqual(yield* firstOwner(null), Option.none())
      })
    )

    test(
      "is created beside members who are none, and no other one in any workspace",
      Effect.gen(function* () {
        const admin = owner("admin", "wsp_0", { role: "admin" })
        const { firstOwner, createFirstOwner, list, modify } = yield* withMembers(admin)
        const ada = owner("ada", "wsp_0")
        assert.isTrue(yield* createFirstOwner(ada, null))
        assert.deepStrictEqual(yield* firstOwner(null), Option.some(ada))
        for (const workspaceId of ["wsp_0", "wsp_1"]) {
          assert.isFalse(yield* createFirstOwner(owner("eve", workspaceId), null))
        }
        assert.sameDeepMembers([...(yield* list("wsp_0"))], [admin, ada])
        assert.deepStrictEqual(yield* list("wsp_1"), [])
        // Who has become one counts as well.
        yield* modify("wsp_0", admin.id, (before) => Result.succeed({ ...before, role: "owner" }))
        yield* modify("wsp_0", ada.id, (before) => Result.succeed({ ...before, role: "admin" }))
        assert.isFalse(yield* createFirstOwner(owner("eve", "wsp_1"), null))
      })
    )

    test(
      "is created beside the owners of a workspace that does not count, once",
      Effect.gen(function* () {
        const demo = owner("demo", "wsp_7")
        const { firstOwner, createFirstOwner } = yield* withMembers(demo)
        assert.deepStrictEqual(yield* firstOwner("wsp_7"), Option.none())
        assert.deepStrictEqual(yield* firstOwner(null), Option.some(demo))
        assert.isFalse(yield* createFirstOwner(owner("ada", "wsp_0"), null))
        const made = yield* atOnce((index) =>
          createFirstOwner(owner(`${index}`, `wsp_${index % 7}`), "wsp_7")
        )
        assert.lengthOf(
          made.filter((is) => is),
          1
        )
        assert.strictEqual(Option.getOrThrow(yield* firstOwner("wsp_7")).id, `mem_${made.indexOf(true)}`)
      })
    )

    test(
      "is not created if that is not allowed beside the members of its workspace",
      Effect.gen(function* () {
        const { createFirstOwner, firstOwner } = yield* withMembers(
          owner("ada", "wsp_0", { role: "admin" }),
          owner("grace", "wsp_1", { role: "admin" })
        )
        const wanted = owner("new", "wsp_0", { email: "ADA@example.com" })
        assert.deepStrictEqual(
          yield* Effect.flip(createFirstOwner(wanted, null, withNewEmail(wanted.email, true))),
          new MemberExists({ email: wanted.email })
        )
        assert.deepStrictEqual(yield* firstOwner(null), Option.none())
        const elsewhere = { ...wanted, workspace_id: "wsp_1" }
        assert.isTrue(yield* createFirstOwner(elsewhere, null, withNewEmail(wanted.email, true)))
      })
    )

    test(
      "is one, however many are created at once, in whatever workspaces",
      Effect.gen(function* () {
        const { createFirstOwner, all, firstOwner } = yield* withMembers()
        const made = yield* atOnce((index) => createFirstOwner(owner(`${index}`, `wsp_${index}`), null))
        assert.lengthOf(
          made.filter((is) => is),
          1
        )
        const stored = yield* all
        assert.deepStrictEqual(
          stored.map(({ id }) => id),
          [`mem_${made.indexOf(true)}`]
        )
        assert.deepStrictEqual(yield* firstOwner(null), Option.fromNullishOr(stored[0]))
      })
    )
  })
}
