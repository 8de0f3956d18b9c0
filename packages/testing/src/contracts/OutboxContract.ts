/** The contract of the port `Outbox`, as tests. */

import { Micros } from "@cairn/core/encoding"
import { type ClaimedDelivery, type DeliveryAttempt, Outbox, type Settlement } from "@cairn/core/outbound"
import { assert, describe } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type ConsumptionLayer, consumptionTest, makeDelivery } from "./ConsumptionContract.ts"
import { NOON } from "./StorageSteps.ts"

/** Which messages a test claims: by default ten for each receiver of every kind. */
interface Taking {
  readonly perTarget?: number
  readonly only?: ReadonlyArray<string>
}

/** A claim `at` microseconds after noon, for a hundred. */
const claim = Effect.fnUntraced(function* (at: number, { perTarget = 10, only }: Taking = {}) {
  const outbox = yield* Outbox
  const now = NOON + at
  const name = `claim ${crypto.randomUUID()}`
  const claimed: Array<ClaimedDelivery> = []
  for (const channel of ["webhook", "mail", "stream"] as const) {
    const waiting = yield* outbox.receivers(channel, now)
    const shares = waiting
      .filter(({ target }) => only === undefined || only.includes(target))
      .map(({ workspaceId, target }) => ({ workspaceId, target, limit: perTarget }))
    claimed.push(...(yield* outbox.claim({ channel, shares, now, until: now + 100, claim: name })))
  }
  return claimed
})

const claimedIds = (at: number, taking?: Taking) =>
  Effect.map(claim(at, taking), (claimed) => claimed.map(({ id }) => id.slice("dlv_".length)))

const attempt: DeliveryAttempt = {
  started_at: NOON + 7,
  duration: 12,
  status: 500,
  answer: "día \u{1F600}\r\n",
  error: null
}
const refused: DeliveryAttempt = { ...attempt, status: null, answer: "", error: "connection refused" }

const arrived: DeliveryAttempt = { ...attempt, status: 204 }
const delivered: Settlement = { attempt: arrived, status: "delivered", dueAt: null }
const again = (at: number): Settlement => ({ attempt: refused, status: "pending", dueAt: NOON + at })

