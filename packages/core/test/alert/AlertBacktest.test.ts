import { AlertBacktest, AlertConsumer, AlertRules, Alerts } from "@cairn/core/alert"
import { RecentEvents } from "@cairn/core/consumer"
import { contentParts, decodeEvent, type EventInput, GeoIp } from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import { ClockGuard, Inbox, Sequencer } from "@cairn/core/log"
import { layerAlertNotices, Outbox } from "@cairn/core/outbound"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { MemoryStorage, testWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { MAX_BACKTEST_ALERTS } from "../../src/alert/AlertBacktest.ts"
import { NOON, rule } from "./rules/Cases.ts"

const layer = Layer.mergeAll(Sequencer.layer, AlertBacktest.layer, AlertConsumer.layer()).pipe(
  Layer.provide([
    layerAlertNotices({ mail: false }),
    ClockGuard.layer,
    GeoIp.layerNowhere,
    RecentEvents.layer
  ]),
  Layer.provideMerge(
    Layer.mergeAll(
      Layer.suspend(() => MemoryStorage.layer()),
      Sha256.layer,
      Randomness.layer
    )
  )
)

const record = Effect.fnUntraced(function* (bodies: ReadonlyArray<EventInput>) {
  const inbox = yield* Inbox
  const random = yield* Randomness
  for (const [index, body] of bodies.entries()) {
    const acceptedAt = NOON + index * 1_000
    const content = contentParts(Result.getOrThrow(decodeEvent(body)), acceptedAt)
    const events = [{ id: uuid(random), idempotencyKey: null, clientAddress: null, content }]
    yield* inbox.accept({ workspaceId: "wsp_1", acceptedAt, keysExpireBefore: null, events })
  }
  yield* Effect.flatMap(Sequencer, ({ drain }) => drain)
})

const repeats = (count: number, actors: number): ReadonlyArray<EventInput> =>
  Array.from({ length: count }, (_, index) => ({ actor_id: `actor ${index % actors}`, action: "thing.done" }))

const twice = rule({
  rule_type: "repeated_action",
  cooldown_seconds: 0,
  parameters: { threshold: 2, window_seconds: 3600 }
})

const run = (tried = twice) => Effect.flatMap(AlertBacktest, (backtest) => backtest.run("wsp_1", tried))

describe("AlertBacktest", () => {
  it.live(
    "says of a log of many batches what the rule raises once it is there, and raises nothing itself",
    () =>
      Effect.gen(function* () {
        yield* Effect.flatMap(ManagedWorkspaces, ({ create }) =>
          create(testWorkspace({ id: "wsp_1", plan: "pro" }))
        )
        yield* record(repeats(1_100, 700))
        const tried = yield* run({ ...twice, enabled: false })
        assert.deepInclude(tried, { events: 1_100, complete: true })
        assert.lengthOf(tried.alerts, 400)
        assert.strictEqual(yield* Effect.flatMap(Alerts, ({ count }) => count("wsp_1", {})), 0)
        assert.strictEqual(yield* Effect.flatMap(Outbox, ({ count }) => count("wsp_1", {})), 0)

        const { id, ...definition } = twice
        yield* Effect.flatMap(AlertRules, ({ create }) =>
          create({ id, workspace_id: "wsp_1", definition, created_at: 0, updated_at: 0 })
        )
        yield* Effect.flatMap(AlertConsumer, ({ drain }) => drain)
        const raised = yield* Effect.flatMap(Alerts, ({ page }) =>
          page("wsp_1", { filter: {}, before: null, limit: 1_000 })
        )
        const what = (alerts: typeof tried.alerts) =>
          alerts.map(({ id, event_id, reason }) => ({ id, event_id, reason }))
        assert.deepStrictEqual(what(tried.alerts), what(raised.toReversed()))
      }).pipe(Effect.provide(layer))
  )

  it.live("returns as many alerts as it may, and says that there are more", () =>
    Effect.gen(function* () {
      yield* record(repeats(MAX_BACKTEST_ALERTS + 500, 1))
      const { alerts, complete } = yield* run()
      assert.lengthOf(alerts, MAX_BACKTEST_ALERTS)
      assert.isFalse(complete)
    }).pipe(Effect.provide(layer))
  )

  it.live("has nothing to say of an empty log", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(), { alerts: [], events: 0, complete: true })
    }).pipe(Effect.provide(layer))
  )
})
