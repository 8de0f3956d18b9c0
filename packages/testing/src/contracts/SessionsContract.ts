/** The contract of the port `Sessions`, as tests. */
import { type EnteredSession, type Session, Sessions } from "@cairn/core/people"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { atOnce, entered, HOSTILE, type PeopleLayer, peopleTest, session, withPeople } from "./PeopleSteps.ts"
import { NOON } from "./StorageSteps.ts"

/** Sessions that `prune` does not remove in one go. */
const MANY = 300

const idsOf = (sessions: ReadonlyArray<Session>) => sessions.map(({ id }) => id)
const enteredIds = (all: ReadonlyArray<EnteredSession>) => all.map(({ entry }) => entry.session_id)

/** Opens sessions of Ada's, each a microsecond after the one before. */
const openAll = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const sessions = yield* withPeople
  for (const [index, name] of names.entries()) {
    yield* sessions.open(session(name, { created_at: NOON + index }))
  }
  return sessions
})

const findEnd = (name: string) =>
  Effect.flatMap(Sessions, ({ find }) =>
    Effect.map(find(`hash of ${name}`), (found) => Option.getOrThrow(found).ended_at)
  )

const endingContract = (test: ReturnType<typeof peopleTest>): void => {
  test(
    "what is ended is ended once, by its person, and stays so",
    Effect.gen(function* () {
      const { end, endAll, find } = yield* openAll("one", "two")
      assert.isFalse(yield* end("per_eve", "ses_one", NOON + 5))
      assert.isFalse(yield* end("per_ada", "ses_none", NOON + 5))
      assert.isFalse(yield* end("per_ada", "ses_one\0", NOON + 5))
      assert.isNull(yield* findEnd("one"))
      assert.isTrue(yield* end("per_ada", "ses_one", NOON + 5))
      assert.isFalse(yield* end("per_ada", "ses_one", NOON + 9))
      assert.strictEqual(yield* endAll("per_ada", NOON + 9, null), 1)
      assert.deepStrictEqual(
        yield* find("hash of one"),
        Option.some(session("one", { created_at: NOON, ended_at: NOON + 5 }))
      )
      assert.strictEqual(yield* findEnd("two"), NOON + 9)
    })
  )

  test(
    "of those who end one at once one has ended it",
    Effect.gen(function* () {
      const { end } = yield* openAll("one")
      const ended = yield* atOnce((index) => end("per_ada", "ses_one", NOON + index))
      const first = ended.indexOf(true)
      assert.lengthOf(
        ended.filter((is) => is),
        1
      )
      assert.strictEqual(yield* findEnd("one"), NOON + first)
    })
  )

  test(
    "all of a person are ended but for one, and nobody else's",
    Effect.gen(function* () {
      const { endAll, open, ofPerson } = yield* openAll("one", "two", "three")
      yield* open(session("eve", { person_id: "per_eve" }))
      assert.strictEqual(yield* endAll("per_ada\0", NOON + 5, null), 0)
      assert.strictEqual(yield* endAll("per_ada", NOON + 5, "ses_two"), 2)
      assert.deepStrictEqual(idsOf(yield* ofPerson("per_ada")), ["ses_two"])
      assert.deepStrictEqual(idsOf(yield* ofPerson("per_eve")), ["ses_eve"])
      assert.strictEqual(yield* endAll("per_ada", NOON + 9, "ses_eve"), 1)
      assert.strictEqual(yield* endAll("per_ada", NOON + 9, null), 0)
      assert.deepStrictEqual(yield* ofPerson("per_ada"), [])
      assert.strictEqual(yield* findEnd("one"), NOON + 5)
    })
  )

  test(
    "what is noted of their use is never earlier than before",
    Effect.gen(function* () {
      const { touch, find } = yield* openAll("one", "two", "three")
      const used = Effect.forEach(["one", "two", "three"], (name) =>
        Effect.map(find(`hash of ${name}`), (found) => Option.getOrThrow(found).last_used_at)
      )
      yield* touch(new Map())
      yield* touch(
        new Map([
          ["ses_one", NOON + 5],
          ["ses_none", NOON + 6],
          ["ses_three", NOON + 7]
        ])
      )
      assert.deepStrictEqual(yield* used, [NOON + 5, null, NOON + 7])
      yield* touch(
        new Map([
          ["ses_one", NOON + 4],
          ["ses_three", NOON + 8]
        ])
      )
      assert.deepStrictEqual(yield* used, [NOON + 5, null, NOON + 8])
      yield* atOnce((index) => touch(new Map([["ses_two", NOON + ((index * 5) % 8)]])))
      assert.deepStrictEqual(yield* used, [NOON + 5, NOON + 7, NOON + 8])
    })
  )
}

