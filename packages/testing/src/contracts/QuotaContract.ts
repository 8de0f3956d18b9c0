/** The contract of the port `Inbox` for quotas, and of the port `EventUsage`, as tests. */

import { Randomness, uuid } from "@cairn/core/hashing"
import { type AcceptRequest, EventUsage, Inbox, QuotaReached } from "@cairn/core/log"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import {
  makePending,
  makeWorkspace,
  NOON,
  plainEvent,
  readLog,
  type StorageLayer,
  sequenceAll,
  storageTest
} from "./StorageSteps.ts"

/** `NOON` is the first of May 2024. */
const MAY = "2024-05"
const JUNE = NOON + 31 * 86_400 * 1_000_000

/**
 * Passes `keys` to the inbox as one request, one event each; null is an event without a key. Returns one word
 * for each outcome.
 */
const accept = Effect.fnUntraced(function* (
  workspaceId: string,
  keys: ReadonlyArray<string | null>,
  fields: Partial<AcceptRequest> = {}
) {
  const inbox = yield* Inbox
  const random = yield* Randomness
  const acceptedAt = fields.acceptedAt ?? NOON
  const events = keys.map((key) => makePending(uuid(random), plainEvent(key ?? undefined), acceptedAt))
  const outcomes = yield* inbox.accept({ workspaceId, acceptedAt, keysExpireBefore: null, events, ...fields })
  return outcomes.map((outcome) => {
    if (outcome instanceof QuotaReached) return "over" as const
    return outcome.duplicate ? ("duplicate" as const) : ("queued" as const)
  })
})

const used = (workspaceId: string, month = MAY) =>
  Effect.flatMap(EventUsage, ({ accepted }) => accepted(workspaceId, month))

const none = (count: number): ReadonlyArray<null> => Array.from({ length: count }, () => null)

