/**
 * Steps that tests of alerts share: rules, receivers of messages, logs that repeat themselves, and consumers
 * whose commits fail.
 */

import { AlertConsumer, AlertReader, AlertRules, Alerts, decodeAlertRule } from "@cairn/core/alert"
import { type Alert, Consumers, RecentEvents, type RunningConsumer } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { type EventInput, GeoIp } from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import { ClockGuard, Inbox, Sequencer, StorageUnavailable } from "@cairn/core/log"
import { layerAlertNotices, Outbox, Webhooks } from "@cairn/core/outbound"
import { Members } from "@cairn/core/workspace"
import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Result } from "effect"
import { layerSeededRandomness } from "../generators/SeededRandom.ts"
import { testMember } from "../generators/TestMember.ts"
import type { ConsumptionServices } from "./ConsumptionContract.ts"
import { makePending, makeWorkspace, NOON, type StorageServices } from "./StorageSteps.ts"

/** Makes the layer of an empty storage with every port. */
export type WholeStorageLayer = () => Layer.Layer<StorageServices | ConsumptionServices, unknown>

/** Test addresses are in the country that they begin with, as a number. */
const places = Layer.succeed(GeoIp, {
  lookup: (address) => ({
    country: { "1": "FR", "2": "DE", "3": "US" }[address.charAt(0)] ?? null,
    city: null
  })
})

/** The services of the alert consumer over a storage. */
export const environment = (storage: Layer.Layer<StorageServices | ConsumptionServices, unknown>) =>
  Layer.mergeAll(Sequencer.layer, AlertReader.layer).pipe(
    Layer.provide([ClockGuard.layer, places]),
    Layer.provideMerge(Layer.mergeAll(storage, Sha256.layer, layerSeededRandomness(1)))
  )

/** What a test of them may use. */
export type Services = Layer.Success<ReturnType<typeof environment>>

/** Puts events into the log, each recorded `apart` microseconds after the one before. */
export const record = Effect.fnUntraced(function* (
  workspaceId: string,
  bodies: ReadonlyArray<EventInput>,
  from = NOON,
  apart = Micros.SECOND
) {
  const inbox = yield* Inbox
  const random = yield* Randomness
  const accept = (body: EventInput, index: number) => {
    const acceptedAt = from + index * apart
    const events = [makePending(uuid(random), body, acceptedAt)]
    return inbox.accept({ workspaceId, acceptedAt, keysExpireBefore: null, events })
  }
  // For large numbers the contents do not matter: one append takes a store less time.
  yield* Effect.forEach(bodies, accept, { concurrency: bodies.length > 100 ? "unbounded" : 1 })
  yield* Effect.flatMap(Sequencer, ({ drain }) => drain)
})

/** For each commit, so that a short log has several. */
const MOST_EVENTS = 500

/** A separate consumer, as another process has it. */
export const consumerOf = Effect.fnUntraced(function* (options: { readonly mostEvents?: number }) {
  return Context.get(
    yield* Layer.build(
      AlertConsumer.layer(options).pipe(
        Layer.provide(layerAlertNotices({ mail: true })),
        Layer.provide(Layer.fresh(RecentEvents.layer))
      )
    ),
    AlertConsumer
  )
})

export const alertConsumer = consumerOf({ mostEvents: MOST_EVENTS })

export const addRule = Effect.fnUntraced(function* (
  workspaceId: string,
  id: string,
  body: Record<string, unknown>
) {
  const definition = Result.getOrThrow(decodeAlertRule({ name: `Rule ${id}`, ...body }))
  const { create } = yield* AlertRules
  yield* create({
    id: `rul_${id}`,
    workspace_id: workspaceId,
    definition,
    created_at: NOON,
    updated_at: NOON
  })
})