const entryContract = (test: ReturnType<typeof peopleTest>): void => {
  test(
    "the first use for a workspace is kept, also among those that come at once",
    Effect.gen(function* () {
      const { enter, entry } = yield* openAll("one", "two")
      const first = entered("one", { member_id: HOSTILE })
      assert.deepStrictEqual(yield* enter(first), first)
      assert.deepStrictEqual(yield* enter(entered("one", { entered_at: NOON + 9 })), first)
      assert.deepStrictEqual(yield* entry("ses_one", "wsp_1"), Option.some(first))
      const elsewhere = entered("one", { workspace_id: "wsp_2", entered_at: NOON + 1 })
      assert.deepStrictEqual(yield* enter(elsewhere), elsewhere)
      const all = yield* atOnce((index) => enter(entered("two", { entered_at: NOON + index })))
      assert.strictEqual(new Set(all.map(({ entered_at }) => entered_at)).size, 1)
      assert.deepStrictEqual(yield* entry("ses_two", "wsp_1"), Option.fromNullishOr(all[0]))
      for (const [sessionId, workspaceId] of [
        ["ses_one", "WSP_1"],
        ["ses_one\0", "wsp_1"],
        ["ses_one", "wsp_1\0"],
        ["ses_two", "wsp_2"]
      ] as const) {
        assert.deepStrictEqual(yield* entry(sessionId, workspaceId), Option.none())
      }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(enter(entered("none")))))
    })
  )

  test(
    "those of a workspace are listed by their use for it, newest first, of one member or of all",
    Effect.gen(function* () {
      const { open, enter, inWorkspace } = yield* openAll("one", "two", "three", "elsewhere")
      const eve = session("eve", { person_id: "per_eve", user_agent: HOSTILE })
      yield* open(eve)
      yield* enter(entered("two"))
      yield* enter(entered("one", { entered_at: NOON + 1 }))
      yield* enter(entered("three", { entered_at: NOON + 1 }))
      yield* enter(entered("elsewhere", { workspace_id: "wsp_2", entered_at: NOON + 2 }))
      const ofEve = entered("eve", { member_id: "mem_eve", entered_at: NOON + 3 })
      yield* enter(ofEve)
      const ofAda = ["ses_three", "ses_one", "ses_two"]
      assert.deepStrictEqual(enteredIds(yield* inWorkspace("wsp_1", null)), ["ses_eve", ...ofAda])
      assert.deepStrictEqual(enteredIds(yield* inWorkspace("wsp_1", "mem_ada")), ofAda)
      assert.deepStrictEqual(yield* inWorkspace("wsp_1", "mem_eve"), [{ session: eve, entry: ofEve }])
      assert.deepStrictEqual(yield* inWorkspace("wsp_3", null), [])
      for (const [workspaceId, memberId] of [
        ["wsp_1\0", null],
        ["wsp_1", "mem_eve\0"]
      ] as const) {
        assert.deepStrictEqual(yield* inWorkspace(workspaceId, memberId), [])
      }
    })
  )

  test(
    "what is ended for a workspace is ended there alone, once, and the next use does not begin it anew",
    Effect.gen(function* () {
      const { enter, entry, leave, inWorkspace, ofPerson } = yield* openAll("one", "two")
      for (const name of ["one", "two"]) yield* enter(entered(name))
      yield* enter(entered("one", { workspace_id: "wsp_2" }))
      assert.isFalse(yield* leave("wsp_2", "ses_two", NOON + 5))
      assert.isFalse(yield* leave("wsp_1", "ses_one\0", NOON + 5))
      assert.isTrue(yield* leave("wsp_1", "ses_one", NOON + 5))
      assert.isFalse(yield* leave("wsp_1", "ses_one", NOON + 9))
      const left = entered("one", { ended_at: NOON + 5 })
      assert.deepStrictEqual(yield* entry("ses_one", "wsp_1"), Option.some(left))
      assert.deepStrictEqual(yield* enter(entered("one", { entered_at: NOON + 6 })), left)
      assert.deepStrictEqual(enteredIds(yield* inWorkspace("wsp_1", null)), ["ses_two"])
      assert.deepStrictEqual(enteredIds(yield* inWorkspace("wsp_2", null)), ["ses_one"])
      assert.deepStrictEqual(idsOf(yield* ofPerson("per_ada")), ["ses_two", "ses_one"])
    })
  )

  test(
    "all of a member are ended for its workspace, and nobody else's",
    Effect.gen(function* () {
      const { enter, leave, leaveAll, entry, inWorkspace } = yield* openAll("one", "two", "three", "other")
      for (const name of ["one", "two", "three"]) yield* enter(entered(name))
      yield* enter(entered("other", { member_id: "mem_eve" }))
      yield* enter(entered("one", { workspace_id: "wsp_2" }))
      yield* leave("wsp_1", "ses_one", NOON + 5)
      assert.strictEqual(yield* leaveAll("wsp_1", "mem_ada\0", NOON + 9), 0)
      assert.strictEqual(yield* leaveAll("wsp_1", "mem_ada", NOON + 9), 2)
      assert.strictEqual(yield* leaveAll("wsp_1", "mem_ada", NOON + 9), 0)
      assert.deepStrictEqual(enteredIds(yield* inWorkspace("wsp_1", null)), ["ses_other"])
      assert.deepStrictEqual(enteredIds(yield* inWorkspace("wsp_2", null)), ["ses_one"])
      const ends = yield* Effect.forEach(["one", "two"], (name) =>
        Effect.map(entry(`ses_${name}`, "wsp_1"), (found) => Option.getOrThrow(found).ended_at)
      )
      assert.deepStrictEqual(ends, [NOON + 5, NOON + 9])
    })
  )

  test(
    "a session that has ended is in no list of a workspace",
    Effect.gen(function* () {
      const { enter, end, inWorkspace } = yield* openAll("one", "two")
      for (const name of ["one", "two"]) yield* enter(entered(name))
      yield* end("per_ada", "ses_two", NOON + 5)
      assert.deepStrictEqual(enteredIds(yield* inWorkspace("wsp_1", null)), ["ses_one"])
      assert.deepStrictEqual(enteredIds(yield* inWorkspace("wsp_1", "mem_ada")), ["ses_one"])
    })
  )
}

