import {
  contentParts,
  decodeEvent,
  type EventFilter,
  type EventInput,
  GeoIp,
  nowhere
} from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import { EventCounts, EventLog, extendHistory, Inbox, type SequenceRange, Sequencer } from "@cairn/core/log"
import { layerManualClock, layerSeededRandomness, MemoryStorage, manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"

const NOON = 1_714_564_800_000_000

/** Every range that was counted. */
class Counted extends Context.Service<
  Counted,
  Array<{ readonly filter: EventFilter; readonly range: SequenceRange }>
>()("Counted") {}

/** The log in memory, which notes what it is asked to count. */
const spying = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const log = yield* EventLog
    const counted = yield* Counted
    return EventLog.of({
      ...log,
      count: (workspaceId, filter, range) =>
        Effect.suspend(() => {
          counted.push({ filter, range })
          // A real store answers a little later.
          return Effect.andThen(Effect.yieldNow, log.count(workspaceId, filter, range))
        })
    })
  })
)

const counting = () =>
  Layer.mergeAll(EventCounts.layer, Sequencer.layer).pipe(
    Layer.provide(GeoIp.layerNowhere),
    Layer.provideMerge(spying),
    Layer.provideMerge(
      Layer.mergeAll(
        MemoryStorage.layer(),
        Layer.sync(Counted, () => []),
        Sha256.layer,
        layerSeededRandomness(1),
        layerManualClock(manualClock(NOON))
      )
    )
  )

const pending = (id: string, body: EventInput) => ({
  id,
  idempotencyKey: null,
  clientAddress: null,
  content: contentParts(Result.getOrThrow(decodeEvent(body)), NOON)
})

/** Appends one event for each action. */
const append = Effect.fnUntraced(function* (workspaceId: string, ...actions: ReadonlyArray<string>) {
  const inbox = yield* Inbox
  const random = yield* Randomness
  const sequencer = yield* Sequencer
  const events = actions.map((action) => pending(uuid(random), { actor_id: "a", action }))
  yield* inbox.accept({ workspaceId, acceptedAt: NOON, keysExpireBefore: null, events })
  yield* sequencer.drain
})

const total = (workspaceId: string, filter: EventFilter = {}, visibleFrom: number | null = null) =>
  Effect.flatMap(EventCounts, (counts) => counts.total(workspaceId, filter, visibleFrom))

/** The ranges counted since the last look. */
const rangesSince = Effect.map(Counted, (counted) => counted.splice(0).map(({ range }) => range))

const everything = Number.MIN_SAFE_INTEGER

