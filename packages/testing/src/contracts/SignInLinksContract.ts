/** The contract of the port `SignInLinks`, as tests. */
import { type SignInLink, SignInLinks } from "@cairn/core/people"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { atOnce, HOSTILE, link, type PeopleLayer, peopleTest } from "./PeopleSteps.ts"
import { NOON } from "./StorageSteps.ts"

const UNLIMITED = { most: 1_000, mostOfWorkspace: 1_000, since: NOON }
/** Two of each address. */
const TWO = { ...UNLIMITED, most: 2 }

/** Stores links without a limit. */
const createAll = Effect.fnUntraced(function* (...all: ReadonlyArray<SignInLink>) {
  const links = yield* SignInLinks
  for (const one of all) assert.isTrue(yield* links.create(one, UNLIMITED))
  return links
})

const limitContract = (test: ReturnType<typeof peopleTest>): void => {
  test(
    "no more are created than the limit allows, of one kind and address",
    Effect.gen(function* () {
      const { create, find } = yield* SignInLinks
      const wants = (name: string, fields: Partial<SignInLink> = {}) => create(link(name, fields), TWO)
      assert.isTrue(yield* wants("earlier", { created_at: NOON - 1 }))
      assert.isTrue(yield* wants("one"))
      assert.isTrue(yield* wants("two", { address: "ADA@example.com", created_at: NOON + 5 }))
      assert.isFalse(yield* wants("three", { address: "Ada@example.com", created_at: NOON + 6 }))
      assert.deepStrictEqual(yield* find("hash of three"), Option.none())
      assert.isTrue(yield* wants("invitation", { kind: "invitation" }))
      assert.isTrue(yield* wants("eve", { address: "eve@example.com" }))
      assert.isTrue(yield* create(link("later", { created_at: NOON + 6 }), { ...TWO, since: NOON + 1 }))
      assert.isFalse(yield* create(link("never"), { ...TWO, most: 0 }))
    })
  )

  test(
    "those of one workspace do not count for another's, and all of a workspace's have a limit too",
    Effect.gen(function* () {
      const { create } = yield* SignInLinks
      const limit = { most: 2, mostOfWorkspace: 3, since: NOON }
      const invites = (name: string, workspace_id: string, address = "ada@example.com") =>
        create(link(name, { kind: "invitation", workspace_id, address }), limit)
      const made = [
        yield* invites("one", "wsp_a"),
        yield* invites("two", "wsp_a"),
        yield* invites("three", "wsp_a"),
        yield* invites("four", "wsp_b"),
        yield* invites("five", "wsp_a", "eve@example.com"),
        yield* invites("six", "wsp_a", "grace@example.com"),
        yield* invites("seven", "wsp_b", "grace@example.com"),
        yield* create(link("mail", { kind: "mail", workspace_id: "wsp_a" }), limit)
      ]
      assert.deepStrictEqual(made, [true, true, false, true, true, false, true, true])
    })
  )

  test(
    "the limit of a workspace holds however many are created at once, of whatever addresses",
    Effect.gen(function* () {
      const { create } = yield* SignInLinks
      const made = yield* atOnce((index) =>
        create(link(`${index}`, { workspace_id: "wsp_a", address: `${index}@example.com` }), {
          ...UNLIMITED,
          mostOfWorkspace: 3
        })
      )
      assert.lengthOf(
        made.filter((is) => is),
        3
      )
    })
  )

  test(
    "addresses that only Unicode takes for one do not count for each other",
    Effect.gen(function* () {
      const { create, revoke, spend } = yield* SignInLinks
      const limit = { ...TWO, most: 1 }
      const names = [
        "kit@example.com",
        "\u212Ait@example.com",
        "k\u0130t@example.com",
        "k\u0131t@example.com"
      ]
      for (const address of names) assert.isTrue(yield* create(link(address, { address }), limit), address)
      yield* revoke("\u212AIT@example.com", null, NOON)
      const spent = yield* Effect.forEach(names, (name) => spend(`hash of ${name}`, NOON))
      assert.deepStrictEqual(spent.map(Option.isSome), [true, false, true, true])
    })
  )

  test(
    "what was spent or revoked counts as well",
    Effect.gen(function* () {
      const { create, spend, revoke } = yield* createAll(link("one"), link("two"))
      yield* spend("hash of one", NOON)
      yield* revoke("ada@example.com", null, NOON)
      assert.isFalse(yield* create(link("three"), TWO))
      assert.isTrue(yield* create(link("three"), { ...TWO, most: 3 }))
    })
  )

  test(
    "the limit holds however many are created at once",
    Effect.gen(function* () {
      const { create, find } = yield* SignInLinks
      const made = yield* atOnce((index) =>
        create(link(`${index}`, { address: index % 2 === 0 ? "ada@example.com" : "ADA@example.com" }), {
          ...UNLIMITED,
          most: 3
        })
      )
      assert.lengthOf(
        made.filter((is) => is),
        3
      )
      const found = yield* atOnce((index) => find(`hash of ${index}`))
      assert.deepStrictEqual(found.map(Option.isSome), made)
    })
  )
}

