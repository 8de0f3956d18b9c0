/** What every adapter's `Anchors` must do with periods. */
import { Anchors } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { EventLog } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type AnchorsLayer, addEvents, anchorsTest, makeLog, periodOf } from "./AnchorSteps.ts"
import { NOON } from "./StorageSteps.ts"

/** Registers the tests of periods; part of `anchorsContract`. */
export const anchorPeriodsContract = (name: string, storage: AnchorsLayer): void => {
  const test = anchorsTest(storage)

  describe(`${name}: Anchors, periods`, () => {
    test(
      "events without a period are found by workspace, with the first of them",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        assert.deepStrictEqual(yield* anchors.unanchored, [])
        const [one, other] = [yield* makeLog(3), yield* makeLog(1, NOON + Micros.DAY)]
        const empty = yield* makeLog(0)
        const found = yield* anchors.unanchored
        assert.sameDeepMembers(
          [...found],
          [
            {
              workspaceId: one,
              ordinal: 1,
              firstSequence: 1,
              firstCreatedAt: NOON,
              lastCreatedAt: NOON + 2,
              previousEnd: null,
              schedule: null
            },
            {
              workspaceId: other,
              ordinal: 1,
              firstSequence: 1,
              firstCreatedAt: NOON + Micros.DAY,
              lastCreatedAt: NOON + Micros.DAY,
              previousEnd: null,
              schedule: null
            }
          ]
        )
        assert.deepStrictEqual(yield* anchors.unanchoredOf(empty), Option.none())
        assert.deepStrictEqual(yield* anchors.unanchoredOf(other), Option.fromNullishOr(found[1]))
      })
    )

    test(
      "a closed period takes its events out, and the next begins after it",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const workspaceId = yield* makeLog(2)
        const period = periodOf(workspaceId)
        assert.strictEqual(yield* anchors.close([period]), 1)
        assert.deepStrictEqual(yield* anchors.unanchored, [])
        yield* addEvents(workspaceId, 1, NOON + 3 * Micros.DAY)
        const open = Option.getOrThrow(yield* anchors.unanchoredOf(workspaceId))
        assert.deepInclude(open, {
          ordinal: 2,
          firstSequence: 3,
          firstCreatedAt: NOON + 3 * Micros.DAY,
          previousEnd: period.end
        })
      })
    )

    test(
      "nothing is dated before a floor that was raised, and a floor never sinks",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const log = yield* EventLog
        const workspaceId = yield* makeLog(1)
        const floor = NOON + Micros.SECOND
        yield* anchors.raiseFloor([{ workspaceId, floor }])
        yield* anchors.raiseFloor([{ workspaceId, floor: NOON }])
        yield* addEvents(workspaceId, 2, NOON + 5)
        const rows = yield* log.entries(workspaceId, 1, 10)
        assert.deepStrictEqual(
          rows.map(({ createdAt }) => createdAt),
          [NOON, floor, floor + 1]
        )
        assert.strictEqual((yield* log.head(workspaceId)).sequence, 3)
      })
    )

    test(
      "a floor is no event: the head stays where it is",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const log = yield* EventLog
        const workspaceId = yield* makeLog(2)
        const { createdAt: _, ...before } = yield* log.head(workspaceId)
        yield* anchors.raiseFloor([{ workspaceId, floor: NOON + Micros.SECOND }])
        const { createdAt: __, ...after } = yield* log.head(workspaceId)
        assert.deepStrictEqual(after, before)
      })
    )

    test(
      "of two that close the same period one does it",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const workspaceId = yield* makeLog(2)
        const [one, other] = [periodOf(workspaceId), periodOf(workspaceId, 1, "anc_other")]
        const closed = yield* Effect.all([anchors.close([one]), anchors.close([other])], {
          concurrency: "unbounded"
        })
        assert.sameMembers(closed, [0, 1])
        const [ripe, ...more] = yield* anchors.ripe(10)
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual(ripe, { period: closed[0] === 1 ? one : other, previous: null })
      })
    )

    test(
      "a workspace may have a schedule of its own",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const workspaceId = yield* makeLog(1)
        const hourly = { every_seconds: 3_600, offset_seconds: 60 }
        const scheduleNow = Effect.map(
          anchors.unanchoredOf(workspaceId),
          (open) => Option.getOrThrow(open).schedule
        )
        const { update } = yield* ManagedWorkspaces
        yield* update(workspaceId, { anchor_schedule: hourly }, NOON)
        assert.deepStrictEqual(yield* scheduleNow, hourly)
        yield* update(workspaceId, { anchor_schedule: null }, NOON)
        assert.isNull(yield* scheduleNow)
      })
    )
  })
}
