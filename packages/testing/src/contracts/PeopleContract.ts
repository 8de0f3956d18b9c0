/** The contracts of the ports `People`, `Sessions` and `SignInLinks`, as tests. */
import { StorageUnavailable } from "@cairn/core/log"
import { AccountConflict, People, type ProviderAccount, Sessions } from "@cairn/core/people"
import { ManagedWorkspaces, Members } from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { testMember } from "../generators/TestMember.ts"
import { testWorkspace } from "../generators/TestWorkspace.ts"
import {
  atOnce,
  entered,
  HOSTILE,
  LOOKALIKES,
  type PeopleLayer,
  peopleTest,
  person,
  session
} from "./PeopleSteps.ts"
import { sessionsContract } from "./SessionsContract.ts"
import { signInLinksContract } from "./SignInLinksContract.ts"
import { NOON } from "./StorageSteps.ts"

const ISSUER = "https://id.example.com"

const account = (subject: string, issuer = ISSUER): ProviderAccount => ({ issuer, subject })

/** The people, among whom are Ada and Eve. */
const withTwo = Effect.gen(function* () {
  const people = yield* People
  yield* people.ensure(person("ada"))
  yield* people.ensure(person("eve"))
  return people
})

const idOf = (found: Option.Option<{ readonly id: string }>) => Option.map(found, ({ id }) => id)

const accountsContract = (test: ReturnType<typeof peopleTest>): void => {
  test(
    "an account finds its person, by its exact spelling and that of its issuer only",
    Effect.gen(function* () {
      const { bind, ofAccount } = yield* withTwo
      const strange = account(HOSTILE, `${ISSUER}/${HOSTILE}`)
      yield* bind("per_ada", account("Ada"), NOON)
      yield* bind("per_ada", strange, NOON)
      assert.deepStrictEqual(yield* ofAccount(account("Ada")), Option.some(person("ada")))
      assert.deepStrictEqual(yield* ofAccount(strange), Option.some(person("ada")))
      for (const other of ["ada", "ADA", "Ada ", "Ada\0", "Ad", "%", "", "A\uD800"]) {
        assert.deepStrictEqual(yield* ofAccount(account(other)), Option.none(), other)
      }
      for (const issuer of [`${ISSUER}/`, ISSUER.toUpperCase(), `${ISSUER}\0`, "%"]) {
        assert.deepStrictEqual(yield* ofAccount(account("Ada", issuer)), Option.none(), issuer)
      }
    })
  )

  test(
    "an account that is the person's already may be bound again",
    Effect.gen(function* () {
      const { bind, ofAccount } = yield* withTwo
      for (const at of [NOON, NOON, NOON + 1]) yield* bind("per_ada", account("ada"), at)
      assert.deepStrictEqual(idOf(yield* ofAccount(account("ada"))), Option.some("per_ada"))
    })
  )

  test(
    "at an issuer a person has one account, at others it may have more",
    Effect.gen(function* () {
      const { bind, ofAccount } = yield* withTwo
      const elsewhere = "https://other.example.com"
      yield* bind("per_ada", account("ada"), NOON)
      const second = yield* Effect.flip(bind("per_ada", account("ada-2"), NOON))
      assert.deepStrictEqual(second, new AccountConflict({ personId: "per_ada" }))
      yield* bind("per_eve", account("eve"), NOON)
      assert.instanceOf(yield* Effect.flip(bind("per_ada", account("eve"), NOON)), AccountConflict)
      yield* bind("per_ada", account("ada-2", elsewhere), NOON)
      yield* bind("per_eve", account("ada", elsewhere), NOON)
      const found = yield* Effect.forEach(
        [
          account("ada"),
          account("ada-2"),
          account("eve"),
          account("ada-2", elsewhere),
          account("ada", elsewhere)
        ],
        (one) => Effect.map(ofAccount(one), (of) => Option.getOrNull(idOf(of)))
      )
      assert.deepStrictEqual(found, ["per_ada", null, "per_eve", "per_ada", "per_eve"])
    })
  )

  test(
    "an account that was another person's is this one's from then on, and the other may have a new one",
    Effect.gen(function* () {
      const { bind, ofAccount } = yield* withTwo
      yield* bind("per_ada", account("first"), NOON)
      yield* bind("per_eve", account("first"), NOON + 1)
      assert.deepStrictEqual(idOf(yield* ofAccount(account("first"))), Option.some("per_eve"))
      yield* bind("per_ada", account("second"), NOON + 2)
      assert.deepStrictEqual(idOf(yield* ofAccount(account("second"))), Option.some("per_ada"))
      assert.instanceOf(yield* Effect.flip(bind("per_ada", account("first"), NOON)), AccountConflict)
      assert.deepStrictEqual(idOf(yield* ofAccount(account("first"))), Option.some("per_eve"))
    })
  )

  test(
    "those who bind one account at once take it from each other, and of one person's accounts one is bound",
    Effect.gen(function* () {
      const { ensure, bind, ofAccount } = yield* People
      yield* ensure(person("ada"))
      const people = yield* atOnce((index) => ensure(person(`${index}`)))
      yield* atOnce((index) => bind(`per_${index}`, account("one"), NOON))
      const owner = Option.getOrThrow(yield* ofAccount(account("one")))
      assert.deepInclude(people, owner)
      const many = yield* atOnce((index) => Effect.exit(bind("per_ada", account(`ada-${index}`), NOON)))
      assert.lengthOf(many.filter(Exit.isSuccess), 1)
      const found = yield* atOnce((index) => ofAccount(account(`ada-${index}`)))
      assert.deepStrictEqual(found.map(Option.isSome), many.map(Exit.isSuccess))
    })
  )

  test(
    "of accounts that are bound to one person at once, having been others', one becomes its own",
    Effect.gen(function* () {
      const { ensure, bind, ofAccount } = yield* People
      yield* ensure(person("ada"))
      yield* atOnce((index) =>
        Effect.andThen(ensure(person(`${index}`)), bind(`per_${index}`, account(`${index}`), NOON))
      )
      const many = yield* atOnce((index) => Effect.exit(bind("per_ada", account(`${index}`), NOON)))
      assert.lengthOf(many.filter(Exit.isSuccess), 1)
      const owners = yield* atOnce((index) => ofAccount(account(`${index}`)))
      assert.deepStrictEqual(
        owners.map((owner, index) => Option.getOrNull(idOf(owner)) === `per_${index}`),
        many.map(Exit.isFailure)
      )
    })
  )

  test(
    "nothing is bound to a person who is not there, nor what no database keeps as it is",
    Effect.gen(function* () {
      const { bind, ofAccount } = yield* withTwo
      assert.instanceOf(yield* Effect.flip(bind("per_none", account("none"), NOON)), StorageUnavailable)
      for (const text of ["a\0", "a\uD800"]) {
        assert.instanceOf(yield* Effect.flip(bind("per_ada", account(text), NOON)), StorageUnavailable)
        assert.instanceOf(yield* Effect.flip(bind("per_ada", account("a", text), NOON)), StorageUnavailable)
      }
      for (const subject of ["none", "a", "a\uFFFD"]) {
        assert.deepStrictEqual(yield* ofAccount(account(subject)), Option.none())
      }
    })
  )
}

