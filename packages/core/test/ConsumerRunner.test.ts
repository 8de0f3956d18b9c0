import {
  Acceptance,
  ClockGuard,
  type ConsumerBatch,
  GeoIp,
  MAX_CONSUMER_BATCH,
  Randomness,
  runConsumer,
  Sequencer,
  Sha256
} from "@cairn/core"
import { MemoryStorage, newWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const services = Layer.merge(Acceptance.layer, Sequencer.layer).pipe(
  Layer.provide([ClockGuard.layer, GeoIp.layerNowhere]),
  Layer.provideMerge(
    Layer.mergeAll(
      Layer.suspend(() => MemoryStorage.layer()),
      Sha256.layer,
      Randomness.layer
    )
  )
)

/** Sizes of the batches in which a consumer takes a log of so many events with contents of at least so many characters. */
const batchesOf = Effect.fnUntraced(function* (events: number, characters: number) {
  const workspaceId = yield* newWorkspace
  const { one } = yield* Acceptance
  const body = JSON.stringify({ actor_id: "a", action: "b", metadata: { text: "x".repeat(characters) } })
  for (let at = 0; at < events; at++) {
    yield* one({ workspaceId, clientAddress: null, keysExpireBefore: null }, body)
  }
  yield* Effect.flatMap(Sequencer, ({ drain }) => drain)
  const batches: Array<Pick<ConsumerBatch, "after" | "atEnd"> & { readonly count: number }> = []
  const { drain } = yield* runConsumer({
    name: "test",
    process: ({ after, atEnd, entries }) =>
      Effect.sync(() => {
        batches.push({ after: Math.max(after, 0), atEnd, count: entries.length })
        return { rows: [], raised: [], deliveries: [] }
      })
  })
  assert.strictEqual(yield* drain, events)
  return batches
})

describe("a consumer", () => {
  it.effect("takes ordinary events a thousand at a time, and knows when there are no more", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* batchesOf(MAX_CONSUMER_BATCH + 3, 1), [
        { after: 0, atEnd: false, count: MAX_CONSUMER_BATCH },
        { after: MAX_CONSUMER_BATCH, atEnd: true, count: 3 }
      ])
    }).pipe(Effect.provide(services))
  )

  it.effect("takes fewer where they are large, so that few contents are in memory at once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* batchesOf(700, 2_000), [
        { after: 0, atEnd: false, count: 500 },
        { after: 500, atEnd: true, count: 200 }
      ])
    }).pipe(Effect.provide(services))
  )
})
