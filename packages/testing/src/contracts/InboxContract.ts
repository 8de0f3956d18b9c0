/** The contract of the port `Inbox`, as tests. */

import { Micros } from "@cairn/core/encoding"
import { Randomness, uuid } from "@cairn/core/hashing"
import { Inbox, InboxFull, type PendingEvent } from "@cairn/core/log"
import { assert, describe } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { ordinaryEvents } from "../generators/EventGenerator.ts"
import { hostileGenerator } from "../generators/HostileEvents.ts"
import { naughtyStrings } from "../generators/NaughtyText.ts"
import { closingContract } from "./ClosingContract.ts"
import { idempotencyContract } from "./IdempotencyContract.ts"
import { acceptOne, depth, find } from "./InboxSteps.ts"
import { ownKeysContract } from "./OwnKeysContract.ts"
import {
  accept,
  makePending,
  makeWorkspace,
  NOON,
  observeAppend,
  plainEvent,
  plainEvents,
  readLog,
  type StorageLayer,
  sequenceAll,
  storageTest
} from "./StorageSteps.ts"

const waiting = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "a new event keeps its id, and outcomes stand in the order of the request",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const random = yield* Randomness
      const workspaceId = yield* makeWorkspace
      const events = ordinaryEvents(100, { seed: 1 }).map((body) => makePending(uuid(random), body, NOON))
      const outcomes = yield* inbox.accept({ workspaceId, acceptedAt: NOON, keysExpireBefore: null, events })
      const expected = events.map(({ id }) => ({ id, duplicate: false }))
      assert.deepStrictEqual(outcomes, expected)
    })
  )

  test(
    "a request waits whole, exactly as it was accepted",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const random = yield* Randomness
      const workspaceId = yield* makeWorkspace
      const next = hostileGenerator(2)
      const events = Array.from({ length: 60 }, (_, index) => ({
        ...makePending(uuid(random), next(), NOON),
        idempotencyKey: naughtyStrings[index] ?? null,
        clientAddress: [null, "192.0.2.1", "2001:db8::1"][index % 3] ?? null
      }))
      yield* inbox.accept({ workspaceId, acceptedAt: NOON + 7, keysExpireBefore: null, events })
      const { rows } = yield* observeAppend(workspaceId)
      assert.deepStrictEqual(
        rows.map(({ acceptedAt, events }) => ({ acceptedAt, events })),
        [{ acceptedAt: NOON + 7, events }]
      )
    })
  )

  test(
    "rows come oldest first by inbox id, even when the clock goes backwards",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const ids: Array<string> = []
      for (const acceptedAt of [NOON, NOON - 3600 * Micros.SECOND, NOON + 1, NOON - 1]) {
        ids.push((yield* acceptOne(workspaceId, [plainEvent()], { acceptedAt })).id)
      }
      const { rows } = yield* observeAppend(workspaceId)
      assert.deepStrictEqual(
        rows.flatMap(({ events }) => events.map(({ id }) => id)),
        ids
      )
      const inboxIds = rows.map(({ inboxId }) => inboxId)
      assert.deepStrictEqual(
        inboxIds,
        [...new Set(inboxIds)].sort((a, b) => a - b)
      )
    })
  )

  test(
    "an inbox id is never used twice, though the inbox was empty in between",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const inboxIds: Array<number> = []
      for (let round = 0; round < 3; round++) {
        yield* accept(workspaceId, plainEvents(1))
        yield* accept(workspaceId, plainEvents(1))
        const { rows } = yield* observeAppend(workspaceId)
        inboxIds.push(...rows.map(({ inboxId }) => inboxId))
        assert.strictEqual(yield* depth, 0)
      }
      assert.lengthOf(inboxIds, 6)
      assert.deepStrictEqual(
        inboxIds,
        [...new Set(inboxIds)].sort((a, b) => a - b)
      )
    })
  )

  test(
    "a write that is tried changes nothing",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, plainEvents(2))
      yield* inbox.probe
      yield* inbox.probe
      assert.strictEqual(yield* depth, 2)
      assert.lengthOf(yield* readLog(workspaceId), 0)
      yield* sequenceAll
      assert.lengthOf(yield* readLog(workspaceId), 2)
    })
  )

  test(
    "the depth counts events, not requests, over all workspaces",
    Effect.gen(function* () {
      const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
      assert.strictEqual(yield* depth, 0)
      yield* accept(one, plainEvents(3))
      yield* accept(other, plainEvents(2))
      assert.strictEqual(yield* depth, 5)
      yield* observeAppend(one)
      assert.strictEqual(yield* depth, 2)
      yield* sequenceAll
      assert.strictEqual(yield* depth, 0)
    })
  )

  test(
    "the oldest that waits is known over all workspaces, by when it was accepted",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
      assert.deepStrictEqual(yield* inbox.oldest, Option.none())
      yield* accept(one, plainEvents(1), { acceptedAt: NOON })
      yield* accept(other, plainEvents(1), { acceptedAt: NOON + 5 })
      yield* accept(one, plainEvents(1), { acceptedAt: NOON + 9 })
      assert.deepStrictEqual(yield* inbox.oldest, Option.some(NOON))
      yield* observeAppend(one)
      assert.deepStrictEqual(yield* inbox.oldest, Option.some(NOON + 5))
      yield* sequenceAll
      assert.deepStrictEqual(yield* inbox.oldest, Option.none())
    })
  )

  test(
    "a waiting event is found by its id, in its own workspace, until it is sequenced",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const random = yield* Randomness
      const [workspaceId, elsewhere] = [yield* makeWorkspace, yield* makeWorkspace]
      yield* accept(workspaceId, plainEvents(2))
      const next = hostileGenerator(3)
      const events = Array.from({ length: 20 }, () => makePending(uuid(random), next(), NOON))
      yield* inbox.accept({ workspaceId, acceptedAt: NOON + 5, keysExpireBefore: null, events })
      for (const [offset, event] of events.entries()) {
        const expected = Option.some({ event, acceptedAt: NOON + 5, offset })
        assert.deepStrictEqual(yield* find(workspaceId, event.id), expected)
        assert.deepStrictEqual(yield* find(elsewhere, event.id), Option.none())
      }
      assert.deepStrictEqual(yield* find(workspaceId, uuid(random)), Option.none())
      yield* sequenceAll
      for (const { id } of events) assert.deepStrictEqual(yield* find(workspaceId, id), Option.none())
    })
  )

  test(
    "a waiting event is found though another that waits names it, whichever was accepted first",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const random = yield* Randomness
      const acceptAt = (workspaceId: string, acceptedAt: number, event: PendingEvent) =>
        inbox.accept({ workspaceId, acceptedAt, keysExpireBefore: null, events: [event] })
      for (const namedFirst of [true, false]) {
        const workspaceId = yield* makeWorkspace
        const named = makePending(uuid(random), plainEvent(), NOON)
        const { id } = named
        const naming = [
          { metadata: { about: id } },
          { metadata: { [id]: `\n${id}\n` } },
          { actor_id: id, targets: [{ type: "event", id }] },
          { idempotency_key: id },
          { idempotency_key: `\n${id}\n` }
        ].map((body) => makePending(uuid(random), { ...plainEvent(), ...body }, NOON))
        if (namedFirst) yield* acceptAt(workspaceId, NOON, named)
        for (const event of naming) yield* acceptAt(workspaceId, NOON + 1, event)
        if (!namedFirst) yield* acceptAt(workspaceId, NOON, named)
        const expected = Option.some({ event: named, acceptedAt: NOON, offset: 0 })
        assert.deepStrictEqual(yield* find(workspaceId, id), expected, namedFirst ? "first" : "last")
        for (const event of naming) {
          const expected = Option.some({ event, acceptedAt: NOON + 1, offset: 0 })
          assert.deepStrictEqual(yield* find(workspaceId, event.id), expected)
        }
      }
    })
  )

  test(
    "nothing but an id finds a waiting event: no part of one, and nothing else that its row holds",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const random = yield* Randomness
      const workspaceId = yield* makeWorkspace
      const [one, two] = [uuid(random), uuid(random)]
      const events = [one, two].map((id, index) => ({
        ...makePending(id, plainEvent(index === 0 ? "key" : undefined), NOON),
        clientAddress: "192.0.2.1"
      }))
      const [first, second] = events
      yield* inbox.accept({ workspaceId, acceptedAt: NOON, keysExpireBefore: null, events })
      const texts = [
        "",
        "\n",
        one.slice(0, -1),
        one.slice(1),
        `${one}\n`,
        `\n${two}`,
        "key",
        '"key"',
        "192.0.2.1"
      ]
      for (const text of [...texts, first?.content.head, second?.content.tail]) {
        assert.deepStrictEqual(yield* find(workspaceId, text ?? ""), Option.none(), JSON.stringify(text))
      }
    })
  )

  test(
    "requests that arrive together are all kept, each whole",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const requests = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => 1 + (index % 5)),
        (size) => accept(workspaceId, plainEvents(size)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(yield* depth, 600)
      const { rows } = yield* observeAppend(workspaceId)
      const ids = (groups: ReadonlyArray<ReadonlyArray<{ readonly id: string }>>) =>
        groups.map((group) => group.map(({ id }) => id).join()).sort()
      assert.deepStrictEqual(ids(rows.map(({ events }) => events)), ids(requests))
    })
  )
}