/** Registers the contract of `Outbox` for the storage called `name`. */
export const outboxContract = (name: string, storage: ConsumptionLayer): void => {
  const test = consumptionTest(storage, "wsp_1", "wsp_2", "wsp_3")
  describe(`${name}: Outbox`, () => {
    test(
      "a delivery is stored once and due at once",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const delivery = makeDelivery("wsp_1", "1", 5)
        assert.isNull(yield* outbox.nextDue)
        yield* outbox.put([])
        yield* outbox.put([delivery])
        yield* outbox.put([{ ...delivery, payload: "other" }])
        const stored = Option.getOrThrow(yield* outbox.get("wsp_1", "dlv_1"))
        assert.deepStrictEqual(
          { ...stored, number: 0 },
          { ...delivery, number: 0, status: "pending", attempts: 0, dueAt: NOON + 5 }
        )
        assert.strictEqual(yield* outbox.count("wsp_1", {}), 1)
        assert.strictEqual(yield* outbox.nextDue, NOON + 5)
        assert.deepStrictEqual(yield* claimedIds(4), [])
        assert.deepStrictEqual(yield* claimedIds(5), ["1"])
      })
    )

    test(
      "a claimed delivery is nobody else's until the claim ends, and then due again",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([makeDelivery("wsp_1", "1")])
        assert.deepStrictEqual(yield* claimedIds(0), ["1"])
        assert.deepStrictEqual(yield* claimedIds(99), [])
        assert.strictEqual(yield* outbox.nextDue, NOON + 100)
        assert.deepStrictEqual(yield* claimedIds(100), ["1"])
      })
    )

    test(
      "a claim that is kept holds for longer, and one that was lost or settled cannot be kept",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([makeDelivery("wsp_1", "1")])
        const [first] = yield* claim(0)
        if (first === undefined) return assert.fail("nothing was due")
        assert.strictEqual(yield* outbox.keep([first], NOON + 150), 1)
        assert.deepStrictEqual(yield* claimedIds(149), [])
        const [second] = yield* claim(150)
        if (second === undefined) return assert.fail("nothing was due")
        assert.strictEqual(yield* outbox.keep([first], NOON + 1_000), 0)
        assert.strictEqual(yield* outbox.nextDue, NOON + 250)
        yield* outbox.settle(second, again(300))
        assert.strictEqual(yield* outbox.keep([first, second], NOON + 1_000), 0)
        assert.strictEqual(yield* outbox.nextDue, NOON + 300)
      })
    )

    test(
      "of many that claim at once, each delivery is one's",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const deliveries = Array.from({ length: 20 }, (_, index) => makeDelivery("wsp_1", String(index)))
        yield* outbox.put(deliveries)
        const claimed = yield* Effect.all(
          Array.from({ length: 8 }, () => claimedIds(0, { perTarget: 3 })),
          { concurrency: "unbounded" }
        )
        const ids = claimed.flat()
        assert.strictEqual(new Set(ids).size, ids.length)
        assert.isAtLeast(ids.length, 3)
      })
    )

    test(
      "of each receiver the longest due come first, no more than its share, and none of those without one",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([
          makeDelivery("wsp_1", "a3", 3, { target: "a" }),
          makeDelivery("wsp_1", "a1", 1, { target: "a" }),
          makeDelivery("wsp_2", "b5", 5, { target: "b" }),
          makeDelivery("wsp_1", "a2", 2, { target: "a" }),
          makeDelivery("wsp_1", "c4", 4, { target: "c" }),
          makeDelivery("wsp_1", "b6", 6, { target: "b" })
        ])
        assert.deepStrictEqual(yield* claimedIds(9, { perTarget: 2, only: ["a", "b"] }), [
          "a1",
          "a2",
          "b5",
          "b6"
        ])
        assert.deepStrictEqual(yield* claimedIds(9, { perTarget: 1 }), ["a3", "c4"])
      })
    )

    test(
      "everybody whom a message is due for is listed once, the longest due first, by channel and workspace",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        assert.deepStrictEqual(yield* outbox.receivers("webhook", NOON), [])
        yield* outbox.put([
          makeDelivery("wsp_2", "1", 7, { target: "a" }),
          makeDelivery("wsp_1", "2", 5, { target: "b" }),
          makeDelivery("wsp_1", "3", 4, { target: "b" }),
          makeDelivery("wsp_1", "4", 6, { target: "a" }),
          makeDelivery("wsp_1", "5", 90, { target: "later" }),
          makeDelivery("wsp_1", "6", 1, { channel: "mail", target: "a" })
        ])
        const waiting = Effect.map(outbox.receivers("webhook", NOON + 9), (found) =>
          found.map(({ workspaceId, target, dueAt }) => `${workspaceId} ${target} ${dueAt - NOON}`)
        )
        assert.deepStrictEqual(yield* waiting, ["wsp_1 b 4", "wsp_1 a 6", "wsp_2 a 7"])
        assert.deepStrictEqual(
          (yield* outbox.receivers("mail", NOON + 9)).map(({ target }) => target),
          ["a"]
        )
        yield* claim(9, { only: ["b"] })
        assert.deepStrictEqual(yield* waiting, ["wsp_1 a 6", "wsp_2 a 7"])
      })
    )

    test(
      "a claim of more receivers than one statement holds takes a share of each",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const all = Array.from({ length: 600 }, (_, index) =>
          makeDelivery(`wsp_${index % 7}`, String(index), index, { target: `whk_${index % 300}` })
        )
        yield* outbox.put(all)
        const claimed = yield* claimedIds(1_000, { perTarget: 1 })
        assert.strictEqual(claimed.length, new Set(all.map((one) => `${one.workspaceId} ${one.target}`)).size)
      })
    )

    test(
      "what has arrived is not sent again, and its attempts are kept in order",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([makeDelivery("wsp_1", "1")])
        const [first] = yield* claim(0)
        if (first === undefined) return assert.fail("nothing was due")
        assert.isTrue(yield* outbox.settle(first, again(50)))
        const waiting = Option.getOrThrow(yield* outbox.get("wsp_1", "dlv_1"))
        assert.deepInclude(waiting, { status: "pending", attempts: 1, dueAt: NOON + 50 })
        assert.deepStrictEqual(yield* claimedIds(49), [])
        const [second] = yield* claim(50)
        if (second === undefined) return assert.fail("it was not due again")
        assert.strictEqual(second.attempts, 1)
        assert.isTrue(yield* outbox.settle(second, delivered))
        const done = Option.getOrThrow(yield* outbox.get("wsp_1", "dlv_1"))
        assert.deepInclude(done, { status: "delivered", attempts: 2, dueAt: null })
        assert.deepStrictEqual(yield* claimedIds(1_000_000), [])
        assert.deepStrictEqual(yield* outbox.attempts("wsp_1", "dlv_1"), [refused, arrived])
        assert.deepStrictEqual(yield* outbox.attempts("wsp_2", "dlv_1"), [])
        assert.isNull(yield* outbox.nextDue)
      })
    )

    test(
      "whoever settles after the claim was lost leaves the attempt and nothing else",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([makeDelivery("wsp_1", "1")])
        const [late] = yield* claim(0)
        const [owner] = yield* claim(100)
        if (late === undefined || owner === undefined) return assert.fail("nothing was due")
        assert.isFalse(yield* outbox.settle(late, delivered))
        const held = Option.getOrThrow(yield* outbox.get("wsp_1", "dlv_1"))
        assert.deepInclude(held, { status: "pending", attempts: 0, dueAt: NOON + 200 })
        assert.isTrue(yield* outbox.settle(owner, again(300)))
        assert.isFalse(yield* outbox.settle(owner, delivered), "settled twice")
        assert.lengthOf(yield* outbox.attempts("wsp_1", "dlv_1"), 3)
      })
    )

    test(
      "what is given up without an attempt keeps none",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([makeDelivery("wsp_1", "1")])
        const [only] = yield* claim(0)
        if (only === undefined) return assert.fail("nothing was due")
        yield* outbox.settle(only, { attempt: null, status: "failed", dueAt: null })
        assert.deepStrictEqual(yield* outbox.attempts("wsp_1", "dlv_1"), [])
        const given = Option.getOrThrow(yield* outbox.get("wsp_1", "dlv_1"))
        assert.deepInclude(given, { status: "failed", attempts: 0, dueAt: null })
      })
    )

    test(
      "sent again by hand, a delivery is due and its schedule begins anew",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([makeDelivery("wsp_1", "1")])
        const [only] = yield* claim(0)
        if (only === undefined) return assert.fail("nothing was due")
        yield* outbox.settle(only, delivered)
        assert.isTrue(Option.isNone(yield* outbox.redeliver("wsp_2", "dlv_1", NOON)), "another workspace's")
        const sent = Option.getOrThrow(yield* outbox.redeliver("wsp_1", "dlv_1", NOON + 9))
        assert.deepInclude(sent, { status: "pending", attempts: 0, dueAt: NOON + 9 })
        const [second] = yield* claim(9)
        if (second === undefined) return assert.fail("it was not due")
        yield* outbox.settle(second, delivered)
        assert.lengthOf(yield* outbox.attempts("wsp_1", "dlv_1"), 2)
      })
    )

    test(
      "what a clock that ran ahead put off for longer than can be is made due, and nothing else",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const year = 365 * Micros.DAY
        yield* outbox.put([
          makeDelivery("wsp_1", "untried", year),
          makeDelivery("wsp_1", "soon", Micros.MINUTE)
        ])
        yield* outbox.put([makeDelivery("wsp_1", "tried"), makeDelivery("wsp_1", "later")])
        for (const one of yield* claim(0)) {
          yield* outbox.settle(one, again(one.id === "dlv_tried" ? year : Micros.DAY))
        }
        yield* outbox.put([makeDelivery("wsp_1", "claimed", 0, { target: "whk_9" })])
        const [held] = yield* claim(Micros.DAY, { only: ["whk_9"] })
        assert.strictEqual(held?.id, "dlv_claimed")
        assert.strictEqual(yield* outbox.hasten(NOON), 3)
        const dueAt = (id: string) =>
          Effect.map(outbox.get("wsp_1", `dlv_${id}`), (found) => Option.getOrThrow(found).dueAt)
        assert.deepStrictEqual(
          yield* Effect.forEach(["untried", "soon", "tried", "later", "claimed"], dueAt),
          [NOON, NOON + Micros.MINUTE, NOON, NOON + Micros.DAY, NOON]
        )
        assert.strictEqual(yield* outbox.hasten(NOON), 0)
      })
    )

    test(
      "they are listed newest first, filtered, in pages",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([
          makeDelivery("wsp_1", "1"),
          makeDelivery("wsp_1", "2", 0, { target: "whk_2" }),
          makeDelivery("wsp_2", "3"),
          makeDelivery("wsp_1", "4", 0, { channel: "mail", target: "ada@example.com" }),
          makeDelivery("wsp_1", "5", 1)
        ])
        const [only] = yield* claim(0, { perTarget: 1, only: ["whk_1"] })
        if (only === undefined) return assert.fail("nothing was due")
        yield* outbox.settle(only, delivered)
        const ids = (filter: Parameters<typeof outbox.count>[1]) =>
          Effect.map(outbox.page("wsp_1", { filter, before: null, limit: 10 }), (page) =>
            page.map(({ id }) => id)
          )
        assert.deepStrictEqual(yield* ids({}), ["dlv_5", "dlv_4", "dlv_2", "dlv_1"])
        assert.deepStrictEqual(yield* ids({ channel: "mail" }), ["dlv_4"])
        assert.deepStrictEqual(yield* ids({ target: "whk_1" }), ["dlv_5", "dlv_1"])
        assert.deepStrictEqual(yield* ids({ status: "delivered" }), [only.id])
        assert.strictEqual(yield* outbox.count("wsp_1", { channel: "webhook" }), 3)
        const seen: Array<string> = []
        let before: number | null = null
        for (;;) {
          const page: ReadonlyArray<{ readonly id: string; readonly number: number }> = yield* outbox.page(
            "wsp_1",
            { filter: {}, before, limit: 1 }
          )
          const [one] = page
          if (one === undefined) break
          seen.push(one.id)
          before = one.number
        }
        assert.deepStrictEqual(seen, ["dlv_5", "dlv_4", "dlv_2", "dlv_1"])
      })
    )

    test(
      "old ones are removed with their attempts, never one that is pending",
      Effect.gen(function* () {
        const outbox = yield* Outbox
        yield* outbox.put([
          makeDelivery("wsp_1", "1", 0),
          makeDelivery("wsp_1", "2", 1),
          makeDelivery("wsp_1", "3", 5)
        ])
        const [first, , third] = yield* claim(9)
        if (first === undefined || third === undefined) return assert.fail("they were not due")
        yield* outbox.settle(first, delivered)
        yield* outbox.settle(third, delivered)
        assert.strictEqual(yield* outbox.prune(NOON + 5), 1)
        assert.isTrue(Option.isNone(yield* outbox.get("wsp_1", "dlv_1")))
        assert.deepStrictEqual(yield* outbox.attempts("wsp_1", "dlv_1"), [])
        assert.strictEqual(yield* outbox.count("wsp_1", {}), 2)
      })
    )
  })
}