/** Registers the contract for the storage called `name`. */
export const quotaContract = (name: string, storage: StorageLayer): void => {
  const test = storageTest(storage)
  describe(`${name}: Inbox: quota`, () => {
    test(
      "new events are counted by workspace and month, duplicates are not",
      Effect.gen(function* () {
        const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
        assert.strictEqual(yield* used(one), 0)
        yield* accept(one, ["a", "b", null])
        yield* accept(one, ["a", "b", "c"])
        yield* accept(one, none(2), { acceptedAt: JUNE })
        yield* accept(one, none(1), { acceptedAt: JUNE - 43_200_000_001 })
        yield* accept(other, none(7))
        assert.strictEqual(yield* used(one), 5)
        assert.strictEqual(yield* used(one, "2024-06"), 2)
        assert.strictEqual(yield* used(other), 7)
        yield* sequenceAll
        assert.strictEqual(yield* used(one), 5)
      })
    )

    test(
      "what there is room for is taken in order, and the month after has room again",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        assert.deepStrictEqual(yield* accept(workspaceId, ["a", "b", "c", "d"], { quota: 3 }), [
          "queued",
          "queued",
          "queued",
          "over"
        ])
        assert.deepStrictEqual(yield* accept(workspaceId, [null], { quota: 3 }), ["over"])
        assert.deepStrictEqual(yield* accept(workspaceId, [null], { quota: 3, acceptedAt: JUNE }), ["queued"])
        assert.strictEqual(yield* used(workspaceId), 3)
        assert.strictEqual(yield* sequenceAll, 4)
      })
    )

    test(
      "an event that was refused is not stored, and its key stays free",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        const inbox = yield* Inbox
        yield* accept(workspaceId, ["a"], { quota: 1 })
        assert.deepStrictEqual(yield* accept(workspaceId, ["b", "a"], { quota: 1 }), ["over", "duplicate"])
        assert.strictEqual(yield* inbox.depth, 1)
        assert.deepStrictEqual(yield* accept(workspaceId, ["b"], { quota: 2 }), ["queued"])
        yield* sequenceAll
        assert.lengthOf(yield* readLog(workspaceId), 2)
      })
    )

    test(
      "a key that has expired is a new event, and needs room",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        yield* accept(workspaceId, ["a"], { quota: 1 })
        const later = { acceptedAt: NOON + 10, keysExpireBefore: NOON + 1 }
        assert.deepStrictEqual(yield* accept(workspaceId, ["a"], { ...later, quota: 1 }), ["over"])
        assert.deepStrictEqual(yield* accept(workspaceId, ["a"], { quota: 1 }), ["duplicate"])
        assert.deepStrictEqual(yield* accept(workspaceId, ["a"], { ...later, quota: 2 }), ["queued"])
        assert.strictEqual(yield* used(workspaceId), 2)
      })
    )

    test(
      "requests that arrive together take exactly what there is room for",
      Effect.gen(function* () {
        const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
        const answers = yield* Effect.forEach(
          Array.from({ length: 60 }, (_, index) => index),
          (index) =>
            index % 3 === 0
              ? Effect.as(accept(other, none(3)), [])
              : accept(one, [`${index}`, null, `${index % 7}`], { quota: 50 }),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          answers.flat().filter((word) => word === "queued"),
          50
        )
        assert.strictEqual(yield* used(one), 50)
        assert.strictEqual(yield* used(other), 60)
        yield* sequenceAll
        assert.lengthOf(yield* readLog(one), 50)
      })
    )

    test(
      "a request that is not counted is taken although the month is used up, and changes no count",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        const uncounted = { quota: 1, isCounted: false }
        assert.deepStrictEqual(yield* accept(workspaceId, ["a", null], uncounted), ["queued", "queued"])
        assert.strictEqual(yield* used(workspaceId), 0)
        assert.deepStrictEqual(yield* accept(workspaceId, none(2), { quota: 1 }), ["queued", "over"])
        assert.deepStrictEqual(yield* accept(workspaceId, ["a", "b", null], uncounted), [
          "duplicate",
          "queued",
          "queued"
        ])
        assert.deepStrictEqual(yield* accept(workspaceId, [null], { isCounted: false }), ["queued"])
        assert.strictEqual(yield* used(workspaceId), 1)
        assert.strictEqual(yield* sequenceAll, 6)
        assert.strictEqual(yield* used(workspaceId), 1)
      })
    )

    test(
      "requests that are not counted leave the room of those that they share a commit with",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        const uncounted = { quota: 3, isCounted: false }
        yield* accept(workspaceId, [null], { quota: 3 })
        // In one turn of the event loop, before a commit begins.
        const answers = yield* Effect.all(
          [
            accept(workspaceId, [null, "a", null, "b"], uncounted),
            accept(workspaceId, ["c"], { quota: 3 }),
            accept(workspaceId, ["d", null], uncounted),
            accept(workspaceId, ["e", "f", null], { quota: 3 }),
            accept(workspaceId, [null], uncounted)
          ],
          { concurrency: "unbounded" }
        )
        const [one = [], two = [], three = [], four = [], five = []] = answers
        assert.deepStrictEqual([...one, ...three, ...five], Array<string>(7).fill("queued"))
        assert.sameMembers([...two, ...four], ["queued", "queued", "over", "over"])
        assert.strictEqual(yield* used(workspaceId), 3)
        assert.strictEqual(yield* sequenceAll, 10)
      })
    )

    test(
      "what was taken without a quota counts once there is one",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        for (let turn = 0; turn < 10; turn++) yield* accept(workspaceId, none(2))
        assert.deepStrictEqual(yield* accept(workspaceId, none(3), { quota: 22 }), [
          "queued",
          "queued",
          "over"
        ])
        assert.deepStrictEqual(yield* accept(workspaceId, none(1), { quota: 10 }), ["over"])
        assert.deepStrictEqual(yield* accept(workspaceId, none(1), { quota: null }), ["queued"])
        assert.strictEqual(yield* used(workspaceId), 23)
      })
    )
  })
}
