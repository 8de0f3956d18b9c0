/** The contract of the port `ContentRemoval`, with retention and erasure over it, as tests. */
import { ALERT_CONSUMER, Alerts } from "@cairn/core/alert"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { GeoIp, parseContent, systemContent, nowhere as unknownPlace } from "@cairn/core/event"
import { Exports } from "@cairn/core/export"
import { nativeSha256, portableSha256, Sha256, uuid } from "@cairn/core/hashing"
import {
  ClockGuard,
  EventCounts,
  EventLog,
  EventReader,
  extendChain,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  RETENTION_APPLIED,
  removalOf,
  Sequencer,
  type StoredEvent
} from "@cairn/core/log"
import { Outbox, type Settlement } from "@cairn/core/outbound"
import {
  Archive,
  ContentRemoval,
  Erasure,
  MAX_KEPT,
  MAX_REMOVAL,
  NothingToErase,
  RETENTION_CONSUMER,
  Retention,
  removable
} from "@cairn/core/retention"
import { ChainVerifier } from "@cairn/core/verification"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import { NEEDLE, telling } from "../generators/RemovableEvent.ts"
import { layerSeededRandomness, seededRandomness } from "../generators/SeededRandom.ts"
import { layerManualClock, manualClock } from "../machines/ManualClock.ts"
import { MemoryTables } from "../memory/MemoryStorage.ts"
import { makeAlert, makeDelivery, moveTo } from "./ConsumptionContract.ts"
import {
  accept,
  acceptOwn,
  importHistory,
  makeWorkspace,
  NOON,
  plainEvent,
  readLog,
  type StorageServices,
  sequenceAll,
  verifyChain
} from "./StorageSteps.ts"

/** The ports that a removal reaches. */
export type RemovalServices = StorageServices | ContentRemoval | Consumers | Alerts | Outbox | Exports

/** An empty storage, and where a text is found in its files or tables. */
export interface RemovalStorage {
  readonly layer: Layer.Layer<RemovalServices, unknown>
  readonly find: (text: string) => Promise<ReadonlyArray<string>>
  /** Lets the search index catch up. */
  readonly index?: Effect.Effect<void, unknown, never>
}

const services = (layer: RemovalStorage["layer"]) =>
  Layer.mergeAll(Retention.layer, Erasure.layer, EventReader.layer, ChainVerifier.layer).pipe(
    Layer.provide(Archive.layerNone),
    Layer.provideMerge(Layer.mergeAll(EventCounts.layer, Sequencer.layer)),
    Layer.provide([ClockGuard.layer, GeoIp.layerNowhere]),
    Layer.provideMerge(Layer.mergeAll(layer, Sha256.layer, layerSeededRandomness(1)))
  )

/** The first helping of a list, and its total. */
const list = Effect.fnUntraced(function* (workspaceId: string, filter: object = {}) {
  const reader = yield* EventReader
  return yield* reader.list({ workspaceId, filter, before: null, limit: 100, visibleFrom: null })
})

const contents = (workspaceId: string) =>
  Effect.map(readLog(workspaceId), (rows) => rows.map(({ content }) => content !== null))

/** An alert about an event, and a webhook that tells of it and is about to be tried. */
const startAlert = Effect.fnUntraced(function* (workspaceId: string, eventId: string) {
  const consumers = yield* Consumers
  const position = yield* consumers.open({ workspaceId, consumer: "alerts" }, 0, NOON)
  const alert = makeAlert(eventId, 0, { event_id: eventId, reason: `${NEEDLE} did it` })
  const payload = JSON.stringify({ type: "alert.triggered", data: alert })
  yield* consumers.commit(
    position,
    moveTo(1, {
      rows: [{ key: `rul_1 ["${NEEDLE}-a"]`, value: `"${NEEDLE}"`, expiresAt: null }],
      raised: [{ alert, deliveries: [makeDelivery(workspaceId, eventId, 0, { payload })] }]
    })
  )
  const outbox = yield* Outbox
  const [receiver] = yield* outbox.receivers("webhook", NOON)
  if (receiver === undefined) return Option.none()
  const [claimed] = yield* outbox.claim({
    channel: "webhook",
    shares: [{ ...receiver, limit: 1 }],
    now: NOON,
    until: NOON + 1,
    claim: "c"
  })
  return Option.fromNullishOr(claimed)
})

