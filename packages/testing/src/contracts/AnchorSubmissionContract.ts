/** What every adapter's `Anchors` must do with anchors and submissions, from pending to confirmed. */
import { Anchors } from "@cairn/core/anchor"
import { assert, describe } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  ACCOUNT,
  type AnchorsLayer,
  anchorsTest,
  CHAIN,
  creationOf,
  MUCH_LATER,
  makeAnchor,
  makeSubmitted,
  periodOf,
  place,
  statusOf,
  submissionOf,
  transactionOf
} from "./AnchorSteps.ts"
import { makeWorkspace, NOON } from "./StorageSteps.ts"

/** Registers the tests of anchors and submissions; part of `anchorsContract`. */
export const anchorSubmissionContract = (name: string, storage: AnchorsLayer): void => {
  const test = anchorsTest(storage)

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
      "the newest confirmed one is known by when its first transaction was signed, whatever came after it",
      Effect.gen(function* () {
        const anchors = yield* Anchors
        assert.deepStrictEqual(yield* anchors.newestConfirmed, Option.none())
        yield* makeSubmitted("s1", 7)
        yield* makeSubmitted("s2", 8)
        yield* makeSubmitted("s3", 9)
        assert.deepStrictEqual(yield* anchors.newestConfirmed, Option.none())
        yield* anchors.confirm("s2", place(8), false)
        assert.deepStrictEqual(yield* anchors.newestConfirmed, Option.some(transactionOf(8).signedAt))
        yield* anchors.confirm("s1", place(7), true)
        assert.deepStrictEqual(yield* anchors.newestConfirmed, Option.some(transactionOf(8).signedAt))
        yield* anchors.reopen("s2")
        assert.deepStrictEqual(yield* anchors.newestConfirmed, Option.some(transactionOf(7).signedAt))
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
