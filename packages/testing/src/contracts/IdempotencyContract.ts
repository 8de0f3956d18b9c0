/** The contract of `Inbox` for idempotency keys: one event for each, whether it waits or is in the log. */

import { Micros } from "@cairn/core/encoding"
import { Acceptance, EventLog } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { naughtyStrings } from "../generators/NaughtyText.ts"
import { contentOf } from "../generators/StoredContent.ts"
import { acceptOne, depth, find } from "./InboxSteps.ts"
import {
  accept,
  makeWorkspace,
  NOON,
  observeAppend,
  plainEvent,
  readLog,
  type StorageLayer,
  sequenceAll,
  storageTest
} from "./StorageSteps.ts"

/** Registers the tests of idempotency keys; part of `inboxContract`. */
export const idempotencyContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "a second event with a key is a duplicate of the first and stores nothing, whatever its body",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const first = yield* acceptOne(workspaceId, [plainEvent("key")])
      assert.isFalse(first.duplicate)
      const second = yield* acceptOne(workspaceId, [{ ...plainEvent("key"), action: "thing.changed" }])
      assert.deepStrictEqual(second, { id: first.id, duplicate: true })
      assert.strictEqual(yield* depth, 1)
      yield* sequenceAll
      const log = yield* readLog(workspaceId)
      assert.deepStrictEqual(
        log.map((event) => [event.id, contentOf(event)?.action]),
        [[first.id, "thing.done"]]
      )
    })
  )

  test(
    "a key is kept when its event has gone from the inbox to the log",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const first = yield* acceptOne(workspaceId, [plainEvent("key")])
      yield* sequenceAll
      assert.deepStrictEqual(yield* acceptOne(workspaceId, [plainEvent("key")]), {
        id: first.id,
        duplicate: true
      })
      assert.strictEqual(yield* sequenceAll, 0)
    })
  )

  test(
    "each workspace has its own keys, and events without one are never duplicates",
    Effect.gen(function* () {
      const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
      const outcomes = [
        yield* acceptOne(one, [plainEvent("key")]),
        yield* acceptOne(other, [plainEvent("key")]),
        yield* acceptOne(one, [plainEvent()]),
        yield* acceptOne(one, [plainEvent()])
      ]
      assert.isTrue(outcomes.every(({ duplicate }) => !duplicate))
      assert.strictEqual(new Set(outcomes.map(({ id }) => id)).size, 4)
    })
  )

  test(
    "keys are compared character by character: case, form, padding and wildcards tell them apart",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const first = new Map<string, string>()
      for (const key of new Set(naughtyStrings)) {
        const { id, duplicate } = yield* acceptOne(workspaceId, [plainEvent(key)])
        assert.isFalse(duplicate, JSON.stringify(key))
        first.set(key, id)
      }
      for (const [key, id] of first) {
        const again = yield* acceptOne(workspaceId, [plainEvent(key)])
        assert.deepStrictEqual(again, { id, duplicate: true }, JSON.stringify(key))
      }
    })
  )

  test(
    "a key of several workspaces is free only where its event has expired, though all claim it at once",
    Effect.gen(function* () {
      const [one, other, third] = [yield* makeWorkspace, yield* makeWorkspace, yield* makeWorkspace]
      const held = new Map<string, string>()
      for (const workspaceId of [one, other, third])
        held.set(workspaceId, (yield* acceptOne(workspaceId, [plainEvent("key")])).id)
      yield* sequenceAll
      const claims = [one, other, third, third, other, one]
      const outcomes = yield* Effect.forEach(
        claims,
        (workspaceId) =>
          acceptOne(workspaceId, [plainEvent("key")], {
            acceptedAt: NOON + 10,
            keysExpireBefore: workspaceId === other ? NOON + 1 : NOON
          }),
        { concurrency: "unbounded" }
      )
      const taken = outcomes[1]?.id ?? ""
      assert.notStrictEqual(taken, held.get(other))
      held.set(other, taken)
      assert.deepStrictEqual(
        outcomes,
        claims.map((workspaceId, index) => ({ id: held.get(workspaceId) ?? "", duplicate: index !== 1 }))
      )
      assert.strictEqual(yield* depth, 1)
    })
  )

  test(
    "of a request's events the new ones become one row, in their order",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const [b, d] = yield* accept(workspaceId, [plainEvent("b"), plainEvent("d")])
      yield* sequenceAll
      const keys = ["a", "b", "c", "d", "e"]
      const outcomes = yield* accept(workspaceId, keys.map(plainEvent))
      assert.deepStrictEqual(
        outcomes.map(({ duplicate }) => duplicate),
        [false, true, false, true, false]
      )
      assert.deepStrictEqual([outcomes[1]?.id, outcomes[3]?.id], [b?.id, d?.id])
      const last = yield* find(workspaceId, outcomes[4]?.id ?? "")
      assert.strictEqual(Option.getOrThrow(last).offset, 2, "an offset counts what will be 1 µs apart")
      const { rows } = yield* observeAppend(workspaceId)
      assert.deepStrictEqual(
        rows.map(({ events }) => events.map(({ idempotencyKey }) => idempotencyKey)),
        [["a", "c", "e"]]
      )
    })
  )

  test(
    "a request of duplicates stores no row",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      const keys = ["a", "b", "c"].map(plainEvent)
      const first = yield* accept(workspaceId, keys)
      yield* sequenceAll
      const again = yield* accept(workspaceId, keys.toReversed())
      assert.deepStrictEqual(
        again,
        first.toReversed().map(({ id }) => ({ id, duplicate: true }))
      )
      assert.strictEqual(yield* depth, 0)
      assert.deepStrictEqual(yield* log.waiting, [])
      assert.lengthOf((yield* observeAppend(workspaceId)).rows, 0)
    })
  )

  test(
    "of 64 concurrent requests with one key exactly one is new",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 64 }),
        () => acceptOne(workspaceId, [plainEvent("key")]),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        outcomes.filter(({ duplicate }) => !duplicate),
        1
      )
      assert.strictEqual(new Set(outcomes.map(({ id }) => id)).size, 1)
      yield* sequenceAll
      assert.deepStrictEqual(
        (yield* readLog(workspaceId)).map(({ id }) => id),
        [outcomes[0]?.id]
      )
    })
  )

  test(
    "concurrent batches that share keys in different orders store each key once, and nobody waits for ever",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      // So many that a storage which commits several times at once does.
      const keys = Array.from({ length: 300 }, (_, index) => `key ${index}`)
      const orders = Array.from({ length: 16 }, (_, turn) => {
        const turned = [...keys.slice(turn), ...keys.slice(0, turn)]
        return turn % 2 === 0 ? turned : turned.toReversed()
      })
      const answers = yield* Effect.forEach(orders, (order) => accept(workspaceId, order.map(plainEvent)), {
        concurrency: "unbounded"
      })
      const idsByKey = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]))
      for (const [turn, order] of orders.entries()) {
        for (const [index, key] of order.entries()) idsByKey.get(key)?.add(answers[turn]?.[index]?.id ?? "")
      }
      assert.deepStrictEqual(
        Array.from(idsByKey.values(), ({ size }) => size),
        keys.map(() => 1)
      )
      assert.lengthOf(
        answers.flat().filter(({ duplicate }) => !duplicate),
        keys.length
      )
      assert.strictEqual(yield* sequenceAll, keys.length)
    })
  )

  test(
    "duplicates within one batch of the use case point to its first",
    Effect.gen(function* () {
      const acceptance = yield* Acceptance
      const workspaceId = yield* makeWorkspace
      const [old] = yield* accept(workspaceId, [plainEvent("old")])
      const events = ["a", "old", "a", "b", "old", "a"].map(plainEvent)
      const context = { workspaceId, clientAddress: null, keysExpireBefore: null }
      const { outcomes } = yield* acceptance.batch(context, { events })
      const ids = outcomes.map((outcome) => ("id" in outcome ? outcome.id : undefined))
      assert.deepStrictEqual(
        outcomes.map((outcome) => "duplicate" in outcome && outcome.duplicate),
        [false, true, true, false, true, true]
      )
      assert.deepStrictEqual(ids, [ids[0], old?.id, ids[0], ids[3], old?.id, ids[0]])
      assert.strictEqual(new Set(ids).size, 3)
      assert.strictEqual(yield* depth, 3)
    })
  )

  test(
    "a key is free again once its event was accepted before the given moment, and not a microsecond sooner",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const first = yield* acceptOne(workspaceId, [plainEvent("key")], { acceptedAt: NOON })
      yield* sequenceAll
      const later = NOON + 30 * Micros.DAY
      const kept = yield* acceptOne(workspaceId, [plainEvent("key")], {
        acceptedAt: later,
        keysExpireBefore: NOON
      })
      assert.deepStrictEqual(kept, { id: first.id, duplicate: true })
      const free = yield* acceptOne(workspaceId, [plainEvent("key")], {
        acceptedAt: later,
        keysExpireBefore: NOON + 1
      })
      assert.isFalse(free.duplicate)
      assert.notStrictEqual(free.id, first.id)
    })
  )

  test(
    "a key taken over counts from its new event, which duplicates now point to",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      yield* acceptOne(workspaceId, [plainEvent("key")], { acceptedAt: NOON })
      const times = { acceptedAt: NOON + 100, keysExpireBefore: NOON + 1 }
      const second = yield* acceptOne(workspaceId, [plainEvent("key")], times)
      const again = { acceptedAt: NOON + 200, keysExpireBefore: NOON + 100 }
      assert.deepStrictEqual(yield* acceptOne(workspaceId, [plainEvent("key")], again), {
        id: second.id,
        duplicate: true
      })
      assert.strictEqual(yield* sequenceAll, 2)
    })
  )

  test(
    "keys are kept for good when no moment is given",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const first = yield* acceptOne(workspaceId, [plainEvent("key")], { acceptedAt: 0 })
      assert.deepStrictEqual(yield* acceptOne(workspaceId, [plainEvent("key")]), {
        id: first.id,
        duplicate: true
      })
    })
  )
}