/** An attempt whose answer repeats what it was told. */
const answered: Settlement = {
  attempt: { started_at: NOON, duration: 1, status: 200, answer: NEEDLE, error: null },
  status: "delivered",
  dueAt: null
}

/** The same, once it was tried. */
const raiseAlert = Effect.fnUntraced(function* (workspaceId: string, eventId: string) {
  const claimed = yield* startAlert(workspaceId, eventId)
  if (Option.isSome(claimed)) yield* (yield* Outbox).settle(claimed.value, answered)
})

/** An export that was made. */
const finishExport = Effect.fnUntraced(function* (workspaceId: string, expires_at: number) {
  const exports = yield* Exports
  yield* exports.create(
    { id: "exp_1", workspace_id: workspaceId, format: "csv", filters: {}, created_at: NOON, expires_at },
    { concurrent: 5, quota: null, since: NOON }
  )
  const claimed = Option.getOrThrow(yield* exports.claim({ claim: "c", at: NOON, until: NOON + 1 }))
  yield* exports.settle(claimed, { status: "completed", totalRows: 1, fileSize: 1 })
})

/** What older versions recorded of retention: they did not say what they left. */
const olderRecord = (workspaceId: string, below: number) => (head: Head, now: Micros.Micros) => {
  const content = systemContent(RETENTION_APPLIED, { below_sequence: below }, now)
  const random = seededRandomness(below)
  const event = { id: uuid(random), idempotencyKey: null, clientAddress: null, content }
  const row = { inboxId: 0, acceptedAt: now, events: [event] }
  const sha256 = nativeSha256 ?? portableSha256
  return extendChain({ workspaceId, sha256, random, lookup: () => unknownPlace, now }, head, [row])
}

