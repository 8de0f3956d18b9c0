/** The contract of the growing end of the search index. */
import { contentSize } from "@cairn/core/encoding"
import {
  ENOUGH_TO_INDEX,
  EventLog,
  FRAME_EVENTS,
  SearchIndexer,
  type StorageUnavailable
} from "@cairn/core/log"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { all } from "../generators/EventCorpus.ts"
import {
  accept,
  type IndexedStorageLayer,
  makeWorkspace,
  plainEvents,
  readLog,
  sequenceAll,
  storageTest
} from "./StorageSteps.ts"

/** Registers the tests. */
export const searchIndexerContract = (name: string, storage: IndexedStorageLayer): void => {
  describe(`the search index on ${name}`, () => {
    let advance: Effect.Effect<number, StorageUnavailable> = Effect.succeed(0)
    const test = storageTest((options) =>
      Layer.effect(
        EventLog,
        Effect.gen(function* () {
          advance = (yield* SearchIndexer).advance
          return yield* EventLog
        })
      ).pipe(Layer.provideMerge(storage(options)))
    )

    test(
      "takes a helping of events that ends where it has enough characters",
      Effect.gen(function* () {
        const log = yield* EventLog
        const workspaceId = yield* makeWorkspace
        const metadata = { note: "x".repeat(60_000), last: "the end" }
        const targets = Array.from({ length: 4 }, () => ({ type: "t", metadata }))
        const [small, large] = [
          { actor_id: "a", action: "b", metadata },
          { actor_id: "a", action: "b", targets }
        ]
        for (const bodies of [
          Array.from({ length: 50 }, () => small),
          [...plainEvents(3), large, large, ...plainEvents(3)]
        ]) {
          yield* accept(workspaceId, bodies)
        }
        yield* sequenceAll
        const entries = yield* readLog(workspaceId)
        let at = 0
        for (let count = yield* advance; count > 0; count = yield* advance) {
          const sizes = entries.slice(at, at + count).map(contentSize)
          const before = sizes.slice(0, -1).reduce((sum, size) => sum + size, 0)
          assert.isBelow(before, ENOUGH_TO_INDEX)
          at += count
          if (at < entries.length) assert.isAtLeast(before + (sizes.at(-1) ?? 0), ENOUGH_TO_INDEX)
        }
        // What is left is not enough for another.
        const left = entries.slice(at).map(contentSize)
        assert.isBelow(left.length, FRAME_EVENTS)
        assert.isBelow(
          left.reduce((sum, size) => sum + size, 0),
          ENOUGH_TO_INDEX
        )
        assert.isAbove(at, 50)
        assert.strictEqual(yield* log.count(workspaceId, { search: "the end" }, all), 50)
      })
    )
  })
}