describe("EventCounts", () => {
  it.effect("counts the whole log once, and then only what is new", () =>
    Effect.gen(function* () {
      yield* append("wsp_1", "a", "b", "a")
      assert.strictEqual(yield* total("wsp_1", { action: "a" }), 2)
      assert.deepStrictEqual(yield* rangesSince, [{ from: everything, to: 3 }])
      yield* append("wsp_1", "a", "b")
      assert.strictEqual(yield* total("wsp_1", { action: "a" }), 3)
      assert.deepStrictEqual(yield* rangesSince, [{ from: 4, to: 5 }])
      yield* append("wsp_1", "b")
      assert.strictEqual(yield* total("wsp_1", { action: "a" }), 3)
      assert.deepStrictEqual(yield* rangesSince, [{ from: 6, to: 6 }])
    }).pipe(Effect.provide(counting()))
  )

  it.effect("counts nothing at all while the log stands still", () =>
    Effect.gen(function* () {
      yield* append("wsp_1", "a", "b")
      yield* total("wsp_1")
      yield* rangesSince
      assert.strictEqual(yield* total("wsp_1"), 2)
      assert.strictEqual(yield* total("wsp_1"), 2)
      assert.deepStrictEqual(yield* rangesSince, [])
    }).pipe(Effect.provide(counting()))
  )

  it.effect("knows a filter again however its conditions are ordered, and tells different ones apart", () =>
    Effect.gen(function* () {
      yield* append("wsp_1", "a", "b")
      assert.strictEqual(yield* total("wsp_1", { action: "a", actorId: "a" }), 1)
      yield* rangesSince
      assert.strictEqual(yield* total("wsp_1", { actorId: "a", action: "a" }), 1)
      assert.deepStrictEqual(yield* rangesSince, [])
      assert.strictEqual(yield* total("wsp_1", { actorId: "a", action: "b" }), 1)
      assert.strictEqual(yield* total("wsp_1", { actorId: "b", action: "a" }), 0)
      assert.strictEqual(yield* total("wsp_1", { actorId: "a" }), 2)
      assert.strictEqual(yield* total("wsp_1", { search: "a" }), 1)
      assert.lengthOf(yield* rangesSince, 4)
    }).pipe(Effect.provide(counting()))
  )

  it.effect("keeps workspaces apart", () =>
    Effect.gen(function* () {
      yield* append("wsp_1", "a", "a")
      yield* append("wsp_2", "a")
      assert.deepStrictEqual([yield* total("wsp_1"), yield* total("wsp_2"), yield* total("wsp_3")], [2, 1, 0])
      yield* append("wsp_2", "a")
      assert.deepStrictEqual([yield* total("wsp_1"), yield* total("wsp_2"), yield* total("wsp_3")], [2, 2, 0])
    }).pipe(Effect.provide(counting()))
  )

  it.effect("counts legacy events with the rest, also when they are imported after the first question", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const sha256 = yield* Sha256
      const random = yield* Randomness
      assert.strictEqual(yield* total("wsp_1"), 0)
      const rows = ["a", "b"].map((action, index) => ({
        inboxId: index,
        acceptedAt: NOON + index,
        events: [pending(uuid(random), { actor_id: "a", action })]
      }))
      const context = { workspaceId: "wsp_1", sha256, random, lookup: () => nowhere, now: NOON }
      yield* log.importLegacy("wsp_1", (head) => extendHistory(context, head, rows))
      assert.strictEqual(yield* total("wsp_1"), 2)
      yield* append("wsp_1", "a")
      assert.strictEqual(yield* total("wsp_1", { action: "a" }), 2)
    }).pipe(Effect.provide(counting()))
  )

  it.effect("counts what leaves the retention window once, and not what stays in it again", () =>
    Effect.gen(function* () {
      // Times are 1 µs apart from noon on, in the order of the sequences.
      yield* append("wsp_1", "a", "b", "a", "a", "b")
      const action = { action: "a" }
      assert.strictEqual(yield* total("wsp_1", action, NOON), 3)
      assert.deepStrictEqual(yield* rangesSince, [{ from: 1, to: 5 }])
      assert.strictEqual(yield* total("wsp_1", action, NOON + 1), 2)
      assert.deepStrictEqual(yield* rangesSince, [{ from: 1, to: 1 }])
      yield* append("wsp_1", "a", "a")
      assert.strictEqual(yield* total("wsp_1", action, NOON + 3), 3)
      assert.deepStrictEqual(yield* rangesSince, [
        { from: 6, to: 7 },
        { from: 2, to: 3 }
      ])
      assert.strictEqual(yield* total("wsp_1", action, NOON + 3), 3)
      assert.deepStrictEqual(yield* rangesSince, [])
      // The window of a plan that was changed reaches further back.
      assert.strictEqual(yield* total("wsp_1", action, NOON), 5)
      assert.deepStrictEqual(yield* rangesSince, [{ from: 1, to: 7 }])
      assert.strictEqual(yield* total("wsp_1", action, NOON + 3_600_000_000), 0)
      assert.strictEqual(yield* total("wsp_1", action, null), 5)
    }).pipe(Effect.provide(counting()))
  )

  it.effect("does not remember a count that was under way when it was told to forget", () =>
    Effect.gen(function* () {
      const counts = yield* EventCounts
      yield* append("wsp_1", "a")
      yield* Effect.all([total("wsp_1"), Effect.sync(() => counts.forget("wsp_1"))], {
        concurrency: "unbounded"
      })
      yield* rangesSince
      yield* total("wsp_1")
      assert.lengthOf(yield* rangesSince, 1)
    }).pipe(Effect.provide(counting()))
  )

  it.effect("forgets one workspace when it is told to, and counts it anew", () =>
    Effect.gen(function* () {
      const counts = yield* EventCounts
      yield* append("wsp_1", "a")
      yield* append("wsp_10", "a")
      yield* total("wsp_1")
      yield* total("wsp_1", { action: "a" })
      yield* total("wsp_10")
      yield* rangesSince
      counts.forget("wsp_1")
      assert.deepStrictEqual(
        [yield* total("wsp_1"), yield* total("wsp_1", { action: "a" }), yield* total("wsp_10")],
        [1, 1, 1]
      )
      assert.deepStrictEqual(yield* rangesSince, [
        { from: everything, to: 1 },
        { from: everything, to: 1 }
      ])
    }).pipe(Effect.provide(counting()))
  )

  it.effect("is right when many ask at once while the log grows", () =>
    Effect.gen(function* () {
      for (let round = 1; round <= 20; round++) {
        const asked = Array.from({ length: 5 }, () => total("wsp_1", { action: "a" }))
        const [, ...answers] = yield* Effect.all([append("wsp_1", "a", "b"), ...asked], {
          concurrency: "unbounded"
        })
        for (const answer of answers) assert.include([round - 1, round], answer)
        assert.strictEqual(yield* total("wsp_1", { action: "a" }), round)
      }
    }).pipe(Effect.provide(counting()))
  )

  it.effect("remembers the ten thousand counts that were used last", () =>
    Effect.gen(function* () {
      yield* append("wsp_1", "a")
      const first: EventFilter = { actorId: "first" }
      const second: EventFilter = { actorId: "second" }
      yield* total("wsp_1", first)
      yield* total("wsp_1", second)
      for (let index = 0; index < 9_998; index++) yield* total("wsp_1", { actorId: String(index) })
      yield* total("wsp_1", first)
      yield* rangesSince
      yield* total("wsp_1", { actorId: "one more" })
      yield* total("wsp_1", first)
      assert.lengthOf(yield* rangesSince, 1, "what was asked a moment ago is still known")
      yield* total("wsp_1", second)
      assert.lengthOf(yield* rangesSince, 1, "what was asked longest ago is not")
    }).pipe(Effect.provide(counting()))
  )
})
