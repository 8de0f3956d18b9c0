/**
 * The behaviour of the consumer that raises alerts, over every adapter's storage, including crashes and
 * concurrent processes.
 */

import { AlertReader } from "@cairn/core/alert"
import {
  BEFORE_FIRST_EVENT,
  Consumers,
  consumerLags,
  type ListedAlert,
  MAX_CONSUMER_BATCH
} from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Cursor, type Page } from "@cairn/core/log"
import { type Delivery, decodeMailNotice } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option, References, type Scope } from "effect"
import {
  addMember,
  addRule,
  addWebhook,
  alertConsumer,
  allAlerts,
  allDeliveries,
  busyWorkspace,
  consumerOf,
  environment,
  ids,
  persist,
  record,
  repeats,
  type Services,
  strictlyNewestFirst,
  twice,
  uneventful,
  unluckyConsumer,
  type WholeStorageLayer
} from "./AlertSteps.ts"
import { importHistory, makeWorkspace, NOON } from "./StorageSteps.ts"

/** Registers the behaviour of the alert consumer over the storage called `name`. */
export const alertConsumerContract = (name: string, storage: WholeStorageLayer): void => {
  const test = <A, E>(says: string, effect: Effect.Effect<A, E, Services | Scope.Scope>): void =>
    it.live(says, () => Effect.suspend(() => Effect.provide(Effect.scoped(effect), environment(storage()))))

  describe(`${name}: AlertConsumer`, () => {
    test(
      "an alert is stored with a message to each webhook that listens and each owner and admin",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        yield* addRule(workspaceId, "1", twice)
        yield* addWebhook("listens", workspaceId)
        yield* addWebhook("other", workspaceId, { types: ["anchor.confirmed"] })
        yield* addWebhook("off", workspaceId, { enabled: false })
        yield* addMember(workspaceId, "owner@example.com", "owner")
        yield* addMember(workspaceId, "admin@example.com", "admin")
        yield* addMember(workspaceId, "member@example.com", "member")
        yield* record(workspaceId, repeats(2, 1))
        const consumer = yield* alertConsumer
        const before = yield* Micros.now
        assert.deepStrictEqual(yield* consumer.advance(workspaceId), { count: 2, more: false })
        const after = yield* Micros.now
        const [found, ...others] = yield* allAlerts(workspaceId)
        if (found === undefined) return assert.fail("no alert was raised")
        const { acknowledged_at: _, acknowledged_by: __, ...alert } = found
        assert.deepStrictEqual(others, [])
        assert.deepInclude(alert, { rule_id: "rul_1", rule_name: "Rule 1", rule_type: "repeated_action" })
        const triggeredAt = Micros.parse(alert.triggered_at) ?? 0
        assert.isTrue(before <= triggeredAt && triggeredAt <= after, alert.triggered_at)
        assert.match(alert.id, /^alt_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        const deliveries = yield* allDeliveries(workspaceId)
        const told = (delivery: Delivery) => [delivery.channel, delivery.target, delivery.type]
        assert.sameDeepMembers(deliveries.map(told), [
          ["webhook", "whk_listens", "alert.triggered"],
          ["mail", "owner@example.com", "mail.alert"],
          ["mail", "admin@example.com", "mail.alert"]
        ])
        for (const { channel, payload } of deliveries) {
          if (channel === "webhook") {
            assert.deepStrictEqual(JSON.parse(payload), {
              type: "alert.triggered",
              timestamp: alert.triggered_at,
              data: alert
            })
          } else {
            assert.deepStrictEqual(yield* decodeMailNotice(payload), {
              kind: "alert",
              workspace: "Test",
              alert
            })
          }
        }
      })
    )

    test(
      "a log of many batches is evaluated to its end, and then there is nothing to do",
      Effect.gen(function* () {
        const workspaceId = yield* busyWorkspace
        yield* record(workspaceId, repeats(1_100, 700), NOON, 1_000)
        const consumer = yield* alertConsumer
        assert.strictEqual(yield* consumer.drain, 1_100)
        assert.deepStrictEqual(yield* consumer.round, { count: 0, more: false })
        const alerts = yield* allAlerts(workspaceId)
        // Actors 0 to 399 did it twice, the second time in a different batch.
        assert.lengthOf(alerts, 2 * 400)
        strictlyNewestFirst(alerts)
        assert.lengthOf(yield* allDeliveries(workspaceId), 2 * 2 * 400)
      })
    )

    test(
      "batches that are committed together raise what they would have one by one",
      Effect.gen(function* () {
        const workspaceId = yield* busyWorkspace
        // Actors 0 to 39 did it twice, the second time in a different batch.
        yield* record(workspaceId, repeats(MAX_CONSUMER_BATCH + 100, MAX_CONSUMER_BATCH + 60), NOON, 1_000)
        const consumer = yield* consumerOf({})
        assert.deepStrictEqual(yield* consumer.advance(workspaceId), {
          count: MAX_CONSUMER_BATCH + 100,
          more: false
        })
        const alerts = yield* allAlerts(workspaceId)
        assert.lengthOf(alerts, 2 * 40)
        strictlyNewestFirst(alerts)
        yield* Effect.flatMap(Consumers, ({ replay }) =>
          replay({ workspaceId, consumer: "alerts" }, BEFORE_FIRST_EVENT, NOON)
        )
        assert.deepStrictEqual((yield* uneventful(workspaceId)).alerts, ids(alerts))
      })
    )

    for (const when of ["before", "after"] as const) {
      test(
        `a crash ${when} each commit raises none twice and misses none`,
        Effect.gen(function* () {
          const workspaceId = yield* busyWorkspace
          yield* record(workspaceId, repeats(1_200, 300), NOON, 1_000)
          const failures = yield* persist(yield* unluckyConsumer(when), workspaceId)
          assert.isAbove(failures, 1)
          const got = {
            alerts: ids(yield* allAlerts(workspaceId)),
            deliveries: ids(yield* allDeliveries(workspaceId))
          }
          strictlyNewestFirst(yield* allAlerts(workspaceId))
          // The expected result: the same log with the same ids, evaluated from the start.
          yield* Effect.flatMap(Consumers, ({ replay }) =>
            replay({ workspaceId, consumer: "alerts" }, BEFORE_FIRST_EVENT, NOON)
          )
          assert.deepStrictEqual(yield* uneventful(workspaceId), got)
          assert.lengthOf(got.alerts, 900 + 300)
          assert.lengthOf(got.deliveries, 2 * (900 + 300))
        })
      )
    }

    test(
      "many that evaluate at once raise what one would have",
      Effect.gen(function* () {
        const workspaceId = yield* busyWorkspace
        yield* record(workspaceId, repeats(1_200, 300), NOON, 1_000)
        const rivals = yield* Effect.all([alertConsumer, alertConsumer, alertConsumer, alertConsumer])
        yield* Effect.all(
          rivals.map((rival) => persist(rival, workspaceId)),
          { concurrency: "unbounded" }
        )
        const alerts = yield* allAlerts(workspaceId)
        strictlyNewestFirst(alerts)
        assert.lengthOf(alerts, 900 + 300)
        assert.lengthOf(yield* allDeliveries(workspaceId), 2 * (900 + 300))
      })
    )

    test(
      "a replay raises the same alerts, changes none and tells nobody again; a rule made since raises its own, later",
      Effect.gen(function* () {
        const workspaceId = yield* busyWorkspace
        yield* record(workspaceId, repeats(40, 10))
        const consumer = yield* alertConsumer
        yield* consumer.drain
        const [alerts, deliveries] = [yield* allAlerts(workspaceId), yield* allDeliveries(workspaceId)]
        assert.lengthOf(alerts, 30 + 10)
        const replay = Effect.flatMap(Consumers, (consumers) =>
          consumers.replay({ workspaceId, consumer: "alerts" }, BEFORE_FIRST_EVENT, NOON)
        )
        yield* replay
        yield* addWebhook("late", workspaceId)
        assert.strictEqual(yield* consumer.drain, 40)
        assert.deepStrictEqual(yield* allAlerts(workspaceId), alerts)
        assert.deepStrictEqual(yield* allDeliveries(workspaceId), deliveries)
        yield* replay
        yield* addRule(workspaceId, "new", { ...twice, parameters: { threshold: 4, window_seconds: 3600 } })
        yield* consumer.drain
        const after = yield* allAlerts(workspaceId)
        assert.lengthOf(after, 40 + 10)
        assert.deepStrictEqual(after.slice(10), alerts)
        strictlyNewestFirst(after)
      })
    )

    test(
      "a clock that was set back puts no alert before another",
      Effect.gen(function* () {
        const workspaceId = yield* busyWorkspace
        yield* record(workspaceId, repeats(4, 2))
        const consumer = yield* alertConsumer
        yield* consumer.drain
        const before = yield* allAlerts(workspaceId)
        yield* record(workspaceId, repeats(4, 2), NOON + Micros.MINUTE)
        const real = yield* Clock.Clock
        const nanos = () => real.currentTimeNanosUnsafe() - 86_400_000_000_000n
        const behind: Clock.Clock = {
          currentTimeMillisUnsafe: () => Number(nanos() / 1_000_000n),
          currentTimeMillis: Effect.sync(() => Number(nanos() / 1_000_000n)),
          currentTimeNanosUnsafe: nanos,
          currentTimeNanos: Effect.sync(nanos),
          monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
          monotonicTimeNanos: real.monotonicTimeNanos,
          sleep: (duration) => real.sleep(duration)
        }
        // As in a replay, so that only stored state is used.
        yield* Effect.flatMap(Consumers, ({ replay }) =>
          replay({ workspaceId, consumer: "alerts" }, BEFORE_FIRST_EVENT, NOON)
        )
        yield* Effect.provideService(consumer.drain, Clock.Clock, behind)
        const after = yield* allAlerts(workspaceId)
        assert.isAbove(after.length, before.length)
        assert.deepStrictEqual(after.slice(-before.length), before)
        strictlyNewestFirst(after)
      })
    )

    test(
      "history that was imported raises nothing, and is what new_country starts from",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        yield* addRule(workspaceId, "country", { rule_type: "new_country", cooldown_seconds: 0 })
        yield* addRule(workspaceId, "twice", twice)
        yield* importHistory(workspaceId, repeats(600, 2), NOON - 3_600 * Micros.SECOND)
        yield* record(workspaceId, [
          { actor_id: "ada", action: "a", ip_address: "1.0.0.1" },
          { actor_id: "ada", action: "b", ip_address: "2.0.0.1" },
          { actor_id: "ada", action: "c", ip_address: "1.0.0.1" },
          { actor_id: "bob", action: "d", ip_address: "2.0.0.1" }
        ])
        const consumer = yield* alertConsumer
        // One more event begins the chain and commits to the history before it.
        assert.strictEqual(yield* consumer.drain, 605)
        const alerts = yield* allAlerts(workspaceId)
        assert.deepStrictEqual(
          alerts.map(({ reason }) => reason),
          ["ada acted from DE for the first time; seen before: FR"]
        )
      })
    )

    test(
      "lag counts what was not evaluated, paused or not, and is nothing in the end",
      Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        const consumers = yield* Consumers
        const consumer = yield* alertConsumer
        const key = { workspaceId, consumer: "alerts" }
        const lags = Effect.map(consumerLags(workspaceId), (all) => all.map(({ lag }) => lag))
        yield* importHistory(workspaceId, repeats(3, 1), NOON - Micros.SECOND)
        yield* consumers.open(key, BEFORE_FIRST_EVENT, NOON)
        assert.deepStrictEqual(yield* lags, [3])
        yield* record(workspaceId, repeats(5, 1))
        // One more event begins the chain and commits to the history before it.
        assert.deepStrictEqual(yield* lags, [9])
        yield* consumers.pause(key, NOON)
        assert.deepStrictEqual(yield* consumer.round, { count: 0, more: false })
        assert.deepStrictEqual(yield* consumer.advance(workspaceId), { count: 0, more: false })
        yield* consumers.resume(key, NOON)
        assert.deepStrictEqual(yield* consumer.advance(workspaceId), { count: 9, more: false })
        assert.deepStrictEqual(yield* lags, [0])
        yield* record(workspaceId, repeats(6, 1), NOON + Micros.MINUTE)
        assert.deepStrictEqual(yield* lags, [6])
        yield* consumer.drain
        assert.deepStrictEqual(yield* lags, [0])
      })
    )

    test(
      "two rules on one event, and events in one microsecond's neighbourhood, page with limit 1",
      Effect.gen(function* () {
        const workspaceId = yield* busyWorkspace
        yield* addRule(workspaceId, "every", { ...twice, parameters: { threshold: 2, window_seconds: 1 } })
        yield* record(workspaceId, repeats(6, 2), NOON, 1)
        yield* Effect.flatMap(alertConsumer, ({ drain }) => drain)
        const all = yield* allAlerts(workspaceId)
        assert.lengthOf(all, 4 + 2 + 4)
        const reader = yield* AlertReader
        const seen: Array<ListedAlert> = []
        let before: number | null = null
        for (;;) {
          const { data, pagination }: Page<ListedAlert> = yield* reader.list({
            workspaceId,
            filter: {},
            before,
            limit: 1
          })
          seen.push(...data)
          assert.strictEqual(pagination.total, all.length)
          assert.strictEqual(pagination.has_more, pagination.next_cursor !== null)
          if (pagination.next_cursor === null) break
          before = Cursor.decode(pagination.next_cursor) ?? null
        }
        assert.deepStrictEqual(seen, all)
      })
    )

    test(
      "what one workspace's state cannot be read from holds up no other",
      Effect.gen(function* () {
        const [broken, whole] = [yield* busyWorkspace, yield* busyWorkspace]
        const consumers = yield* Consumers
        const position = yield* consumers.open({ workspaceId: broken, consumer: "alerts" }, 0, NOON)
        yield* consumers.commit(position, {
          sequence: 0,
          rows: [{ key: " triggered", value: "not JSON", expiresAt: null }],
          raised: [],
          deliveries: [],
          expiredBy: null,
          at: NOON
        })
        yield* record(broken, repeats(2, 1))
        yield* record(whole, repeats(2, 1))
        const consumer = yield* alertConsumer
        const quietly = Effect.provideService(References.MinimumLogLevel, "None")
        assert.strictEqual(yield* quietly(consumer.drain), 2)
        assert.lengthOf(yield* allAlerts(whole), 2)
        assert.lengthOf(yield* allAlerts(broken), 0)
        const stuck = Option.getOrThrow(Option.fromNullishOr((yield* consumerLags(broken))[0]))
        assert.strictEqual(stuck.lag, 2)
      })
    )
  })
}
