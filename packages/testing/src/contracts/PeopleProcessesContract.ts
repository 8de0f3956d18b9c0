/** What two processes over one database see of each other's people, sessions, links and members, as tests. */
import { People, Sessions, SignInLinks } from "@cairn/core/people"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result, type Scope } from "effect"
import { testMember } from "../generators/TestMember.ts"
import { testWorkspace } from "../generators/TestWorkspace.ts"
import { atOnce, entered, link, type PeopleServices, person, session } from "./PeopleSteps.ts"
import { NOON } from "./StorageSteps.ts"

type ProcessLayer = Layer.Layer<PeopleServices, unknown>

/** Three links of an address. */
const LIMIT = { most: 3, mostOfWorkspace: 1_000, since: NOON }

/** Makes an empty database, and two storages over it as two processes have them. */
export type TwoProcesses = Effect.Effect<readonly [ProcessLayer, ProcessLayer], unknown, Scope.Scope>

/** Builds one of them; nothing of it is shared with the other. */
const start = Effect.fnUntraced(function* (layer: ProcessLayer) {
  const context = yield* Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), yield* Effect.scope)
  return <A, E>(effect: Effect.Effect<A, E, PeopleServices>) => Effect.provide(effect, context)
})
type Run = Effect.Success<ReturnType<typeof start>>

/** Registers tests of two processes over one database, for the storage called `name`. */
export const peopleProcessesContract = (name: string, processes: TwoProcesses): void => {
  const test = (says: string, body: (one: Run, other: Run) => Effect.Effect<void, unknown>): void =>
    it.live(says, () =>
      Effect.gen(function* () {
        const [first, second] = yield* processes
        const [one, other] = [yield* start(first), yield* start(second)]
        yield* body(one, other)
      }).pipe(Effect.scoped)
    )

  const withSession = Effect.gen(function* () {
    yield* (yield* People).ensure(person("ada"))
    const sessions = yield* Sessions
    yield* sessions.open(session("one"))
    yield* sessions.enter(entered("one"))
  })
  const find = Effect.flatMap(Sessions, (sessions) => sessions.find("hash of one"))
  const entry = Effect.flatMap(Sessions, (sessions) => sessions.entry("ses_one", "wsp_1"))

  describe(`${name}: two processes`, () => {
    test("see sessions that the other opens and ends, at once", (one, other) =>
      Effect.gen(function* () {
        yield* one(withSession)
        assert.deepStrictEqual(yield* other(find), Option.some(session("one")))
        assert.deepStrictEqual(yield* other(entry), Option.some(entered("one")))
        yield* one(Effect.flatMap(Sessions, ({ leave }) => leave("wsp_1", "ses_one", NOON + 4)))
        assert.deepStrictEqual(yield* other(entry), Option.some(entered("one", { ended_at: NOON + 4 })))
        yield* other(Effect.flatMap(Sessions, ({ end }) => end("per_ada", "ses_one", NOON + 5)))
        assert.deepStrictEqual(yield* one(find), Option.some(session("one", { ended_at: NOON + 5 })))
        yield* other(Effect.flatMap(People, ({ forget }) => forget("per_ada")))
        assert.deepStrictEqual(yield* one(find), Option.none())
      }))

    test("make one first owner, however many both want at once, each in a workspace of its own", (one, other) =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 16 }, (_, index) => `wsp_${index}`)
        const makeWorkspaces = Effect.flatMap(ManagedWorkspaces, ({ create }) =>
          Effect.forEach(ids, (id) => create(testWorkspace({ id, created_at: NOON })))
        )
        yield* one(makeWorkspaces)
        const wants = (workspace_id: string) =>
          Effect.flatMap(Members, ({ createFirstOwner }) =>
            createFirstOwner(testMember({ id: `mem_${workspace_id}`, workspace_id, role: "owner" }), null)
          )
        const made = yield* Effect.forEach(ids, (id, index) => (index % 2 === 0 ? one : other)(wants(id)), {
          concurrency: "unbounded"
        })
        const stored = yield* one(Effect.flatMap(Members, ({ all }) => all))
        assert.deepStrictEqual(
          stored.map(({ workspace_id }) => workspace_id),
          ids.filter((_, index) => made[index])
        )
        assert.lengthOf(stored, 1)
      }))

    test("see members that the other creates and removes, at once", (one, other) =>
      Effect.gen(function* () {
        const ada = testMember({ id: "mem_ada", workspace_id: "wsp_1", email: "ada@example.com" })
        yield* one(Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id: "wsp_1" }))))
        yield* one(Effect.flatMap(Members, ({ create }) => create(ada)))
        const ofAda = Effect.flatMap(Members, ({ ofAddress }) => ofAddress("ADA@example.com"))
        assert.deepStrictEqual(yield* other(ofAda), [ada])
        yield* other(Effect.flatMap(Members, ({ remove }) => remove("wsp_1", "mem_ada")))
        assert.deepStrictEqual(yield* one(ofAda), [])
      }))

    test("store one person for an address, and spend a link once", (one, other) =>
      Effect.gen(function* () {
        const of = (index: number) => (index % 2 === 0 ? one : other)
        const people = yield* atOnce((index) =>
          of(index)(
            Effect.flatMap(People, ({ ensure }) => ensure(person(`${index}`, { address: "ada@example.com" })))
          )
        )
        assert.strictEqual(new Set(people.map(({ id }) => id)).size, 1)
        yield* one(Effect.flatMap(SignInLinks, ({ create }) => create(link("one"), { ...LIMIT, most: 1 })))
        const spent = yield* atOnce((index) =>
          of(index)(Effect.flatMap(SignInLinks, ({ spend }) => spend("hash of one", NOON)))
        )
        assert.lengthOf(spent.filter(Option.isSome), 1)
      }))

    test("keep the limit of links together", (one, other) =>
      Effect.gen(function* () {
        const made = yield* atOnce((index) =>
          (index % 2 === 0 ? one : other)(
            Effect.flatMap(SignInLinks, ({ create }) => create(link(`${index}`), LIMIT))
          )
        )
        assert.lengthOf(
          made.filter((is) => is),
          3
        )
      }))

    test("leave a member together", (one, other) =>
      Effect.gen(function* () {
        yield* one(Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id: "wsp_1" }))))
        yield* atOnce((index) =>
          one(
            Effect.flatMap(Members, ({ create }) =>
              create(testMember({ id: `mem_${index}`, workspace_id: "wsp_1", email: `${index}@example.com` }))
            )
          )
        )
        const notTheLast = (others: ReadonlyArray<unknown>) =>
          others.length > 0 ? Result.void : Result.fail("last" as const)
        const removed = yield* atOnce((index) =>
          (index % 2 === 0 ? one : other)(
            Effect.flatMap(Members, ({ remove }) =>
              Effect.result(remove("wsp_1", `mem_${index}`, notTheLast))
            )
          )
        )
        assert.lengthOf(removed.filter(Result.isSuccess), 7)
      }))
  })
}
