/** What retention removes, and what it leaves. */
import { ALERT_CONSUMER } from "@cairn/core/alert"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { ClockGuard, FIRST_LEGACY_SEQUENCE } from "@cairn/core/log"
import {
  Archive,
  ContentRemoval,
  Erasure,
  MAX_REMOVAL,
  NothingToErase,
  RETENTION_CONSUMER,
  Retention,
  removable
} from "@cairn/core/retention"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { NEEDLE, telling } from "../generators/RemovableEvent.ts"
import { layerManualClock, manualClock } from "../machines/ManualClock.ts"
import { moveTo } from "./ConsumptionContract.ts"
import { contents, list, nowhere, type RemovalStorage, removalTest } from "./RemovalSteps.ts"
import {
  accept,
  acceptOwn,
  importHistory,
  makeWorkspace,
  NOON,
  plainEvent,
  readLog,
  sequenceAll,
  verifyChain
} from "./StorageSteps.ts"

/** Registers the tests of retention; part of `removalContract`. */
export const retentionContract = (name: string, storage: () => RemovalStorage): void => {
  const test = removalTest(storage)

  describe(`${name}: retention`, () => {
    test("removes what has left the window, says so in the chain, and the chain stays valid", (kit) =>
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const retention = yield* Retention
        const workspaceId = yield* makeWorkspace
        const other = yield* makeWorkspace
        yield* accept(workspaceId, [telling("a"), telling("b")], { acceptedAt: NOON })
        yield* accept(other, [plainEvent("kept")], { acceptedAt: NOON })
        yield* sequenceAll
        yield* accept(workspaceId, [plainEvent("fresh")], { acceptedAt: yield* Micros.now })
        yield* sequenceAll
        if (kit.index !== undefined) yield* kit.index
        assert.strictEqual(yield* retention.apply(workspaceId), 0, "nothing expires by itself")
        yield* workspaces.update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
        const before = yield* readLog(workspaceId)
        const places = yield* Effect.promise(() => kit.find(NEEDLE))
        if (name !== "memory") assert.isAbove(places.length, 2, "the search finds what is there")
        assert.strictEqual((yield* list(workspaceId)).pagination.total, 3)
        assert.deepStrictEqual(yield* retention.round, { removed: 2, failed: 0 })
        const rows = yield* readLog(workspaceId)
        assert.deepStrictEqual(
          rows.map(({ content }) => content !== null),
          [false, false, true, true]
        )
        assert.include(
          rows[3]?.content ?? "",
          `"metadata":{"below_sequence":3,"from_sequence":${FIRST_LEGACY_SEQUENCE},"kept":[]}`
        )
        for (const [at, row] of before.entries()) {
          const { id, sequence, createdAt, eventHash, previousEventHash, contentHash } = row
          assert.deepInclude(rows[at], { id, sequence, createdAt, eventHash, previousEventHash, contentHash })
        }
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true, events_checked: 4 })
        assert.deepStrictEqual(yield* contents(other), [true])
        yield* nowhere(kit)
        assert.strictEqual((yield* list(workspaceId)).pagination.total, 2)
        assert.deepStrictEqual(yield* retention.round, { removed: 0, failed: 0 })
        assert.lengthOf(yield* readLog(workspaceId), 4, "what removes nothing is not recorded")
      }))

    test("keeps what is on record of retention, for as long as its header, also through erasure", () =>
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const workspaceId = yield* makeWorkspace
        const own = (action: string) =>
          acceptOwn(workspaceId, { actor_id: "key_1", action, metadata: { to_days: 30 } })
        yield* own("cairn.workspace.updated")
        yield* own("cairn.retention.scheduled")
        yield* accept(workspaceId, [plainEvent()], { acceptedAt: NOON })
        yield* sequenceAll
        yield* workspaces.update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
        assert.deepStrictEqual(yield* (yield* Retention).round, { removed: 2, failed: 0 })
        assert.deepStrictEqual(yield* contents(workspaceId), [false, true, false, true])
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true, events_checked: 4 })
        const erasure = yield* Erasure
        const erase = erasure.erase(workspaceId, { actorId: "key_1" }, "asked for")
        assert.instanceOf(yield* Effect.flip(erase), NothingToErase)
        const [record] = (yield* list(workspaceId, { action: "cairn.retention.scheduled" })).data
        const byId = erasure.erase(workspaceId, { eventIds: [record?.id ?? ""] }, "asked for")
        assert.instanceOf(yield* Effect.flip(byId), NothingToErase)
        assert.deepStrictEqual(yield* contents(workspaceId), [false, true, false, true])
      }))

    test("erases what an actor did before so many records that are kept that they fill a helping", () =>
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        yield* accept(workspaceId, [{ actor_id: "key_1", action: "thing.done" }], { acceptedAt: NOON })
        for (let done = 0; done <= MAX_REMOVAL; done += 100) {
          const own = { actor_id: "key_1", action: "cairn.retention.scheduled" }
          yield* acceptOwn(workspaceId, ...Array.from({ length: 100 }, () => own))
        }
        yield* sequenceAll
        const erased = (yield* Erasure).erase(workspaceId, { actorId: "key_1" }, "asked for")
        assert.deepStrictEqual(yield* erased, [1])
      }))

    test("removes nothing while the clock cannot be trusted", () => {
      const time = manualClock(NOON)
      return Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        yield* accept(workspaceId, [plainEvent()], { acceptedAt: NOON })
        yield* sequenceAll
        yield* (yield* ManagedWorkspaces).update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
        const trusted = ClockGuard.layer.pipe(Layer.provide(layerManualClock(time)))
        const round = Effect.flatMap(Retention, (retention) => {
          time.leap(31 * Micros.DAY)
          return retention.round
        }).pipe(
          Effect.provide(
            Layer.fresh(Retention.layer).pipe(Layer.provide([Archive.layerNone, Layer.fresh(trusted)]))
          ),
          Effect.provideService(Clock.Clock, time.clock)
        )
        assert.deepStrictEqual(yield* round, { removed: 0, failed: 1 })
        assert.deepStrictEqual(yield* contents(workspaceId), [true])
      })
    })

    test("applies a shorter time that was pending when a log was closed, as announced, unless it is called off", () =>
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const retention = yield* Retention
        const [shortened, calledOff] = [yield* makeWorkspace, yield* makeWorkspace]
        const now = yield* Micros.now
        /** So long until it counts, and lived through if that has passed. */
        const pending = (until: Micros.Micros) => ({
          id: "hold",
          days: null,
          since: until - 7 * Micros.DAY,
          until,
          announced: true,
          reminded: true,
          ...(until < now ? { end_seen_at: until - Micros.DAY } : {})
        })
        const shorten = (id: string, until: Micros.Micros) =>
          workspaces.update(id, { retention: { days: 30, own_hold: pending(until), plan_hold: null } }, NOON)
        for (const id of [shortened, calledOff]) {
          yield* accept(id, [telling("a"), plainEvent("b")], { acceptedAt: NOON })
          yield* sequenceAll
          yield* shorten(id, now + Micros.DAY)
          yield* workspaces.close(id, now)
        }
        assert.deepStrictEqual(yield* retention.round, { removed: 0, failed: 0 })
        assert.deepStrictEqual(yield* contents(shortened), [true, true])
        // As the operator does: there is nobody else who could.
        const asPlanned = { days: null, own_hold: null, plan_hold: null }
        yield* workspaces.update(calledOff, { retention: asPlanned }, NOON)
        yield* shorten(shortened, now - 1)
        assert.deepStrictEqual(yield* retention.round, { removed: 2, failed: 0 })
        assert.deepStrictEqual(yield* contents(shortened), [false, false, true], "and it is on record")
        assert.deepStrictEqual(yield* contents(calledOff), [true, true])
        for (const [id, events_checked] of [
          [shortened, 3],
          [calledOff, 2]
        ] as const)
          assert.deepInclude(yield* verifyChain(id), { valid: true, events_checked })
        const late = yield* Effect.flip(accept(shortened, [plainEvent("late")]))
        assert.strictEqual((late as { readonly _tag: string })._tag, "LogClosed")
      }))

    test("goes on where a crash interrupted it: the record is there, the contents still are", (kit) =>
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const retention = yield* Retention
        const consumers = yield* Consumers
        const workspaceId = yield* makeWorkspace
        yield* accept(
          workspaceId,
          Array.from({ length: 5 }, (_, index) => telling(`${index}`)),
          { acceptedAt: NOON }
        )
        yield* sequenceAll
        yield* workspaces.update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
        const key = { workspaceId, consumer: RETENTION_CONSUMER }
        yield* consumers.open(key, 0, NOON)
        yield* consumers.pause(key, NOON)
        assert.strictEqual(yield* retention.apply(workspaceId), 0)
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
        assert.deepStrictEqual(yield* contents(workspaceId), [true, true, true, true, true, true])
        yield* consumers.resume(key, NOON)
        assert.strictEqual(yield* retention.apply(workspaceId), 5)
        assert.deepStrictEqual(yield* contents(workspaceId), [false, false, false, false, false, true])
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
        yield* nowhere(kit)
      }))

    test("makes what an interrupted round has removed leave the files too", (kit) =>
      Effect.gen(function* () {
        const removal = yield* ContentRemoval
        const workspaceId = yield* makeWorkspace
        yield* accept(workspaceId, [telling("a")], { acceptedAt: NOON })
        yield* sequenceAll
        if (kit.index !== undefined) yield* kit.index
        yield* removal.remove(
          workspaceId,
          removable(yield* Sha256, workspaceId, yield* readLog(workspaceId)),
          null
        )
        assert.isTrue(yield* removal.unfinished)
        assert.deepStrictEqual(yield* (yield* Retention).round, { removed: 0, failed: 0 })
        assert.isFalse(yield* removal.unfinished)
        yield* nowhere(kit)
      }))

    test("reaches history from before the chain, which stays committed to", (kit) =>
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const retention = yield* Retention
        const workspaceId = yield* makeWorkspace
        yield* importHistory(workspaceId, [telling("a"), telling("b")], NOON)
        yield* accept(workspaceId, [plainEvent("fresh")], { acceptedAt: yield* Micros.now })
        yield* sequenceAll
        yield* workspaces.update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
        assert.strictEqual(yield* retention.apply(workspaceId), 2)
        assert.deepStrictEqual(yield* contents(workspaceId), [false, false, true, true, true])
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
        yield* nowhere(kit)
      }))

    if (name !== "memory")
      test("forgets what alert rules remember of departed actors and of times that have left the window", () =>
        Effect.gen(function* () {
          const retention = yield* Retention
          const consumers = yield* Consumers
          const workspaceId = yield* makeWorkspace
          yield* accept(workspaceId, [{ ...plainEvent(), actor_id: "gone" }, plainEvent()])
          yield* sequenceAll
          yield* accept(workspaceId, [plainEvent()], { acceptedAt: yield* Micros.now })
          yield* sequenceAll
          const key = { workspaceId, consumer: ALERT_CONSUMER }
          const rows = [
            { key: " countries:gone", value: "[]", expiresAt: null },
            { key: " reading-countries:gone", value: "[]", expiresAt: null },
            { key: " countries:actor", value: "[]", expiresAt: null },
            { key: " reading-countries:actor", value: "[]", expiresAt: null },
            { key: "rul_1 raised:gone", value: "1", expiresAt: NOON + 1 },
            { key: "rul_1 raised:actor", value: "1", expiresAt: NOON + 2 * Micros.DAY }
          ]
          yield* consumers.commit(yield* consumers.open(key, 0, NOON), moveTo(3, { rows }))
          yield* (yield* ManagedWorkspaces).update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
          assert.strictEqual(yield* retention.apply(workspaceId), 2)
          const left = yield* consumers.rows(
            key,
            rows.map((row) => row.key)
          )
          assert.sameMembers(
            left.map((row) => row.key),
            [" countries:actor", " reading-countries:actor", "rul_1 raised:actor"]
          )
        }))

    test("frees idempotency keys and leaves lists, totals and searches without what is gone", (kit) =>
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const retention = yield* Retention
        const workspaceId = yield* makeWorkspace
        yield* accept(workspaceId, [telling("a")], { acceptedAt: NOON })
        yield* sequenceAll
        if (kit.index !== undefined) yield* kit.index
        const filters = [
          {},
          { actorId: `${NEEDLE}-a` },
          { search: NEEDLE },
          { targetId: `${NEEDLE}-a` },
          { action: "*" }
        ]
        for (const filter of filters)
          assert.strictEqual((yield* list(workspaceId, filter)).pagination.total, 1)
        yield* workspaces.update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
        yield* retention.apply(workspaceId)
        for (const filter of filters.slice(1, 4)) {
          const page = yield* list(workspaceId, filter)
          assert.deepStrictEqual([page.data.length, page.pagination.total], [0, 0], JSON.stringify(filter))
        }
        // Only the record of the removal.
        for (const filter of [{}, { action: "*" }]) {
          const page = yield* list(workspaceId, filter)
          assert.deepStrictEqual([page.data.length, page.pagination.total], [1, 1], JSON.stringify(filter))
        }
        const [outcome] = yield* accept(workspaceId, [plainEvent(`${NEEDLE}-a`)])
        assert.isFalse(outcome?.duplicate)
      }))

    test("leaves a key to the newer event that has taken it over", () =>
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const retention = yield* Retention
        const workspaceId = yield* makeWorkspace
        yield* accept(workspaceId, ["taken", "kept"].map(plainEvent), { acceptedAt: NOON })
        yield* sequenceAll
        const acceptedAt = yield* Micros.now
        const [newer] = yield* accept(workspaceId, [plainEvent("taken")], {
          acceptedAt,
          keysExpireBefore: NOON + 1
        })
        yield* sequenceAll
        yield* workspaces.update(workspaceId, { overrides: { retention_days: 30 } }, NOON)
        assert.strictEqual(yield* retention.apply(workspaceId), 2)
        const again = yield* accept(workspaceId, ["taken", "kept"].map(plainEvent), { acceptedAt })
        assert.deepStrictEqual(again[0], { id: newer?.id, duplicate: true })
        assert.isFalse(again[1]?.duplicate)
      }))
  })
}
