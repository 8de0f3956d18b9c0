import { Micros } from "@cairn/core/encoding"
import { systemContent, nowhere as unknownPlace } from "@cairn/core/event"
import { nativeSha256, portableSha256, Sha256, uuid } from "@cairn/core/hashing"
import {
  extendChain,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type LogEntry,
  RETENTION_APPLIED,
  removalOf
} from "@cairn/core/log"
import { ContentRemoval, Erasure, MAX_KEPT, Retention, removable } from "@cairn/core/retention"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Effect, Option } from "effect"
import { NEEDLE, telling } from "../generators/RemovableEvent.ts"
import { seededRandomness } from "../generators/SeededRandom.ts"
import { contentOf } from "../generators/StoredContent.ts"
import { MemoryTables } from "../memory/MemoryTables.ts"
import { contents, type RemovalStorage, removalTest } from "./RemovalSteps.ts"
import {
  accept,
  acceptOwn,
  makeWorkspace,
  NOON,
  plainEvent,
  readLog,
  sequenceAll,
  verifyChain
} from "./StorageSteps.ts"

/** What older versions recorded of retention: they did not name what was kept. */
const olderRecord = (workspaceId: string, below: number) => (head: Head, now: Micros.Micros) => {
  const content = systemContent(RETENTION_APPLIED, { below_sequence: below }, now)
  const random = seededRandomness(below)
  const event = { id: uuid(random), idempotencyKey: null, clientAddress: null, content }
  const row = { inboxId: 0, acceptedAt: now, events: [event] }
  const sha256 = nativeSha256 ?? portableSha256
  return extendChain({ workspaceId, sha256, random, lookup: () => unknownPlace, now }, head, [row])
}

/** The log's records of retention, the oldest first. */
const recorded = (workspaceId: string) =>
  Effect.map(readLog(workspaceId), (rows) =>
    rows.flatMap((event) => {
      const content = contentOf(event)
      return content?.action === RETENTION_APPLIED ? [removalOf(content)] : []
    })
  )

const keepFor = (workspaceId: string, days: number) =>
  Effect.flatMap(ManagedWorkspaces, ({ update }) =>
    update(workspaceId, { overrides: { retention_days: days } }, NOON)
  )

const interval = (fromSequence: number, belowSequence: number, ...kept: ReadonlyArray<number>) =>
  ({ type: "retention", fromSequence, belowSequence, kept }) as const

/** Events of two ages, each after a record that is kept, and a new one. */
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

/** Registers the tests of the records of retention; part of `removalContract`. */
export const retentionRecordsContract = (name: string, storage: () => RemovalStorage): void => {
  const test = removalTest(storage)

  describe(`${name}: retention`, () => {
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
      test("leaves what is not what was hashed, and says so", () =>
        Effect.gen(function* () {
          const workspaceId = yield* agedLog
          const { log } = Option.getOrThrow(yield* Effect.serviceOption(MemoryTables))
          const table = log(workspaceId)
          const change = (sequence: number, to: (event: LogEntry) => Partial<LogEntry>) => {
            table.events = table.events.map((event) =>
              event.sequence === sequence ? { ...event, ...to(event) } : event
            )
          }
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
  })
}