const spendingContract = (test: ReturnType<typeof peopleTest>): void => {
  test(
    "a link is spent once, and found as spent from then on",
    Effect.gen(function* () {
      const { spend, find } = yield* createAll(link("one"), link("two"))
      for (const hash of ["hash of none", "HASH OF ONE", "hash of one\0", "%"]) {
        assert.deepStrictEqual(yield* spend(hash, NOON), Option.none(), hash)
      }
      const spent = Option.some(link("one", { spent_at: NOON + 1 }))
      assert.deepStrictEqual(yield* spend("hash of one", NOON + 1), spent)
      assert.deepStrictEqual(yield* spend("hash of one", NOON + 2), Option.none())
      assert.deepStrictEqual(yield* find("hash of one"), spent)
      assert.deepStrictEqual(yield* find("hash of two"), Option.some(link("two")))
    })
  )

  test(
    "a link that has expired is not spent any more",
    Effect.gen(function* () {
      const { spend, find } = yield* createAll(link("one", { expires_at: NOON + 5 }))
      assert.deepStrictEqual(yield* spend("hash of one", NOON + 5), Option.none())
      assert.deepStrictEqual(yield* find("hash of one"), Option.some(link("one", { expires_at: NOON + 5 })))
      assert.isTrue(Option.isSome(yield* spend("hash of one", NOON + 4)))
    })
  )

  test(
    "of those who spend one at once one gets it",
    Effect.gen(function* () {
      const { spend, find } = yield* createAll(link("one"))
      const spent = yield* atOnce((index) => spend("hash of one", NOON + index))
      const got = spent.filter(Option.isSome)
      assert.lengthOf(got, 1)
      assert.deepStrictEqual(got[0], yield* find("hash of one"))
    })
  )

  test(
    "those of an address are revoked, of one workspace or of all, and nobody else's",
    Effect.gen(function* () {
      const { revoke, spend, find } = yield* createAll(
        link("free"),
        link("here", { workspace_id: "wsp_1", kind: "invitation" }),
        link("there", { workspace_id: "wsp_2", kind: "invitation" }),
        link("spent", { workspace_id: "wsp_1" }),
        link("eve", { address: "eve@example.com", workspace_id: "wsp_1" })
      )
      yield* spend("hash of spent", NOON + 1)
      for (const [address, workspaceId] of [
        ["ada@example.com\0", null],
        ["ada@example.com", "wsp_1\0"],
        ["ada@example.com", "WSP_1"]
      ] as const) {
        yield* revoke(address, workspaceId, NOON + 2)
      }
      const valid = Effect.map(
        Effect.forEach(["free", "here", "there", "spent", "eve"], (name) => find(`hash of ${name}`)),
        (found) =>
          found.flatMap((one) =>
            Option.isSome(one) && one.value.spent_at === null ? [one.value.secret_hash.slice(8)] : []
          )
      )
      assert.deepStrictEqual(yield* valid, ["free", "here", "there", "eve"])
      yield* revoke("ADA@example.com", "wsp_1", NOON + 2)
      assert.deepStrictEqual(yield* valid, ["free", "there", "eve"])
      assert.deepStrictEqual(yield* spend("hash of here", NOON), Option.none())
      yield* revoke("ada@example.com", null, NOON + 3)
      assert.deepStrictEqual(yield* valid, ["eve"])
      const spent = Option.getOrThrow(yield* find("hash of spent"))
      assert.strictEqual(spent.spent_at, NOON + 1)
      assert.isTrue(Option.isSome(yield* spend("hash of eve", NOON)))
    })
  )
}

/** Registers the contract of `SignInLinks` for the storage called `name`. */
export const signInLinksContract = (name: string, storage: PeopleLayer): void => {
  const test = peopleTest(storage)
  describe(`${name}: SignInLinks`, () => {
    test(
      "a link is found as it was created, by its whole secret only",
      Effect.gen(function* () {
        const full = link("Full", {
          kind: "operator",
          address: HOSTILE,
          workspace_id: HOSTILE,
          return_to: `/events?q=${HOSTILE}`
        })
        const { find } = yield* createAll(full, link("bare", { kind: "invitation" }))
        assert.deepStrictEqual(yield* find("hash of Full"), Option.some(full))
        assert.deepStrictEqual(yield* find("hash of bare"), Option.some(link("bare", { kind: "invitation" })))
        for (const hash of ["hash of full", "hash of Full\0", "hash of Ful", "%", ""]) {
          assert.deepStrictEqual(yield* find(hash), Option.none(), hash)
        }
      })
    )

    test(
      "a secret is one link's",
      Effect.gen(function* () {
        const { create, find } = yield* createAll(link("one"))
        const again = create(link("one", { address: "eve@example.com" }), UNLIMITED)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(again)))
        assert.deepStrictEqual(yield* find("hash of one"), Option.some(link("one")))
      })
    )

    limitContract(test)
    spendingContract(test)

    test(
      "what has expired is found until it is removed",
      Effect.gen(function* () {
        const { find, prune } = yield* createAll(
          link("expired", { expires_at: NOON - 1 }),
          link("spent", { expires_at: NOON - 1, spent_at: NOON - 2 }),
          link("expires now", { expires_at: NOON }),
          link("live")
        )
        assert.isTrue(Option.isSome(yield* find("hash of expired")))
        assert.strictEqual(yield* prune(NOON), 2)
        assert.strictEqual(yield* prune(NOON), 0)
        const found = yield* Effect.forEach(["expired", "spent", "expires now", "live"], (name) =>
          find(`hash of ${name}`)
        )
        assert.deepStrictEqual(found.map(Option.isSome), [false, false, true, true])
      })
    )
  })
}
