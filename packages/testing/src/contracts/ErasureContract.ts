/** What erasure removes, and what it leaves. */
import { ALERT_CONSUMER, Alerts } from "@cairn/core/alert"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Exports } from "@cairn/core/export"
import { Sha256 } from "@cairn/core/hashing"
import { EventLog, EventReader } from "@cairn/core/log"
import { Outbox } from "@cairn/core/outbound"
import { ContentRemoval, Erasure, NothingToErase, removable } from "@cairn/core/retention"
import { assert, describe } from "@effect/vitest"
import { Effect, Option } from "effect"
import { NEEDLE, telling } from "../generators/RemovableEvent.ts"
import { makeAlert, moveTo } from "./ConsumptionContract.ts"
import {
  answered,
  contents,
  finishExport,
  list,
  nowhere,
  type RemovalStorage,
  raiseAlert,
  removalTest,
  startAlert
} from "./RemovalSteps.ts"
import { accept, makeWorkspace, NOON, plainEvent, readLog, sequenceAll, verifyChain } from "./StorageSteps.ts"

/** Registers the tests of erasure; part of `removalContract`. */
export const erasureContract = (name: string, storage: () => RemovalStorage): void => {
  const test = removalTest(storage)

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
        const target = { actorId: `${NEEDLE}-a` }
        const expected = { sequences: [1, 2], archived: 0, waiting: 1 }
        assert.deepStrictEqual(yield* erasure.preview(workspaceId, target), expected)
        assert.deepStrictEqual(yield* erasure.preview(workspaceId, target), expected)
        const erased = yield* erasure.erase(workspaceId, target, "asked for")
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
            ` reading-countries:${actor}`,
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