/** Registers the contract of the three ports for the storage called `name`. */
export const peopleContract = (name: string, storage: PeopleLayer): void => {
  const test = peopleTest(storage)
  describe(`${name}: People`, () => {
    test(
      "a person is read as it was stored",
      Effect.gen(function* () {
        const { ensure, get, ofAddress } = yield* People
        const [ada, strange] = [person("ada"), person("strange", { address: HOSTILE, created_at: NOON + 1 })]
        for (const one of [ada, strange]) {
          assert.deepStrictEqual(yield* ensure(one), one)
          assert.deepStrictEqual(yield* get(one.id), Option.some(one))
          assert.deepStrictEqual(yield* ofAddress(one.address), Option.some(one))
        }
        for (const id of ["per_none", "PER_ADA", "per_ada\0", ""]) {
          assert.deepStrictEqual(yield* get(id), Option.none())
        }
      })
    )

    test(
      "who has an address already stays as it is, in whatever case of ASCII letters",
      Effect.gen(function* () {
        const { ensure, get, ofAddress } = yield* People
        const kit = person("kit", { address: "Kit@Example.com" })
        yield* ensure(kit)
        const again = person("again", { address: "kiT@example.COM", created_at: NOON + 9 })
        assert.deepStrictEqual(yield* ensure(again), kit)
        assert.deepStrictEqual(yield* get("per_again"), Option.none())
        assert.deepStrictEqual(yield* get("per_kit"), Option.some(kit))
        assert.deepStrictEqual(yield* ofAddress("KIT@EXAMPLE.COM"), Option.some(kit))
      })
    )

    test(
      "addresses that only Unicode takes for one are two people's",
      Effect.gen(function* () {
        const { ensure, ofAddress } = yield* People
        const kit = yield* ensure(person("kit"))
        for (const address of LOOKALIKES) {
          assert.deepStrictEqual(yield* ofAddress(address), Option.none(), JSON.stringify(address))
        }
        const kelvin = person("kelvin", { address: "\u212Ait@example.com" })
        assert.deepStrictEqual(yield* ensure(kelvin), kelvin)
        assert.deepStrictEqual(yield* ofAddress("\u212AIT@example.com"), Option.some(kelvin))
        assert.deepStrictEqual(yield* ofAddress("kit@example.com"), Option.some(kit))
      })
    )

    test(
      "an address that no database keeps as it is is nobody's",
      Effect.gen(function* () {
        const { ensure, ofAddress } = yield* People
        for (const address of ["a\0@example.com", "a\uD800@example.com"]) {
          const refused = yield* Effect.flip(ensure(person("a", { address })))
          assert.instanceOf(refused, StorageUnavailable)
        }
        assert.deepStrictEqual(yield* ofAddress("a\uFFFD@example.com"), Option.none())
      })
    )

    test(
      "those who store an address at once all get the same person",
      Effect.gen(function* () {
        const { ensure, get } = yield* People
        const stored = yield* atOnce((index) =>
          ensure(person(`${index}`, { address: index % 2 === 0 ? "ada@example.com" : "ADA@example.com" }))
        )
        assert.strictEqual(new Set(stored.map(({ id }) => id)).size, 1)
        const found = yield* atOnce((index) => get(`per_${index}`))
        assert.deepStrictEqual(found.filter(Option.isSome), [Option.fromNullishOr(stored[0])])
      })
    )

    accountsContract(test)

    test(
      "who is forgotten goes with accounts and sessions; others and all memberships stay",
      Effect.gen(function* () {
        const people = yield* withTwo
        const sessions = yield* Sessions
        const members = yield* Members
        const member = testMember({ id: "mem_ada", workspace_id: "wsp_1", email: "ada@example.com" })
        yield* Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id: "wsp_1" })))
        yield* members.create(member)
        for (const name of ["ada", "eve"]) {
          yield* people.bind(`per_${name}`, account(name), NOON)
          yield* sessions.open(session(name, { person_id: `per_${name}` }))
          yield* sessions.enter(entered(name))
        }
        assert.isFalse(yield* people.forget("per_none"))
        assert.isFalse(yield* people.forget("per_ada\0"))
        assert.isTrue(yield* people.forget("per_ada"))
        assert.isFalse(yield* people.forget("per_ada"))
        const left = Effect.fnUntraced(function* (name: string) {
          const person = yield* people.get(`per_${name}`)
          const ofAddress = yield* people.ofAddress(`${name}@example.com`)
          const ofAccount = yield* people.ofAccount(account(name))
          const opened = yield* sessions.find(`hash of ${name}`)
          const entry = yield* sessions.entry(`ses_${name}`, "wsp_1")
          return [person, ofAddress, ofAccount, opened, entry].map((one: Option.Option<unknown>) =>
            Option.isSome(one)
          )
        })
        assert.deepStrictEqual(yield* left("ada"), [false, false, false, false, false])
        assert.deepStrictEqual(yield* left("eve"), [true, true, true, true, true])
        assert.deepStrictEqual(yield* members.get("wsp_1", "mem_ada"), Option.some(member))
        // The next person with the address and the account is somebody else.
        const next = person("next", { address: "ada@example.com" })
        assert.deepStrictEqual(yield* people.ensure(next), next)
        yield* people.bind("per_next", account("ada"), NOON)
        assert.deepStrictEqual(yield* sessions.ofPerson("per_next"), [])
      })
    )

    test(
      "a sign-in at the moment when its person is forgotten leaves nothing of it",
      Effect.gen(function* () {
        const people = yield* People
        const sessions = yield* Sessions
        for (let round = 0; round < 10; round++) {
          yield* people.ensure(person("ada"))
          const [, opened] = yield* Effect.all(
            [
              people.forget("per_ada"),
              Effect.exit(sessions.open(session(`${round}`))),
              Effect.exit(people.bind("per_ada", account("ada"), NOON))
            ],
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(yield* people.get("per_ada"), Option.none())
          assert.deepStrictEqual(yield* people.ofAccount(account("ada")), Option.none())
          assert.deepStrictEqual(yield* sessions.find(`hash of ${round}`), Option.none(), opened._tag)
        }
      })
    )
  })

  sessionsContract(name, storage)
  signInLinksContract(name, storage)
}
