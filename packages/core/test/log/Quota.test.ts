import { Micros } from "@cairn/core/encoding"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, QuotaReached } from "@cairn/core/log"
import { UsageReader } from "@cairn/core/management"
import { limitsOf, ManagedWorkspaces, type PlanName } from "@cairn/core/workspace"
import { layerManualClock, type ManualClock, MemoryStorage, manualClock, testWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"

const WORKSPACE = "wsp_1"
/** A minute before the month ends. */
const LATE = Micros.parse("2024-05-31T23:59:00Z") ?? 0

const run = <A, E>(
  body: (hands: ManualClock) => Effect.Effect<A, E, Acceptance | UsageReader | ManagedWorkspaces>
) => {
  const hands = manualClock(LATE)
  const useCases = Layer.mergeAll(Acceptance.layer, UsageReader.layer).pipe(
    Layer.provide(ClockGuard.layer),
    Layer.provideMerge(
      Layer.mergeAll(MemoryStorage.layer(), Sha256.layer, Randomness.layer, layerManualClock(hands))
    )
  )
  return Effect.gen(function* () {
    const { create } = yield* ManagedWorkspaces
    yield* create(testWorkspace({ id: WORKSPACE, overrides: { events_per_month: 5 }, created_at: LATE }))
    return yield* body(hands)
  }).pipe(Effect.provide(useCases))
}

/** What the workspace's plan allows now, as a request's context has it. */
const context = Effect.gen(function* () {
  const { plan, overrides } = Option.getOrThrow(yield* (yield* ManagedWorkspaces).get(WORKSPACE))
  return {
    workspaceId: WORKSPACE,
    clientAddress: null,
    keysExpireBefore: null,
    eventsPerMonth: limitsOf(plan, overrides).events_per_month
  }
})

const event = (key?: string) => ({
  actor_id: "ada",
  action: "thing.done",
  ...(key === undefined ? {} : { idempotency_key: key })
})

const one = (body: object = event()) =>
  Effect.flatMap(context, (known) => Effect.flatMap(Acceptance, (acceptance) => acceptance.one(known, body)))
const batch = (events: ReadonlyArray<object>) =>
  Effect.flatMap(context, (known) =>
    Effect.flatMap(Acceptance, (acceptance) =>
      Effect.map(acceptance.batch(known, { events }), ({ outcomes }) => outcomes)
    )
  )
const used = Effect.map(
  Effect.flatMap(UsageReader, ({ read }) => read(WORKSPACE)),
  (usage) => Option.getOrThrow(usage).events
)
const words = (outcomes: ReadonlyArray<object>) =>
  outcomes.map((outcome) => {
    if (outcome instanceof QuotaReached) return "over"
    if ("duplicate" in outcome) return outcome.duplicate ? "duplicate" : "queued"
    return "invalid"
  })

describe("the month's quota of events", () => {
  it.effect("is used up event by event, and then nothing more is taken", () =>
    run(
      Effect.fnUntraced(function* () {
        for (let count = 0; count < 5; count++) yield* one()
        assert.deepStrictEqual(yield* Effect.flip(one()), new QuotaReached({ quota: 5, month: "2024-05" }))
        assert.deepStrictEqual(yield* used, { used: 5, limit: 5 })
      })
    )
  )

  it.effect("is crossed inside a batch: what it has room for is taken, in order", () =>
    run(
      Effect.fnUntraced(function* () {
        yield* one()
        yield* one()
        const outcomes = yield* batch([
          event("a"),
          {},
          event("b"),
          event("a"),
          event("c"),
          event("d"),
          event("e")
        ])
        assert.deepStrictEqual(words(outcomes), [
          "queued",
          "invalid",
          "queued",
          "duplicate",
          "queued",
          "over",
          "over"
        ])
        assert.deepStrictEqual(yield* used, { used: 5, limit: 5 })
      })
    )
  )

  it.effect("refuses a batch whole that it has room for nothing of", () =>
    run(
      Effect.fnUntraced(function* () {
        yield* batch(Array.from({ length: 5 }, () => event()))
        assert.instanceOf(yield* Effect.flip(batch([event(), event()])), QuotaReached)
        assert.instanceOf(yield* Effect.flip(batch([{}, event()])), QuotaReached)
      })
    )
  )

  it.effect("does not count duplicates, which are answered beyond it too", () =>
    run(
      Effect.fnUntraced(function* () {
        const first = yield* one(event("key"))
        yield* one(event("key"))
        assert.strictEqual((yield* used).used, 1)
        yield* batch(Array.from({ length: 4 }, () => event()))
        assert.deepStrictEqual(yield* one(event("key")), { id: first.id, duplicate: true })
        assert.deepStrictEqual(words(yield* batch([event("new"), event("key")])), ["over", "duplicate"])
        assert.instanceOf(yield* Effect.flip(one(event("new"))), QuotaReached)
      })
    )
  )

  it.effect("leaves the key of a refused event free for next month", () =>
    run(
      Effect.fnUntraced(function* (hands) {
        yield* batch(Array.from({ length: 5 }, () => event()))
        assert.instanceOf(yield* Effect.flip(one(event("key"))), QuotaReached)
        hands.advance(Micros.MINUTE)
        assert.isFalse((yield* one(event("key"))).duplicate)
      })
    )
  )

  it.effect("neither stops nor is used by what is not counted", () =>
    run(
      Effect.fnUntraced(function* () {
        const acceptance = yield* Acceptance
        const uncounted = { ...(yield* context), isCounted: false }
        const own = { actor_id: "ada", action: "cairn.access.events" }
        yield* acceptance.own(uncounted, own)
        assert.lengthOf(yield* acceptance.ownBatch(uncounted, Array(9).fill(own)), 9)
        assert.deepStrictEqual(yield* used, { used: 0, limit: 5 })
        yield* batch(Array.from({ length: 5 }, () => event()))
        yield* acceptance.own(uncounted, own)
        assert.lengthOf(yield* acceptance.ownBatch(uncounted, [own]), 1)
        assert.deepStrictEqual(yield* used, { used: 5, limit: 5 })
        // What is counted is not stopped either where the service writes it.
        yield* acceptance.ownBatch(yield* context, [own])
        assert.deepStrictEqual(yield* used, { used: 6, limit: 5 })
      })
    )
  )

  it.effect("begins anew with the month, to the microsecond", () =>
    run(
      Effect.fnUntraced(function* (hands) {
        yield* batch(Array.from({ length: 5 }, () => event()))
        hands.advance(Micros.MINUTE - 1)
        assert.instanceOf(yield* Effect.flip(one()), QuotaReached)
        hands.advance(1)
        yield* one()
        const usage = Option.getOrThrow(yield* (yield* UsageReader).read(WORKSPACE))
        assert.deepStrictEqual(usage, {
          period_start: "2024-06-01T00:00:00.000000Z",
          period_end: "2024-07-01T00:00:00.000000Z",
          events: { used: 1, limit: 5 },
          exports: { used: 0, limit: null }
        })
      })
    )
  )

  it.effect("follows the plan from the moment it is changed, over what the month has had", () =>
    run(
      Effect.fnUntraced(function* () {
        const { update } = yield* ManagedWorkspaces
        const change = (plan: PlanName, events_per_month?: number | null) =>
          update(
            WORKSPACE,
            { plan, overrides: events_per_month === undefined ? {} : { events_per_month } },
            LATE
          )
        yield* batch(Array.from({ length: 5 }, () => event()))
        yield* change("enterprise")
        yield* batch(Array.from({ length: 10 }, () => event()))
        assert.deepStrictEqual(yield* used, { used: 15, limit: null })
        yield* change("enterprise", 16)
        assert.deepStrictEqual(words(yield* batch([event(), event()])), ["queued", "over"])
        yield* change("enterprise", 3)
        assert.instanceOf(yield* Effect.flip(one()), QuotaReached)
        assert.deepStrictEqual(yield* used, { used: 16, limit: 3 })
        yield* change("free")
        yield* one()
        assert.deepStrictEqual(yield* used, { used: 17, limit: 10_000 })
      })
    )
  )

  it.effect("of none at all, as an earlier version could store it, is one", () =>
    run(
      Effect.fnUntraced(function* () {
        const { update } = yield* ManagedWorkspaces
        yield* update(WORKSPACE, { overrides: { events_per_month: 0 } }, LATE)
        yield* one()
        assert.instanceOf(yield* Effect.flip(one()), QuotaReached)
        assert.deepStrictEqual(yield* used, { used: 1, limit: 1 })
      })
    )
  )
})
