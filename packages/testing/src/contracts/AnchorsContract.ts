/** What every adapter's `Anchors` must do. */
import {
  type AnchorCreation,
  Anchors,
  type ClosedPeriod,
  type StoredTransaction,
  type TransactionPlace
} from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { EventLog } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { layerSeededRandomness } from "../generators/SeededRandom.ts"
import {
  accept,
  makeWorkspace,
  NOON,
  observeAppend,
  plainEvents,
  type StorageOptions,
  type StorageServices
} from "./StorageSteps.ts"

/** Makes the layer of an empty storage that keeps anchors too. */
export type AnchorsLayer = (options: StorageOptions) => Layer.Layer<StorageServices | Anchors, unknown>

const CHAIN = 8453
const ACCOUNT = `0x${"ab".repeat(20)}`
/** Every period here has ended by then. */
const MUCH_LATER = NOON + 1_000 * Micros.DAY
const hashOf = (seed: number): string => seed.toString(16).padStart(64, "0")

/** A workspace whose log has some events, accepted at one moment. */
const makeLog = Effect.fnUntraced(function* (events: number, acceptedAt: Micros.Micros = NOON) {
  const workspaceId = yield* makeWorkspace
  yield* addEvents(workspaceId, events, acceptedAt)
  return workspaceId
})

const addEvents = Effect.fnUntraced(function* (
  workspaceId: string,
  events: number,
  acceptedAt: Micros.Micros
) {
  if (events > 0) yield* accept(workspaceId, plainEvents(events), { acceptedAt })
  yield* observeAppend(workspaceId)
})

let ids = 0

/** A closed period of a workspace, over two events. */
const periodOf = (workspaceId: string, ordinal = 1): ClosedPeriod => ({
  id: `anc_${++ids}`,
  workspaceId,
  ordinal,
  start: NOON + ordinal * Micros.DAY,
  end: NOON + (ordinal + 1) * Micros.DAY,
  firstSequence: 2 * ordinal - 1,
  lastSequence: 2 * ordinal,
  firstEventHash: hashOf(1),
  lastEventHash: hashOf(2),
  merkleRoot: hashOf(ordinal)
})

const creationOf = (
  { workspaceId, ordinal }: ClosedPeriod,
  chainId: number | null = CHAIN
): AnchorCreation => ({
  workspaceId,
  ordinal,
  previousAnchorHash: ordinal === 1 ? null : hashOf(9),
  chainId,
  createdAt: NOON + ordinal
})

/** A workspace's pending anchor. */
const makeAnchor = Effect.fnUntraced(function* (chainId: number | null = CHAIN) {
  const anchors = yield* Anchors
  const period = periodOf(yield* makeWorkspace)
  yield* anchors.close([period])
  yield* anchors.create([creationOf(period, chainId)])
  return period
})

const transactionOf = (nonce: number, seed = nonce): StoredTransaction => ({
  hash: `0x${hashOf(seed)}`,
  raw: `0x02${seed.toString(16).padStart(4, "0")}`,
  nonce,
  maxFeePerGas: 2n ** 70n + BigInt(seed),
  maxPriorityFeePerGas: BigInt(seed),
  signedAt: NOON + seed
})

const submissionOf = (id: string) => ({ id, chainId: CHAIN, account: ACCOUNT })

const place = (seed: number): TransactionPlace => ({
  hash: `0x${hashOf(seed)}`,
  blockNumber: 100 + seed,
  blockHash: `0x${hashOf(1000 + seed)}`
})

/** An anchor that travels. */
const makeSubmitted = Effect.fnUntraced(function* (id: string, nonce: number) {
  const anchors = yield* Anchors
  const period = yield* makeAnchor()
  assert.isTrue(yield* anchors.submit(submissionOf(id), transactionOf(nonce), [period.id]))
  return period
})

const statusOf = Effect.fnUntraced(function* ({ workspaceId, id }: ClosedPeriod) {
  const anchors = yield* Anchors
  return Option.getOrUndefined(yield* anchors.get(workspaceId, id))?.status
})