export const addWebhook = Effect.fnUntraced(function* (id: string, workspace_id: string, fields = {}) {
  const { create } = yield* Webhooks
  yield* create({
    id: `whk_${id}`,
    workspace_id,
    url: "https://example.com",
    description: null,
    types: ["alert.triggered"],
    enabled: true,
    disabled_reason: null,
    failing_since: null,
    secrets: [],
    created_at: NOON,
    updated_at: NOON,
    ...fields
  })
})

export const addMember = Effect.fnUntraced(function* (
  workspace_id: string,
  email: string,
  role: "owner" | "admin" | "member"
) {
  const { create } = yield* Members
  const id = `mem_${workspace_id} ${email}`
  yield* create(testMember({ id, workspace_id, email, role, created_at: NOON }))
})

/** Every actor repeats one action: with the rule below, an alert for every second event of an actor. */
export const repeats = (count: number, actors: number): ReadonlyArray<EventInput> =>
  Array.from({ length: count }, (_, index) => ({ actor_id: `actor ${index % actors}`, action: "thing.done" }))
export const twice = {
  rule_type: "repeated_action",
  cooldown_seconds: 0,
  parameters: { threshold: 2, window_seconds: 3600 }
}

/** A workspace with two rules that fire on the same events, a webhook and an owner. */
export const busyWorkspace = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace
  yield* addRule(workspaceId, `a-${workspaceId}`, twice)
  yield* addRule(workspaceId, `b-${workspaceId}`, { ...twice, name: "Once an hour", cooldown_seconds: 3600 })
  yield* addWebhook(workspaceId, workspaceId)
  yield* addMember(workspaceId, "ada@example.com", "owner")
  return workspaceId
})

export const allAlerts = (workspaceId: string) =>
  Effect.flatMap(Alerts, (alerts) => alerts.page(workspaceId, { filter: {}, before: null, limit: 100_000 }))

export const allDeliveries = (workspaceId: string) =>
  Effect.flatMap(Outbox, (outbox) => outbox.page(workspaceId, { filter: {}, before: null, limit: 100_000 }))

export const ids = (items: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> =>
  items.map(({ id }) => id).sort()

export const strictlyNewestFirst = (alerts: ReadonlyArray<Alert>): void => {
  for (const [index, { triggered_at }] of alerts.entries()) {
    const older = alerts[index + 1]
    if (older !== undefined) assert.isTrue(triggered_at > older.triggered_at, `${index}: ${triggered_at}`)
  }
}

/** The ids after an evaluation without incident. */
export const uneventful = Effect.fnUntraced(function* (workspaceId: string) {
  const consumer = yield* alertConsumer
  yield* consumer.drain
  return { alerts: ids(yield* allAlerts(workspaceId)), deliveries: ids(yield* allDeliveries(workspaceId)) }
})

const lost = new StorageUnavailable({ operation: "commit", cause: new Error("the answer was lost") })

/**
 * A consumer whose every second commit fails: either before it was stored, or after, so that the response is
 * lost.
 */
export const unluckyConsumer = Effect.fnUntraced(function* (when: "before" | "after") {
  const consumers = yield* Consumers
  let commits = 0
  const commit: typeof consumers.commit = (position, request) =>
    Effect.suspend(() => {
      if (commits++ % 2 === 1) return consumers.commit(position, request)
      return when === "before"
        ? Effect.fail(lost)
        : Effect.andThen(consumers.commit(position, request), Effect.fail(lost))
    })
  return yield* Effect.provideService(alertConsumer, Consumers, { ...consumers, commit })
})

/** Calls until there is nothing left to do, whatever fails in between. */
export const persist = Effect.fnUntraced(function* (consumer: RunningConsumer, workspaceId: string) {
  let quiet = 0
  let failures = 0
  while (quiet < 2) {
    const exit = yield* Effect.exit(consumer.advance(workspaceId))
    if (Exit.isFailure(exit)) failures++
    quiet = Exit.isSuccess(exit) && exit.value.count === 0 ? quiet + 1 : 0
  }
  return failures
})
