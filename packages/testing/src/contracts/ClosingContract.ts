/** The part of the contract of `Inbox` that is about logs that are closed, as tests. */
import { Acceptance, Inbox, LogClosed, QuotaReached } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import { acceptOne, depth } from "./InboxSteps.ts"
import {
  accept,
  makePending,
  makeWorkspace,
  NOON,
  plainEvent,
  plainEvents,
  readLog,
  type StorageLayer,
  sequenceAll,
  storageTest
} from "./StorageSteps.ts"

const CLOSED_AT = NOON + 7

const close = (workspaceId: string) =>
  Effect.flatMap(ManagedWorkspaces, (workspaces) => workspaces.close(workspaceId, CLOSED_AT))

const idsOf = (events: ReadonlyArray<{ readonly id: string }>) => events.map(({ id }) => id)

/** Registers the tests. */
export const closingContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "a log that was closed takes nothing, what was accepted before is in it, and others go on",
    Effect.gen(function* () {
      const [closing, other] = [yield* makeWorkspace, yield* makeWorkspace]
      const before = yield* accept(closing, plainEvents(3))
      assert.strictEqual((yield* close(closing)).closed_at, CLOSED_AT)
      const results = yield* Effect.forEach(
        [closing, other, closing, other],
        (workspaceId) => Effect.result(accept(workspaceId, [plainEvent("key")])),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        results.map((result) => (Result.isFailure(result) ? result.failure : "accepted")),
        [
          new LogClosed({ closedAt: CLOSED_AT }),
          "accepted",
          new LogClosed({ closedAt: CLOSED_AT }),
          "accepted"
        ]
      )
      assert.strictEqual(yield* depth, 4)
      yield* sequenceAll
      assert.deepStrictEqual(idsOf(yield* readLog(closing)), idsOf(before))
      assert.lengthOf(yield* readLog(other), 1)
    })
  )

  test(
    "it stays as it was closed the first time, and a workspace that is not there is not closed",
    Effect.gen(function* () {
      const workspaces = yield* ManagedWorkspaces
      const workspaceId = yield* makeWorkspace
      const closed = yield* close(workspaceId)
      assert.deepStrictEqual(yield* workspaces.close(workspaceId, CLOSED_AT + 1), closed)
      assert.deepStrictEqual(yield* workspaces.get(workspaceId), Option.some(closed))
      assert.strictEqual((yield* Effect.flip(workspaces.close("wsp_none", NOON)))._tag, "WorkspaceNotFound")
    })
  )

  test(
    "of requests that arrive while it is closed, each is in the log or was refused",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const requests = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 300 }, (_, index) => index),
          (index) =>
            Effect.delay(Effect.result(accept(workspaceId, [plainEvent(`key ${index}`)])), index / 4),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sleep(30)
      yield* close(workspaceId)
      const atEnd = yield* depth
      const results = yield* Fiber.join(requests)
      const accepted = results.filter(Result.isSuccess).flatMap(({ success }) => success)
      for (const { failure } of results.filter(Result.isFailure)) assert.instanceOf(failure, LogClosed)
      assert.isBelow(accepted.length, 300)
      assert.strictEqual(atEnd, accepted.length)
      yield* sequenceAll
      assert.sameMembers(idsOf(yield* readLog(workspaceId)), idsOf(accepted))
    })
  )

  test(
    "the service's own records are left out of it, without an error, except the one that it ends with",
    Effect.gen(function* () {
      const acceptance = yield* Acceptance
      const workspaceId = yield* makeWorkspace
      const first = yield* acceptOne(workspaceId, [plainEvent()])
      yield* close(workspaceId)
      const context = { workspaceId, clientAddress: null, keysExpireBefore: null, isCounted: false }
      const body = { actor_id: "ada", action: "cairn.thing.done", idempotency_key: "end" }
      assert.isTrue((yield* acceptance.own(context, body)).duplicate)
      assert.lengthOf(yield* acceptance.ownBatch(context, [body, { ...body, idempotency_key: "b" }]), 2)
      const last = yield* acceptance.own({ ...context, intoClosed: true }, body)
      assert.isFalse(last.duplicate)
      assert.deepStrictEqual(yield* acceptance.own({ ...context, intoClosed: true }, body), {
        ...last,
        duplicate: true
      })
      yield* sequenceAll
      assert.deepStrictEqual(idsOf(yield* readLog(workspaceId)), [first.id, last.id])
    })
  )

  test(
    "a request with a quota or in a full inbox is refused as any other, and counts nothing",
    Effect.gen(function* () {
      const inbox = yield* Inbox
      const [closing, other] = [yield* makeWorkspace, yield* makeWorkspace]
      yield* close(closing)
      const request = (workspaceId: string, id: string) => ({
        workspaceId,
        acceptedAt: NOON,
        keysExpireBefore: null,
        quota: 1,
        events: [makePending(id, plainEvent("key"), NOON)]
      })
      const ids = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"] as const
      const [refused, accepted] = yield* Effect.all(
        [
          Effect.flip(inbox.accept(request(closing, ids[0]))),
          Effect.map(inbox.accept(request(other, ids[1])), ([outcome]) => outcome)
        ],
        { concurrency: "unbounded" }
      )
      assert.instanceOf(refused, LogClosed)
      assert.deepStrictEqual(accepted, { id: ids[1], duplicate: false })
      const full = yield* inbox.accept({
        ...request(other, ids[0]),
        events: [makePending(ids[0], plainEvent(), NOON)]
      })
      assert.instanceOf(full[0], QuotaReached)
    }),
    { inboxCapacity: 2 }
  )
}
