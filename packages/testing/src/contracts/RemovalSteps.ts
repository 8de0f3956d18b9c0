/** What the tests of retention and erasure share. */
import type { Alerts } from "@cairn/core/alert"
import { Consumers } from "@cairn/core/consumer"
import { GeoIp } from "@cairn/core/event"
import { Exports } from "@cairn/core/export"
import { Sha256 } from "@cairn/core/hashing"
import { ClockGuard, EventCounts, EventReader, Sequencer } from "@cairn/core/log"
import { Outbox, type Settlement } from "@cairn/core/outbound"
import { Archive, type ContentRemoval, Erasure, Retention } from "@cairn/core/retention"
import { ChainVerifier } from "@cairn/core/verification"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { NEEDLE } from "../generators/RemovableEvent.ts"
import { layerSeededRandomness } from "../generators/SeededRandom.ts"
import { makeAlert, makeDelivery, moveTo } from "./ConsumptionContract.ts"
import { NOON, readLog, type StorageServices } from "./StorageSteps.ts"

/** The ports that a removal changes. */
export type RemovalServices = StorageServices | ContentRemoval | Consumers | Alerts | Outbox | Exports

/** An empty storage, and where a text is found in its files or tables. */
export interface RemovalStorage {
  readonly layer: Layer.Layer<RemovalServices, unknown>
  readonly find: (text: string) => Promise<ReadonlyArray<string>>
  /** Indexes everything that the search index lacks. */
  readonly index?: Effect.Effect<void, unknown, never>
}

const services = (layer: RemovalStorage["layer"]) =>
  Layer.mergeAll(Retention.layer, Erasure.layer, EventReader.layer, ChainVerifier.layer).pipe(
    Layer.provide(Archive.layerNone),
    Layer.provideMerge(Layer.mergeAll(EventCounts.layer, Sequencer.layer)),
    Layer.provide([ClockGuard.layer, GeoIp.layerNowhere]),
    Layer.provideMerge(Layer.mergeAll(layer, Sha256.layer, layerSeededRandomness(1)))
  )

/** The first page of a list, and its total. */
export const list = Effect.fnUntraced(function* (workspaceId: string, filter: object = {}) {
  const reader = yield* EventReader
  return yield* reader.list({ workspaceId, filter, before: null, limit: 100, visibleFrom: null })
})

/** For each event, whether its content is present. */
export const contents = (workspaceId: string) =>
  Effect.map(readLog(workspaceId), (rows) => rows.map(({ content }) => content !== null))

/** An alert about an event, and a message about it to a webhook, which is about to be attempted. */
export const startAlert = Effect.fnUntraced(function* (workspaceId: string, eventId: string) {
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

/** An attempt whose response repeats the message. */
export const answered: Settlement = {
  attempt: { started_at: NOON, duration: 1, status: 200, answer: NEEDLE, error: null },
  status: "delivered",
  dueAt: null
}

/** The same, after it was attempted. */
export const raiseAlert = Effect.fnUntraced(function* (workspaceId: string, eventId: string) {
  const claimed = yield* startAlert(workspaceId, eventId)
  if (Option.isSome(claimed)) yield* (yield* Outbox).settle(claimed.value, answered)
})

/** A completed export. */
export const finishExport = Effect.fnUntraced(function* (workspaceId: string, expires_at: number) {
  const exports = yield* Exports
  yield* exports.create(
    { id: "exp_1", workspace_id: workspaceId, format: "csv", filters: {}, created_at: NOON, expires_at },
    { concurrent: 5, quota: null, since: NOON }
  )
  const claimed = Option.getOrThrow(yield* exports.claim({ claim: "c", at: NOON, until: NOON + 1 }))
  yield* exports.settle(claimed, { status: "completed", totalRows: 1, fileSize: 1 })
})

/** A test over an empty storage. */
export const removalTest =
  (storage: () => RemovalStorage) =>
  <A, E>(
    says: string,
    body: (kit: RemovalStorage) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>>>
  ): void =>
    it.live(says, () =>
      Effect.suspend(() => {
        const kit = storage()
        return Effect.provide(body(kit), services(kit.layer))
      })
    )

/** Asserts that the text is nowhere in the storage. */
export const nowhere = (kit: RemovalStorage, text = NEEDLE) =>
  Effect.map(
    Effect.promise(() => kit.find(text)),
    (places) => assert.deepStrictEqual(places, [])
  )
