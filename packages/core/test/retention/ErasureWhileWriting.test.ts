/** What erasing does while a server writes, which has the locks that sequencing needs. */
import { Exports } from "@cairn/core/export"
import { Sha256 } from "@cairn/core/hashing"
import { EventCounts, Inbox, Sequencer, StorageUnavailable } from "@cairn/core/log"
import { Archive, ContentRemoval, Erasure } from "@cairn/core/retention"
import { layerSeededRandomness, MemoryStorage } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const WORKSPACE = "wsp_1"
const NOON = 1_714_564_800_000

/** The ways a chunk can end: so many events, or the locks are another's. */
type Step = number | "busy"

/** Erases, while appending does what `steps` say, the last of them again and again. */
const erasing = (waiting: number, steps: ReadonlyArray<Step>) => {
  const seen = { advances: 0, removals: 0 }
  const layer = Erasure.layer.pipe(
    Layer.provide([
      Layer.mock(Inbox)({ depth: Effect.succeed(waiting) }),
      Layer.mock(Sequencer)({
        advance: (workspaceId) =>
          Effect.suspend(() => {
            assert.strictEqual(workspaceId, WORKSPACE)
            const step = steps[Math.min(seen.advances++, steps.length - 1)] ?? "busy"
            return step === "busy"
              ? Effect.fail(new StorageUnavailable({ operation: "sequence", cause: "database is locked" }))
              : Effect.succeed({ count: step, more: step > 0 })
          })
      }),
      Layer.mock(ContentRemoval)({
        unfinished: Effect.succeed(false),
        discardParked: () =>
          Effect.sync(() => {
            seen.removals++
            return 0
          })
      }),
      Layer.mock(EventCounts)({ forget: () => {} }),
      Layer.mock(Exports)({}),
      Archive.layerNone
    ]),
    Layer.provide([MemoryStorage.layer(), Sha256.layer, layerSeededRandomness(1)])
  )
  return Effect.gen(function* () {
    yield* TestClock.setTime(NOON)
    const erasure = yield* Erasure
    const fiber = yield* Effect.forkChild(
      Effect.flip(erasure.erase(WORKSPACE, { eventIds: ["a"] }, "Art. 17 GDPR"))
    )
    // Far more turns than it takes to the first time that it waits, or to its end.
    for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
    return { seen, fiber }
  }).pipe(Effect.provide(layer))
}

/** How it has failed by now. */
const failed = Effect.fnUntraced(function* <E extends { readonly _tag: string }>(
  fiber: Fiber.Fiber<E, unknown>
) {
  assert.isDefined(fiber.pollUnsafe(), "it has ended")
  return (yield* Fiber.join(fiber))._tag
})

describe("erasing while a server writes", () => {
  it.effect("tries again every tenth of a second, and goes on once it has the locks", () =>
    Effect.gen(function* () {
      const { seen, fiber } = yield* erasing(3, ["busy", "busy", 3])
      assert.deepStrictEqual(seen, { advances: 1, removals: 0 })
      yield* TestClock.adjust("99 millis")
      assert.strictEqual(seen.advances, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(seen.advances, 2)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      // There is nothing of that event: it was looked for, after everything was sequenced.
      assert.strictEqual(yield* failed(fiber), "NothingToErase")
      assert.deepStrictEqual(seen, { advances: 3, removals: 1 })
    })
  )

  it.effect("gives up after five seconds, and has changed nothing", () =>
    Effect.gen(function* () {
      const { seen, fiber } = yield* erasing(3, ["busy"])
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(seen.advances, 50)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* failed(fiber), "StorageUnavailable")
      assert.deepStrictEqual(seen, { advances: 51, removals: 0 })
    })
  )

  it.effect("has the five seconds for each chunk anew", () =>
    Effect.gen(function* () {
      const wait = Array.from({ length: 50 }, (): Step => "busy")
      const { seen, fiber } = yield* erasing(4, [...wait, 2, ...wait, 2])
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* failed(fiber), "NothingToErase")
      assert.deepStrictEqual(seen, { advances: 102, removals: 1 })
    })
  )

  it.effect("sequences what waited when it began, and not what a server goes on to accept", () =>
    Effect.gen(function* () {
      const { seen, fiber } = yield* erasing(5, [2])
      assert.strictEqual(yield* failed(fiber), "NothingToErase")
      assert.deepStrictEqual(seen, { advances: 3, removals: 1 })
    })
  )

  it.effect("ends where what waits is of other workspaces", () =>
    Effect.gen(function* () {
      const { seen, fiber } = yield* erasing(5, [2, 0])
      assert.strictEqual(yield* failed(fiber), "NothingToErase")
      assert.deepStrictEqual(seen, { advances: 2, removals: 1 })
    })
  )
})
