/**
 * The contract of `Inbox` and `EventLog` for the keys of the service's own events, of which databases that
 * older versions wrote may have some in the hands of clients.
 */

import { Randomness, uuid } from "@cairn/core/hashing"
import { Acceptance, Inbox } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { contentOf } from "../generators/StoredContent.ts"
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

const KEY = "cairn.access.events 2024-05-01T12:00:00Z 0123456789abcdef"

const OWN = { actor_id: "mem_1", actor_type: "member", action: "cairn.access.events" }

/** What a client of an older version could do; returns the id of its event. */
const plant = Effect.fnUntraced(function* (workspaceId: string, key: string) {
  const id = uuid(yield* Randomness)
  const event = { ...makePending(id, plainEvent(), NOON), idempotencyKey: key }
  const inbox = yield* Inbox
  yield* inbox.accept({ workspaceId, acceptedAt: NOON, keysExpireBefore: null, events: [event] })
  return id
})

const write = Effect.fnUntraced(function* (workspaceId: string, keys: ReadonlyArray<string>) {
  const { ownBatch } = yield* Acceptance
  const context = { workspaceId, clientAddress: null, keysExpireBefore: null, isCounted: false }
  return yield* ownBatch(
    context,
    keys.map((idempotency_key) => ({ ...OWN, idempotency_key }))
  )
})

/** The ids of the service's own events that are in the log. */
const ownIds = (workspaceId: string) =>
  Effect.map(readLog(workspaceId), (log) =>
    log.filter((event) => contentOf(event)?.action === OWN.action).map(({ id }) => id)
  )

/** Registers the tests of the service's own keys; part of `inboxContract`. */
export const ownKeysContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  for (const where of ["waits", "is in the log"] as const)
    test(
      `an event of the service's own is written once though a client's event with its key ${where}`,
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        yield* plant(workspaceId, KEY)
        if (where === "is in the log") yield* sequenceAll
        const keys = [`${KEY} before`, KEY, `${KEY} after`]
        const written = yield* write(workspaceId, keys)
        assert.deepStrictEqual(
          written.map(({ duplicate }) => duplicate),
          [false, false, false]
        )
        const again = written.map(({ id }) => ({ id, duplicate: true }))
        assert.deepStrictEqual(yield* write(workspaceId, keys), again, "while it waits")
        yield* sequenceAll
        assert.deepStrictEqual(yield* write(workspaceId, keys), again, "when it is in the log")
        yield* sequenceAll
        assert.sameMembers(
          [...(yield* ownIds(workspaceId))],
          written.map(({ id }) => id)
        )
      })
    )

  test(
    "an event of the service's own is written though a client foresaw the key that it gets instead",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const first = yield* plant(workspaceId, KEY)
      const second = yield* plant(workspaceId, `${KEY} ${first}`)
      yield* plant(workspaceId, `${KEY} ${first} ${second}`)
      const { own } = yield* Acceptance
      const context = { workspaceId, clientAddress: null, keysExpireBefore: null }
      const { id, duplicate } = yield* own(context, { ...OWN, idempotency_key: KEY })
      assert.isFalse(duplicate)
      yield* sequenceAll
      assert.deepStrictEqual(yield* ownIds(workspaceId), [id])
    })
  )

  test(
    "an event of the service's own is a duplicate of no other actor's and of no other action's",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const { own } = yield* Acceptance
      const context = { workspaceId, clientAddress: null, keysExpireBefore: null }
      const others = [
        OWN,
        { ...OWN, actor_id: "mem_2" },
        { ...OWN, actor_type: "api_key" },
        { ...OWN, action: "cairn.access.alerts" }
      ]
      for (const body of others)
        assert.isFalse((yield* own(context, { ...body, idempotency_key: KEY })).duplicate)
      assert.isTrue((yield* own(context, { ...OWN, idempotency_key: KEY })).duplicate)
    })
  )
}
