import { Consumers, MAX_CONSUMER_BATCH } from "@cairn/core/consumer"
import { GeoIp, MAX_BATCH } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, Sequencer } from "@cairn/core/log"
import { MemoryStorage, newWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import {
  type Consumer,
  type ConsumerBatch,
  MAX_CONSUMER_COMMIT,
  runConsumer
} from "../../src/consumer/ConsumerRunner.ts"

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

/** A log with this many events with contents of at least so many characters. */
const logOf = Effect.fnUntraced(function* (events: number, characters: number) {
  const workspaceId = yield* newWorkspace
  const { batch } = yield* Acceptance
  const body = { actor_id: "a", action: "b", metadata: { text: "x".repeat(characters) } }
  for (let at = 0; at < events; at += MAX_BATCH) {
    const bodies = Array.from({ length: Math.min(MAX_BATCH, events - at) }, () => body)
    yield* batch({ workspaceId, clientAddress: null, keysExpireBefore: null }, { events: bodies })
  }
  yield* Effect.flatMap(Sequencer, ({ drain }) => drain)
  return workspaceId
})

/** The batches in which a consumer takes such a log. */
const batchesOf = Effect.fnUntraced(function* (events: number, characters: number) {
  yield* logOf(events, characters)
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

/** A consumer that counts events in a row of its own. */
const counting: Consumer = {
  name: "count",
  process: ({ entries, rows }) =>
    Effect.map(rows(["events"]), ([row]) => {
      const value = String(Number(row?.value ?? 0) + entries.length)
      return { rows: [{ key: "events", value, expiresAt: null }], raised: [], deliveries: [] }
    })
}

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

  it.effect("commits some batches together, each of which finds what those before it counted", () =>
    Effect.gen(function* () {
      const events = MAX_CONSUMER_COMMIT + MAX_CONSUMER_BATCH + 3
      const workspaceId = yield* logOf(events, 1)
      const consumers = yield* Consumers
      const commits: Array<{ readonly sequence: number; readonly counted: string | undefined }> = []
      const watched = Consumers.of({
        ...consumers,
        commit: (position, request) => {
          commits.push({ sequence: request.sequence, counted: request.rows[0]?.value })
          return consumers.commit(position, request)
        }
      })
      const { advance } = yield* Effect.provideService(runConsumer(counting), Consumers, watched)
      assert.deepStrictEqual(yield* advance(workspaceId), { count: MAX_CONSUMER_COMMIT, more: true })
      const other = yield* runConsumer(counting)
      assert.deepStrictEqual(yield* other.advance(workspaceId), {
        count: MAX_CONSUMER_BATCH + 3,
        more: false
      })
      assert.deepStrictEqual(yield* advance(workspaceId), { count: 0, more: false })
      assert.deepStrictEqual(commits, [
        { sequence: MAX_CONSUMER_COMMIT, counted: String(MAX_CONSUMER_COMMIT) }
      ])
      const [row] = yield* consumers.rows({ workspaceId, consumer: counting.name }, ["events"])
      assert.strictEqual(row?.value, String(events))
    }).pipe(Effect.provide(services))
  )

  it.effect("commits what it evaluated before a batch that fails, and fails at that one alone", () =>
    Effect.gen(function* () {
      const workspaceId = yield* logOf(2 * MAX_CONSUMER_BATCH + 3, 1)
      const { rows } = yield* Consumers
      const { advance } = yield* runConsumer({
        ...counting,
        process: (batch) =>
          batch.after < 2 * MAX_CONSUMER_BATCH ? counting.process(batch) : Effect.die("no such state")
      })
      assert.deepStrictEqual(yield* advance(workspaceId), { count: 2 * MAX_CONSUMER_BATCH, more: true })
      for (const _ of ["at once", "and again"]) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(advance(workspaceId))))
        const [row] = yield* rows({ workspaceId, consumer: counting.name }, ["events"])
        assert.strictEqual(row?.value, String(2 * MAX_CONSUMER_BATCH))
      }
    }).pipe(Effect.provide(services))
  )
})