/** Registers the contract for the storage called `name`. `storage` is called once for each test. */
export const removalContract = (name: string, storage: () => RemovalStorage): void => {
  const test = <A, E>(
    says: string,
    body: (kit: RemovalStorage) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>>>
  ): void =>
    it.live(says, () =>
      Effect.suspend(() => {
        const kit = storage()
        return Effect.provide(body(kit), services(kit.layer))
      })
    )

  const nowhere = (kit: RemovalStorage, text = NEEDLE) =>
    Effect.map(
      Effect.promise(() => kit.find(text)),
      (places) => assert.deepStrictEqual(places, [])
    )

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

    /** What the log says that retention removed, the oldest record first. */
    const recorded = (workspaceId: string) =>
      Effect.map(readLog(workspaceId), (rows) =>
        rows.flatMap(({ content, columns }) => {
          const parsed = columns.action === RETENTION_APPLIED ? parseContent(content ?? "") : undefined
          return parsed === undefined ? [] : [removalOf(parsed)]
        })
      )

    const keepFor = (workspaceId: string, days: number) =>
      Effect.flatMap(ManagedWorkspaces, ({ update }) =>
        update(workspaceId, { overrides: { retention_days: days } }, NOON)
      )

    const interval = (fromSequence: number, belowSequence: number, ...kept: ReadonlyArray<number>) =>
      ({ type: "retention", fromSequence, belowSequence, kept }) as const

    /** Events of two ages, each after a record that is kept, and one that is new. */
    const agedLog = Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const announced = { actor_id: "key_1", action: "cairn.retention.scheduled" }
      const acceptedAt = (yield* Micros.now) - 40 * Micros.DAY
      yield* acceptOwn(workspaceId, announced)
      yield* accept(workspaceId, [telling("a"), telling("b")], { acceptedAt: NOON })
      yield* sequenceAll
      yield* accept(workspaceId, [telling("c"), telling("d")], { acceptedAt })
      yield* sequenceAll
      yield* (yield* Erasure).erase(workspaceId, { actorId: `${NEEDLE}-b` }, "asked for")
      yield* accept(workspaceId, [plainEvent()], { acceptedAt: yield* Micros.now })
      yield* sequenceAll
      return workspaceId
    })

    test("says what stays, and goes on where the last record ended, whatever became of the window meanwhile", () =>
      Effect.gen(function* () {
        const { apply } = yield* Retention
        const workspaceId = yield* agedLog
        yield* keepFor(workspaceId, 60)
        assert.strictEqual(yield* apply(workspaceId), 1)
        const first = interval(FIRST_LEGACY_SEQUENCE, 4, 1)
        assert.deepStrictEqual(yield* recorded(workspaceId), [first])
        for (const days of [90, 60]) {
          yield* keepFor(workspaceId, days)
          assert.strictEqual(yield* apply(workspaceId), 0)
        }
        yield* keepFor(workspaceId, 30)
        assert.strictEqual(yield* apply(workspaceId), 2)
        assert.deepStrictEqual(yield* recorded(workspaceId), [first, interval(4, 6)])
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
      }))

    test("applied by two servers at once leaves nothing that no record accounts for", () =>
      Effect.gen(function* () {
        const { apply } = yield* Retention
        const workspaceId = yield* agedLog
        yield* keepFor(workspaceId, 30)
        yield* Effect.all([apply(workspaceId), apply(workspaceId), apply(workspaceId)], {
          concurrency: "unbounded"
        })
        yield* apply(workspaceId)
        const records = yield* recorded(workspaceId)
        assert.isAtLeast(records.length, 1)
        for (const record of records) assert.deepStrictEqual(record, interval(FIRST_LEGACY_SEQUENCE, 6, 1))
        assert.deepStrictEqual((yield* contents(workspaceId)).slice(0, 5), [true, false, false, false, false])
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
      }))

    if (name === "memory")
      test("is not led by what stands beside an event, and leaves what is not what was hashed", () =>
        Effect.gen(function* () {
          const workspaceId = yield* agedLog
          const { log } = Option.getOrThrow(yield* Effect.serviceOption(MemoryTables))
          const table = log(workspaceId)
          const change = (sequence: number, to: (event: StoredEvent) => Partial<StoredEvent>) => {
            table.events = table.events.map((event) =>
              event.sequence === sequence ? { ...event, ...to(event) } : event
            )
          }
          const beside = (action: string) => (event: StoredEvent) => ({
            columns: { ...event.columns, action }
          })
          change(1, beside("doc.read"))
          change(2, beside(RETENTION_APPLIED))
          change(4, ({ content }) => ({ content: content?.replace(/}$/, " }") ?? null }))
          yield* keepFor(workspaceId, 30)
          assert.strictEqual(yield* (yield* Retention).apply(workspaceId), 2)
          assert.deepStrictEqual((yield* contents(workspaceId)).slice(0, 5), [
            true,
            false,
            false,
            true,
            false
          ])
          const last = Option.getOrThrow(Option.fromNullishOr((yield* recorded(workspaceId)).at(-1)))
          assert.deepStrictEqual(last, interval(FIRST_LEGACY_SEQUENCE, 6, 1, 4))
        }))

    test("after a record that does not say what it left accounts for everything from the beginning", () =>
      Effect.gen(function* () {
        const { apply } = yield* Retention
        const workspaceId = yield* agedLog
        yield* (yield* ContentRemoval).remove(workspaceId, [], olderRecord(workspaceId, 4))
        yield* keepFor(workspaceId, 30)
        assert.strictEqual(yield* apply(workspaceId), 3)
        const [older, newer] = yield* recorded(workspaceId)
        assert.deepInclude(older, { belowSequence: 4, kept: null })
        assert.deepStrictEqual(newer, interval(FIRST_LEGACY_SEQUENCE, 6, 1))
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
      }))

    test("needs more than one record where more stays than one can name", () =>
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        const announced = { actor_id: "key_1", action: "cairn.retention.scheduled" }
        for (let done = 0; done <= MAX_KEPT; done += 100) {
          yield* acceptOwn(workspaceId, ...Array.from({ length: 100 }, () => announced))
        }
        yield* accept(workspaceId, [plainEvent()], { acceptedAt: NOON })
        yield* sequenceAll
        yield* keepFor(workspaceId, 30)
        assert.strictEqual(yield* (yield* Retention).apply(workspaceId), 1)
        const names = (from: number, below: number) =>
          Array.from({ length: below - from }, (_, index) => from + index)
        assert.deepStrictEqual(yield* recorded(workspaceId), [
          interval(FIRST_LEGACY_SEQUENCE, MAX_KEPT + 1, ...names(1, MAX_KEPT + 1)),
          interval(MAX_KEPT + 1, MAX_KEPT + 102, ...names(MAX_KEPT + 1, MAX_KEPT + 101))
        ])
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
      }))

    test("excuses no content that was gone before without a record", () =>
      Effect.gen(function* () {
        const workspaceId = yield* agedLog
        const [, victim] = removable(yield* Sha256, workspaceId, yield* readLog(workspaceId))
        yield* (yield* ContentRemoval).remove(workspaceId, victim === undefined ? [] : [victim], null)
        yield* keepFor(workspaceId, 30)
        yield* (yield* Retention).apply(workspaceId)
        const kept = [1, ...(victim === undefined ? [] : [victim.sequence])]
        assert.deepStrictEqual(yield* recorded(workspaceId), [interval(FIRST_LEGACY_SEQUENCE, 6, ...kept)])
        const { breaks } = yield* verifyChain(workspaceId)
        assert.deepStrictEqual(
          breaks.map(({ event_id }) => event_id),
          [victim?.id]
        )
      }))

    test("does not excuse that a content is gone which it kept", () =>
      Effect.gen(function* () {
        const workspaceId = yield* agedLog
        yield* keepFor(workspaceId, 30)
        yield* (yield* Retention).apply(workspaceId)
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
        const [kept] = yield* readLog(workspaceId)
        if (kept?.content == null) return assert.fail("it has no content")
        const { id, sequence, content, contentHash } = kept
        const gone = { id, sequence, content, contentHash: contentHash ?? "" }
        yield* (yield* ContentRemoval).remove(workspaceId, [gone], null)
        const { breaks } = yield* verifyChain(workspaceId)
        assert.deepStrictEqual(
          breaks.map(({ event_id }) => event_id),
          [id]
        )
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
            { key: " countries:actor", value: "[]", expiresAt: null },
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
            [" countries:actor", "rul_1 raised:actor"]
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
        // The record of the removal alone.
        for (const filter of [{}, { action: "*" }]) {
          const page = yield* list(workspaceId, filter)
          assert.deepStrictEqual([page.data.length, page.pagination.total], [1, 1], JSON.stringify(filter))
        }
        const [outcome] = yield* accept(workspaceId, [plainEvent(`${NEEDLE}-a`)])
        assert.isFalse(outcome?.duplicate)
      }))
  })

  describe(`${name}: erasure`, () => {
    test("takes one event out of everywhere, in one step with the record of it", (kit) =>
      Effect.gen(function* () {
        const erasure = yield* Erasure
        const exports = yield* Exports
        const workspaceId = yield* makeWorkspace
        const outcomes = yield* accept(workspaceId, [plainEvent("x"), telling("a"), plainEvent("y")])
        yield* sequenceAll
        if (kit.index !== undefined) yield* kit.index
        const id = outcomes[1]?.id ?? ""
        yield* raiseAlert(workspaceId, id)
        const expires_at = (yield* Micros.now) + Micros.DAY
        yield* finishExport(workspaceId, expires_at)
        assert.strictEqual((yield* list(workspaceId)).pagination.total, 3)

        assert.deepStrictEqual(yield* erasure.erase(workspaceId, { eventIds: [id] }, "Art. 17 GDPR"), [2])
        const rows = yield* readLog(workspaceId)
        assert.deepStrictEqual(
          rows.map(({ content }) => content !== null),
          [true, false, true, true]
        )
        assert.include(rows[3]?.content ?? "", '"metadata":{"reason":"Art. 17 GDPR","sequences":[2]}')
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true, events_checked: 4 })
        const page = yield* list(workspaceId)
        assert.deepStrictEqual([page.data.length, page.pagination.total], [3, 3])
        const reader = yield* EventReader
        assert.isTrue(Option.isNone(yield* reader.get(workspaceId, id, null)))
        assert.strictEqual((yield* list(workspaceId, { search: NEEDLE })).pagination.total, 0)
        const withdrawn = Option.getOrThrow(yield* exports.get(workspaceId, "exp_1"))
        assert.isBelow(withdrawn.expires_at, expires_at)
        if (name !== "memory") {
          const alerts = yield* (yield* Alerts).page(workspaceId, { filter: {}, before: null, limit: 10 })
          assert.deepStrictEqual(
            alerts.map(({ reason }) => reason),
            ["The content of the event was removed"]
          )
          assert.strictEqual(yield* (yield* Outbox).count(workspaceId, {}), 0)
        }
        const again = yield* Effect.flip(erasure.erase(workspaceId, { eventIds: [id] }, "again"))
        assert.deepStrictEqual(again, new NothingToErase({ workspaceId }))
      }))

    test("takes out every event of an actor, also those that still wait, and what rules remember of them", (kit) =>
      Effect.gen(function* () {
        const erasure = yield* Erasure
        const workspaceId = yield* makeWorkspace
        const { idempotency_key: _, ...twin } = telling("a")
        const [first] = yield* accept(workspaceId, [telling("a"), twin, plainEvent("x")])
        yield* sequenceAll
        if (kit.index !== undefined) yield* kit.index
        yield* raiseAlert(workspaceId, first?.id ?? "")
        yield* accept(workspaceId, [twin])
        const erased = yield* erasure.erase(workspaceId, { actorId: `${NEEDLE}-a` }, "asked for")
        assert.sameMembers([...erased], [1, 2, 4])
        assert.deepStrictEqual(yield* contents(workspaceId), [false, false, true, false, true])
        assert.deepInclude(yield* verifyChain(workspaceId), { valid: true })
        const consumers = yield* Consumers
        if (name !== "memory") {
          const key = { workspaceId, consumer: "alerts" }
          assert.deepStrictEqual(yield* consumers.rows(key, [`rul_1 ["${NEEDLE}-a"]`]), [])
        }
        yield* nowhere(kit)
      }))

    if (name !== "memory")
      test("lets no consumer commit what it made of a content before it went", (kit) =>
        Effect.gen(function* () {
          const erasure = yield* Erasure
          const consumers = yield* Consumers
          const workspaceId = yield* makeWorkspace
          const [outcome] = yield* accept(workspaceId, [telling("a")])
          yield* sequenceAll
          const position = yield* consumers.open({ workspaceId, consumer: ALERT_CONSUMER }, 0, NOON)
          const eventId = outcome?.id ?? ""
          yield* erasure.erase(workspaceId, { eventIds: [eventId] }, "asked for")
          const alert = makeAlert(eventId, 0, { event_id: eventId, reason: `${NEEDLE} did it` })
          const late = moveTo(1, {
            rows: [{ key: `rul_1 raised:${NEEDLE}-a`, value: "1", expiresAt: null }],
            raised: [{ alert, deliveries: [] }]
          })
          assert.isTrue(Option.isNone(yield* consumers.commit(position, late)))
          yield* nowhere(kit)
        }))

    if (name !== "memory")
      test("keeps no attempt at a message that was on its way, whose answer may repeat it", (kit) =>
        Effect.gen(function* () {
          const outbox = yield* Outbox
          const workspaceId = yield* makeWorkspace
          const [outcome] = yield* accept(workspaceId, [telling("a")])
          yield* sequenceAll
          const claimed = Option.getOrThrow(yield* startAlert(workspaceId, outcome?.id ?? ""))
          yield* (yield* Erasure).erase(workspaceId, { actorId: `${NEEDLE}-a` }, "asked for")
          assert.isFalse(yield* outbox.settle(claimed, answered))
          yield* nowhere(kit)
        }))

    if (name !== "memory")
      test("forgets an actor with his last event, his countries and what rules counted, and nobody else", () =>
        Effect.gen(function* () {
          const erasure = yield* Erasure
          const consumers = yield* Consumers
          const workspaceId = yield* makeWorkspace
          const by = (actor_id: string) => ({ ...plainEvent(), actor_id })
          const outcomes = yield* accept(workspaceId, [by("ada"), by("ada"), by("Ada"), by("a")])
          yield* sequenceAll
          const key = { workspaceId, consumer: ALERT_CONSUMER }
          const keysOf = (actor: string) => [
            ` countries:${actor}`,
            `rul_1 raised:${actor}`,
            `rul_1 actor:${actor}`,
            `rul_1 action:${actor.length}:${actor}:thing.done`
          ]
          const keys = ["ada", "Ada", "a"].flatMap(keysOf)
          yield* consumers.commit(
            yield* consumers.open(key, 0, NOON),
            moveTo(4, { rows: keys.map((row) => ({ key: row, value: '["NO"]', expiresAt: null })) })
          )
          const known = Effect.map(consumers.rows(key, keys), (rows) => rows.map((row) => row.key).sort())
          const erase = (at: number) =>
            erasure.erase(workspaceId, { eventIds: [outcomes[at]?.id ?? ""] }, "asked for")
          yield* erase(0)
          assert.deepStrictEqual(yield* known, keys.toSorted())
          yield* erase(1)
          assert.deepStrictEqual(yield* known, ["Ada", "a"].flatMap(keysOf).toSorted())
        }))

    test("that was cut off after it was recorded is brought to its end by doing it again", (kit) =>
      Effect.gen(function* () {
        const erasure = yield* Erasure
        const removal = yield* ContentRemoval
        const exports = yield* Exports
        const workspaceId = yield* makeWorkspace
        const [outcome] = yield* accept(workspaceId, [telling("a")])
        yield* sequenceAll
        if (kit.index !== undefined) yield* kit.index
        yield* raiseAlert(workspaceId, outcome?.id ?? "")
        const expires_at = (yield* Micros.now) + Micros.DAY
        yield* finishExport(workspaceId, expires_at)
        const rows = removable(yield* Sha256, workspaceId, yield* readLog(workspaceId))
        assert.isFalse(yield* removal.unfinished)
        yield* removal.remove(workspaceId, rows, null)
        assert.isTrue(yield* removal.unfinished)
        const again = erasure.erase(workspaceId, { actorId: `${NEEDLE}-a` }, "asked for")
        assert.instanceOf(yield* Effect.flip(again), NothingToErase)
        assert.isFalse(yield* removal.unfinished)
        const withdrawn = Option.getOrThrow(yield* exports.get(workspaceId, "exp_1"))
        assert.isBelow(withdrawn.expires_at, expires_at)
        yield* nowhere(kit)
      }))

    test("of nothing leaves exports as they are", () =>
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        const expires_at = (yield* Micros.now) + Micros.DAY
        yield* finishExport(workspaceId, expires_at)
        const erase = (yield* Erasure).erase(workspaceId, { actorId: "mistyped" }, "asked for")
        assert.instanceOf(yield* Effect.flip(erase), NothingToErase)
        const kept = Option.getOrThrow(yield* (yield* Exports).get(workspaceId, "exp_1"))
        assert.strictEqual(kept.expires_at, expires_at)
      }))

    test("erases nothing in another workspace, and none of the chain's own records", () =>
      Effect.gen(function* () {
        const erasure = yield* Erasure
        const log = yield* EventLog
        const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
        const [outcome] = yield* accept(one, [plainEvent("x"), plainEvent("y")])
        yield* sequenceAll
        const eventIds = [outcome?.id ?? ""]
        assert.instanceOf(yield* Effect.flip(erasure.erase(other, { eventIds }, "")), NothingToErase)
        yield* erasure.erase(one, { eventIds }, "")
        const record = (yield* log.head(one)).eventId ?? ""
        assert.instanceOf(yield* Effect.flip(erasure.erase(one, { eventIds: [record] }, "")), NothingToErase)
        assert.deepStrictEqual(yield* contents(one), [false, true, true])
      }))
  })
}