const capacity = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "an inbox that is full accepts nothing, stores nothing, and says how full it is",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, plainEvents(2))
      yield* accept(workspaceId, plainEvents(1))
      const error = yield* Effect.flip(accept(workspaceId, [plainEvent("key")]))
      assert.deepStrictEqual(error, new InboxFull({ depth: 3, capacity: 3 }))
      assert.strictEqual(yield* depth, 3)
      assert.strictEqual(yield* sequenceAll, 3)
      const outcome = yield* acceptOne(workspaceId, [plainEvent("key")])
      assert.isFalse(outcome.duplicate, "a refused event must not have claimed its key")
    }),
    { inboxCapacity: 3 }
  )

  test(
    "a request that would cross the line is refused whole",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, plainEvents(3))
      const error = yield* Effect.flip(accept(workspaceId, plainEvents(2)))
      assert.deepStrictEqual(error, new InboxFull({ depth: 3, capacity: 4 }))
      assert.strictEqual(yield* depth, 3)
      assert.lengthOf(yield* accept(workspaceId, plainEvents(1)), 1)
      assert.strictEqual(yield* depth, 4)
    }),
    { inboxCapacity: 4 }
  )

  test(
    "a duplicate needs no room: it is answered while the inbox is full",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const first = yield* acceptOne(workspaceId, [plainEvent("key")])
      yield* accept(workspaceId, plainEvents(1))
      assert.deepStrictEqual(yield* acceptOne(workspaceId, [plainEvent("key")]), {
        id: first.id,
        duplicate: true
      })
      assert.instanceOf(yield* Effect.flip(accept(workspaceId, [plainEvent("other")])), InboxFull)
    }),
    { inboxCapacity: 2 }
  )

  test(
    "the capacity is shared by all workspaces, and free again after sequencing",
    Effect.gen(function* () {
      const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
      yield* accept(one, plainEvents(2))
      assert.instanceOf(yield* Effect.flip(accept(other, plainEvents(1))), InboxFull)
      yield* observeAppend(one)
      assert.lengthOf(yield* accept(other, plainEvents(2)), 2)
      assert.instanceOf(yield* Effect.flip(accept(one, plainEvents(1))), InboxFull)
    }),
    { inboxCapacity: 2 }
  )

  test(
    "requests that arrive together do not overfill it",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const results = yield* Effect.forEach(
        Array.from({ length: 40 }),
        () => Effect.result(accept(workspaceId, plainEvents(3))),
        { concurrency: "unbounded" }
      )
      const accepted = results.filter(Result.isSuccess)
      assert.lengthOf(accepted, 6)
      assert.strictEqual(yield* depth, 18)
      yield* sequenceAll
      assert.sameMembers(
        (yield* readLog(workspaceId)).map(({ id }) => id),
        accepted.flatMap(({ success }) => success.map(({ id }) => id))
      )
    }),
    { inboxCapacity: 20 }
  )
}

/** Registers the contract of `Inbox` for the storage called `name`. */
export const inboxContract = (name: string, storage: StorageLayer): void => {
  describe(`${name}: Inbox`, () => {
    describe("waiting", () => waiting(storage))
    describe("idempotency", () => idempotencyContract(storage))
    describe("the service's own keys", () => ownKeysContract(storage))
    describe("capacity", () => capacity(storage))
    describe("closed logs", () => closingContract(storage))
  })
}