/** Registers the contract of `Sessions` for the storage called `name`. */
export const sessionsContract = (name: string, storage: PeopleLayer): void => {
  const test = peopleTest(storage)
  describe(`${name}: Sessions`, () => {
    test(
      "a session is found as it was opened, by its whole secret only",
      Effect.gen(function* () {
        const { open, find } = yield* withPeople
        const full = session("Full", {
          method: "oidc",
          client_address: "2001:db8::1",
          user_agent: HOSTILE,
          last_used_at: NOON + 1,
          ended_at: NOON + 2
        })
        for (const one of [full, session("bare", { method: "operator" })]) {
          yield* open(one)
          assert.deepStrictEqual(yield* find(one.secret_hash), Option.some(one))
        }
        for (const hash of ["hash of full", "hash of Ful", "hash of Full\0", "%", ""]) {
          assert.deepStrictEqual(yield* find(hash), Option.none(), hash)
        }
      })
    )

    test(
      "a secret and an id are one session's, and a session is somebody's",
      Effect.gen(function* () {
        const { open, ofPerson } = yield* withPeople
        yield* open(session("one"))
        for (const other of [
          session("two", { secret_hash: "hash of one" }),
          session("one", { secret_hash: "hash of two" }),
          session("nobody", { person_id: "per_none" })
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(open(other))), other.id)
        }
        assert.deepStrictEqual(yield* ofPerson("per_ada"), [session("one")])
        assert.deepStrictEqual(yield* ofPerson("per_none"), [])
      })
    )

    test(
      "those of a person are listed newest first, without what has ended",
      Effect.gen(function* () {
        const { open, end, ofPerson } = yield* openAll("b", "a", "ended")
        yield* open(session("c", { created_at: NOON + 1 }))
        yield* open(session("expired", { created_at: NOON - 2, expires_at: NOON - 1 }))
        yield* open(session("eve", { person_id: "per_eve" }))
        yield* end("per_ada", "ses_ended", NOON + 5)
        assert.deepStrictEqual(idsOf(yield* ofPerson("per_ada")), ["ses_c", "ses_a", "ses_b", "ses_expired"])
        assert.deepStrictEqual(idsOf(yield* ofPerson("per_eve")), ["ses_eve"])
        assert.deepStrictEqual(yield* ofPerson("per_ada\0"), [])
      })
    )

    endingContract(test)
    entryContract(test)

    test(
      "what has ended or expired is found until it is removed, with its entries",
      Effect.gen(function* () {
        const { open, enter, entry, find, prune } = yield* withPeople
        const kept = [
          session("live"),
          session("expires now", { expires_at: NOON }),
          session("ended now", { ended_at: NOON })
        ]
        const old = [
          session("expired", { expires_at: NOON - 1 }),
          session("ended", { ended_at: NOON - 1 }),
          session("both", { expires_at: NOON - 1, ended_at: NOON - 2 })
        ]
        for (const one of [...kept, ...old]) {
          yield* open(one)
          yield* enter(entered("", { session_id: one.id }))
          assert.deepStrictEqual(yield* find(one.secret_hash), Option.some(one))
        }
        assert.strictEqual(yield* prune(NOON), old.length)
        assert.strictEqual(yield* prune(NOON), 0)
        for (const [all, isThere] of [
          [kept, true],
          [old, false]
        ] as const) {
          for (const { id, secret_hash } of all) {
            assert.strictEqual(Option.isSome(yield* find(secret_hash)), isThere, id)
            assert.strictEqual(Option.isSome(yield* entry(id, "wsp_1")), isThere, id)
          }
        }
      })
    )

    test(
      "any number is removed, each by one of those who remove at once",
      Effect.gen(function* () {
        const { open, prune, ofPerson } = yield* withPeople
        const openMany = Effect.forEach(
          Array.from({ length: MANY }, (_, index) => session(`${index}`, { expires_at: NOON - 1 })),
          open,
          { concurrency: 8 }
        )
        yield* open(session("live"))
        yield* openMany
        assert.strictEqual(yield* prune(NOON), MANY)
        yield* openMany
        const removed = yield* atOnce(() => prune(NOON))
        assert.strictEqual(
          removed.reduce((sum, count) => sum + count, 0),
          MANY
        )
        assert.deepStrictEqual(idsOf(yield* ofPerson("per_ada")), ["ses_live"])
      })
    )
  })
}