/** Registers the contract of `Anchors` for the storage called `name`. */
export const anchorsContract = (name: string, storage: AnchorsLayer): void => {
  const services = (options: StorageOptions) =>
    Layer.mergeAll(storage(options), Sha256.layer, layerSeededRandomness(1))
  const test = <A, E>(
    title: string,
    body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>>>
  ): void => it.live(title, () => Effect.suspend(() => Effect.provide(body, services({}))))

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
        const rows = yield* log.scan(workspaceId, 1, 10)
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
        const [one, other] = [periodOf(workspaceId), periodOf(workspaceId)]
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

  describe(`${name}: Anchors, from pending to confirmed`, () => {
    test(
      "a closed period is no anchor until it is made one, and then it is as it was made",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const period = periodOf(yield* makeWorkspace)
        const { workspaceId } = period
        yield* anchors.close([period])
        assert.deepStrictEqual(yield* anchors.list(workspaceId, 10), [])
        assert.deepStrictEqual(yield* anchors.get(workspaceId, period.id), Option.none())
        assert.deepStrictEqual(yield* anchors.at(workspaceId, 1), Option.none())
        assert.strictEqual(yield* anchors.create([creationOf(period)]), 1)
        assert.strictEqual(yield* anchors.create([creationOf(period, null)]), 0)
        const expected = {
          ...period,
          status: "pending" as const,
          previousAnchorHash: null,
          createdAt: NOON + 1,
          chainId: CHAIN,
          submissionId: null,
          place: null
        }
        assert.deepStrictEqual(yield* anchors.get(workspaceId, period.id), Option.some(expected))
        assert.deepStrictEqual(yield* anchors.at(workspaceId, 1), Option.some(expected))
        assert.deepStrictEqual(yield* anchors.list(workspaceId, 10), [expected])
        assert.deepStrictEqual(yield* anchors.get("wsp_other", period.id), Option.none())
      })
    )

    test(
      "a period waits until the anchor before it is confirmed, and knows its transaction then",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const first = yield* makeSubmitted("s1", 7)
        const second = periodOf(first.workspaceId, 2)
        yield* anchors.close([second])
        assert.deepStrictEqual(yield* anchors.ripe(10), [])
        yield* anchors.markSent("s1")
        assert.deepStrictEqual(yield* anchors.ripe(10), [])
        yield* anchors.confirm("s1", place(7), true)
        assert.deepStrictEqual(yield* anchors.ripe(10), [
          { period: second, previous: { merkleRoot: first.merkleRoot, txHash: place(7).hash } }
        ])
        yield* anchors.create([creationOf(second)])
        assert.deepStrictEqual(yield* anchors.ripe(10), [])
        assert.deepStrictEqual(
          (yield* anchors.list(first.workspaceId, 10)).map(({ ordinal }) => ordinal),
          [2, 1]
        )
        assert.deepStrictEqual(
          (yield* anchors.list(first.workspaceId, 1)).map(({ ordinal }) => ordinal),
          [2]
        )
      })
    )

    test(
      "an anchor without a chain holds up none, and is never sent",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const first = yield* makeAnchor(null)
        const second = periodOf(first.workspaceId, 2)
        yield* anchors.close([second])
        assert.deepStrictEqual(yield* anchors.ripe(10), [
          { period: second, previous: { merkleRoot: first.merkleRoot, txHash: null } }
        ])
        assert.deepStrictEqual(yield* anchors.unsubmitted(CHAIN, MUCH_LATER, 10), [])
      })
    )

    test(
      "pending anchors of the chain are found, oldest first and no more than asked for, until they travel",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const [one, two, three] = [yield* makeAnchor(), yield* makeAnchor(), yield* makeAnchor()]
        yield* makeAnchor(84_532)
        const idsOf = Effect.map(anchors.unsubmitted(CHAIN, MUCH_LATER, 10), (found) =>
          found.map(({ id }) => id)
        )
        assert.sameMembers([...(yield* idsOf)], [one.id, two.id, three.id])
        assert.strictEqual((yield* anchors.unsubmitted(CHAIN, MUCH_LATER, 2)).length, 2)
        assert.isTrue(yield* anchors.submit(submissionOf("s1"), transactionOf(0), [one.id, three.id]))
        assert.deepStrictEqual(yield* idsOf, [two.id])
        assert.strictEqual(yield* statusOf(one), "pending")
        const carried = yield* anchors.carriedBy("s1")
        assert.sameMembers(
          carried.map(({ id }) => id),
          [one.id, three.id]
        )
        assert.deepStrictEqual(yield* anchors.carriedBy("s2"), [])
      })
    )

    test(
      "a pending anchor is not sent before its period has ended",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const { id, end } = yield* makeAnchor()
        assert.deepStrictEqual(yield* anchors.unsubmitted(CHAIN, end - 1, 10), [])
        assert.deepStrictEqual(
          (yield* anchors.unsubmitted(CHAIN, end, 10)).map((anchor) => anchor.id),
          [id]
        )
      })
    )

    test(
      "a submission is stored with its transaction before anything is sent, and so are those that follow",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        yield* makeSubmitted("s1", 3)
        assert.isTrue(yield* anchors.addTransaction("s1", transactionOf(3, 40)))
        assert.isTrue(yield* anchors.addTransaction("s1", transactionOf(9, 41)))
        const transactions = [transactionOf(3), transactionOf(3, 40), transactionOf(9, 41)]
        assert.deepStrictEqual(yield* anchors.unsettled(CHAIN), [
          { ...submissionOf("s1"), confirmed: false, confirmedHash: null, transactions }
        ])
        assert.deepStrictEqual(yield* anchors.transactions("s1"), transactions)
        assert.deepStrictEqual(yield* anchors.unsettled(84_532), [])
        assert.strictEqual(yield* anchors.nextNonce(CHAIN, ACCOUNT), 10)
        assert.strictEqual(yield* anchors.signedUpTo(CHAIN, ACCOUNT), 10)
        assert.strictEqual(yield* anchors.signedUpTo(CHAIN, `0x${"cd".repeat(20)}`), 0)
        assert.strictEqual(yield* anchors.nextNonce(CHAIN, `0x${"cd".repeat(20)}`), 0)
      })
    )

    test(
      "an anchor travels once, and a submission that would take it again is not stored at all",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const taken = yield* makeSubmitted("s1", 0)
        const free = yield* makeAnchor()
        assert.isFalse(yield* anchors.submit(submissionOf("s2"), transactionOf(1), [free.id, taken.id]))
        assert.strictEqual((yield* anchors.unsettled(CHAIN)).length, 1)
        assert.strictEqual(yield* anchors.nextNonce(CHAIN, ACCOUNT), 1)
        assert.deepStrictEqual(
          (yield* anchors.unsubmitted(CHAIN, MUCH_LATER, 10)).map(({ id }) => id),
          [free.id]
        )
        assert.isTrue(yield* anchors.submit(submissionOf("s2"), transactionOf(1), [free.id]))
      })
    )

    test(
      "no two submissions hold one nonce",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const others = [yield* makeAnchor(), yield* makeAnchor()]
        const stored = yield* Effect.all(
          others.map(({ id }, index) =>
            anchors.submit(submissionOf(`s${index}`), transactionOf(5, index), [id])
          ),
          { concurrency: "unbounded" }
        )
        assert.sameMembers(stored, [true, false])
        const [holder] = yield* anchors.unsettled(CHAIN)
        yield* makeSubmitted("s9", 6)
        assert.isFalse(yield* anchors.addTransaction("s9", transactionOf(5, 77)))
        assert.strictEqual((yield* anchors.transactions("s9")).length, 1)
        assert.isTrue(yield* anchors.addTransaction(holder?.id ?? "", transactionOf(5, 78)))
      })
    )

    test(
      "what was sent is submitted, then confirmed at its place, and asked about until it is settled",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const period = yield* makeSubmitted("s1", 7)
        const other = yield* makeSubmitted("s2", 8)
        yield* anchors.markSent("s1")
        assert.strictEqual(yield* statusOf(period), "submitted")
        assert.strictEqual(yield* statusOf(other), "pending")
        yield* anchors.confirm("s1", place(7), false)
        const confirmed = Option.getOrThrow(yield* anchors.get(period.workspaceId, period.id))
        assert.deepInclude(confirmed, { status: "confirmed", submissionId: "s1" })
        assert.deepStrictEqual(confirmed.place, place(7))
        yield* anchors.markSent("s1")
        assert.strictEqual(yield* statusOf(period), "confirmed")
        const [first] = yield* anchors.unsettled(CHAIN)
        assert.deepInclude(first, { id: "s1", confirmed: true, confirmedHash: place(7).hash })
        yield* anchors.confirm("s1", place(7), true)
        assert.deepStrictEqual(
          (yield* anchors.unsettled(CHAIN)).map(({ id }) => id),
          ["s2"]
        )
      })
    )

    test(
      "a confirmed one whose block has gone is submitted again, and what the next may have named is kept",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const period = yield* makeSubmitted("s1", 7)
        yield* anchors.confirm("s1", place(7), false)
        yield* anchors.reopen("s1")
        const reopened = Option.getOrThrow(yield* anchors.get(period.workspaceId, period.id))
        assert.strictEqual(reopened.status, "submitted")
        assert.deepStrictEqual(reopened.place, place(7))
        const [submission] = yield* anchors.unsettled(CHAIN)
        assert.deepInclude(submission, { confirmed: false, confirmedHash: place(7).hash })
        yield* anchors.confirm("s1", { ...place(7), blockNumber: 300 }, true)
        const again = Option.getOrThrow(yield* anchors.get(period.workspaceId, period.id))
        assert.deepStrictEqual(again.place, { ...place(7), blockNumber: 300 })
        assert.strictEqual(yield* anchors.nextNonce(CHAIN, ACCOUNT), 0)
        assert.isAbove(yield* anchors.signedUpTo(CHAIN, ACCOUNT), 0, "what was settled was signed for too")
      })
    )

    test(
      "the anchors over a range of events are those that hold any of them",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const first = yield* makeAnchor(null)
        const { workspaceId } = first
        for (const ordinal of [2, 3]) {
          const period = periodOf(workspaceId, ordinal)
          yield* anchors.close([period])
          if (ordinal < 3) yield* anchors.create([creationOf(period, null)])
        }
        const over = (from: number, to: number) =>
          Effect.map(anchors.over(workspaceId, from, to), (found) => found.map(({ ordinal }) => ordinal))
        assert.deepStrictEqual(yield* over(1, 9), [1, 2])
        assert.deepStrictEqual(yield* over(2, 2), [1])
        assert.deepStrictEqual(yield* over(2, 3), [1, 2])
        assert.deepStrictEqual(yield* over(5, 9), [])
      })
    )
  })
}
