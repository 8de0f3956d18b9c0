/** The contract of the port `Consumers`, as tests. */
import { Alerts } from "@cairn/core/alert"
import {
  BEFORE_FIRST_EVENT,
  type ConsumerKey,
  type ConsumerPosition,
  type ConsumerRow,
  Consumers
} from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { Outbox } from "@cairn/core/outbound"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import {
  type ConsumptionLayer,
  consumptionTest,
  listed,
  makeAlert,
  makeDelivery,
  moveTo
} from "./ConsumptionContract.ts"
import { NOON } from "./StorageSteps.ts"

const key: ConsumerKey = { workspaceId: "wsp_1", consumer: "alerts" }

const row = (name: string, value = "1", expiresAt: number | null = null): ConsumerRow => ({
  key: name,
  value,
  expiresAt
})

const opened = Effect.flatMap(Consumers, ({ open }) => open(key, BEFORE_FIRST_EVENT, NOON))

/** The names of the rows that exist, of those requested. */
const rowNames = (keys: ReadonlyArray<string>) =>
  Effect.map(
    Effect.flatMap(Consumers, ({ rows }) => rows(key, keys)),
    (rows) => rows.map((each) => each.key).sort()
  )

const some = (position: Option.Option<ConsumerPosition>): ConsumerPosition =>
  Option.getOrThrowWith(position, () => new Error("there is no position"))

/** Registers the contract of `Consumers` for the storage called `name`. */
export const consumersContract = (name: string, storage: ConsumptionLayer): void => {
  const test = consumptionTest(storage, "wsp_1", "wsp_2", "wsp_3")
  describe(`${name}: Consumers`, () => {
    test(
      "a consumer begins where it is told, once",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const first = yield* consumers.open(key, 41, NOON)
        assert.deepInclude(first, { ...key, sequence: 41, paused: false, updatedAt: NOON })
        assert.deepStrictEqual(yield* consumers.open(key, 7, NOON + 1), first)
        const far = yield* consumers.open({ ...key, consumer: "other" }, BEFORE_FIRST_EVENT, NOON)
        assert.strictEqual(far.sequence, BEFORE_FIRST_EVENT)
      })
    )

    test(
      "position, rows, alerts and deliveries are committed together",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const alert = makeAlert("1", 0)
        const [of, apart] = [makeDelivery("wsp_1", "1"), makeDelivery("wsp_1", "2", 1, { channel: "mail" })]
        const position = some(
          yield* consumers.commit(
            yield* opened,
            moveTo(10, {
              rows: [row("a b", '{"é":"\u{1F600}"}', NOON + 5), row("c")],
              raised: [{ alert, deliveries: [of] }],
              deliveries: [apart],
              at: NOON + 3
            })
          )
        )
        assert.deepInclude(position, { ...key, sequence: 10, paused: false, updatedAt: NOON + 3 })
        assert.deepStrictEqual(yield* opened, position)
        const rows = yield* consumers.rows(key, ["c", "a b", "missing"])
        assert.sameDeepMembers([...rows], [row("a b", '{"é":"\u{1F600}"}', NOON + 5), row("c")])
        const alerts = yield* Alerts
        assert.deepStrictEqual(yield* alerts.page("wsp_1", { filter: {}, before: null, limit: 10 }), [
          listed(alert)
        ])
        const outbox = yield* Outbox
        const stored = yield* outbox.page("wsp_1", { filter: {}, before: null, limit: 10 })
        assert.deepStrictEqual(
          stored.map(({ id, status, attempts, dueAt, payload }) => ({
            id,
            status,
            attempts,
            dueAt,
            payload
          })),
          [apart, of].map(({ id, createdAt, payload }) => ({
            id,
            status: "pending" as const,
            attempts: 0,
            dueAt: createdAt,
            payload
          }))
        )
      })
    )

    test(
      "a commit that cannot be stored whole stores nothing",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const before = yield* opened
        const commit = moveTo(10, {
          rows: [row("a")],
          // Two alerts cannot have the same time.
          raised: [
            { alert: makeAlert("1", 7), deliveries: [makeDelivery("wsp_1", "1")] },
            { alert: makeAlert("2", 7), deliveries: [makeDelivery("wsp_1", "2")] }
          ],
          deliveries: [makeDelivery("wsp_1", "3")]
        })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(consumers.commit(before, commit))))
        assert.deepStrictEqual(yield* opened, before)
        assert.deepStrictEqual(yield* rowNames(["a"]), [])
        assert.strictEqual(yield* Effect.flatMap(Alerts, ({ count }) => count("wsp_1", {})), 0)
        assert.strictEqual(yield* Effect.flatMap(Outbox, ({ count }) => count("wsp_1", {})), 0)
      })
    )

    test(
      "of two that read one position, one commits, and the other changes nothing",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const [one, other] = [yield* opened, yield* opened]
        const alert = (id: string) => [{ alert: makeAlert(id, Number(id)), deliveries: [] }]
        const first = yield* consumers.commit(one, moveTo(5, { rows: [row("a", "one")], raised: alert("1") }))
        const second = yield* consumers.commit(
          other,
          moveTo(9, { rows: [row("a", "other")], raised: alert("2") })
        )
        assert.isTrue(Option.isSome(first))
        assert.isTrue(Option.isNone(second))
        assert.strictEqual((yield* opened).sequence, 5)
        assert.deepStrictEqual(yield* consumers.rows(key, ["a"]), [row("a", "one")])
        assert.strictEqual(yield* Effect.flatMap(Alerts, ({ count }) => count("wsp_1", {})), 1)
      })
    )

    test(
      "of many that commit at once from one position, exactly one does",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const position = yield* opened
        const outcomes = yield* Effect.all(
          Array.from({ length: 8 }, (_, index) => consumers.commit(position, moveTo(index + 1))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(outcomes.filter(Option.isSome), 1)
      })
    )

    test(
      "an alert and a delivery that are there already stay as they were, and nobody is told again",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const first = some(
          yield* consumers.commit(
            yield* opened,
            moveTo(1, {
              raised: [{ alert: makeAlert("1", 1), deliveries: [makeDelivery("wsp_1", "1")] }],
              deliveries: [makeDelivery("wsp_1", "2")]
            })
          )
        )
        yield* consumers.commit(
          first,
          moveTo(2, {
            raised: [
              // A webhook that subscribes now did not exist when the alert was raised.
              { alert: makeAlert("1", 99, { reason: "again" }), deliveries: [makeDelivery("wsp_1", "3")] },
              { alert: makeAlert("2", 2), deliveries: [makeDelivery("wsp_1", "4")] }
            ],
            deliveries: [makeDelivery("wsp_1", "2", 5, { payload: "other" })]
          })
        )
        const alerts = yield* Alerts
        assert.deepStrictEqual(yield* alerts.page("wsp_1", { filter: {}, before: null, limit: 10 }), [
          listed(makeAlert("2", 2)),
          listed(makeAlert("1", 1))
        ])
        const outbox = yield* Outbox
        const stored = yield* outbox.page("wsp_1", { filter: {}, before: null, limit: 10 })
        assert.sameMembers(
          stored.map(({ id }) => id),
          ["dlv_1", "dlv_2", "dlv_4"]
        )
        assert.notInclude(
          stored.map(({ payload }) => payload),
          "other"
        )
      })
    )

    test(
      "rows are replaced by key and removed once they expire, not before",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const rows = [row("early", "1", NOON + 10), row("late", "1", NOON + 11), row("for ever")]
        const names = rows.map((each) => each.key)
        const first = some(yield* consumers.commit(yield* opened, moveTo(1, { rows })))
        const second = some(
          yield* consumers.commit(
            first,
            moveTo(2, { rows: [row("late", "2", NOON + 12)], expiredBy: NOON + 9 })
          )
        )
        assert.deepStrictEqual(yield* rowNames(names), ["early", "for ever", "late"])
        const third = some(yield* consumers.commit(second, moveTo(3, { expiredBy: NOON + 11 })))
        assert.deepStrictEqual(yield* rowNames(names), ["for ever", "late"])
        assert.deepStrictEqual(yield* consumers.rows(key, ["late"]), [row("late", "2", NOON + 12)])
        yield* consumers.commit(third, moveTo(4, { expiredBy: NOON + 12 }))
        assert.deepStrictEqual(yield* rowNames(names), ["for ever"])
      })
    )

    test(
      "thousands of rows are written and read at once",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const rows = Array.from({ length: 1_337 }, (_, index) => row(`key ${index}`, `value ${index}`))
        yield* consumers.commit(yield* opened, moveTo(1, { rows }))
        const read = yield* consumers.rows(
          key,
          rows.map((each) => each.key)
        )
        assert.sameDeepMembers([...read], rows)
        assert.deepStrictEqual(yield* consumers.rows(key, []), [])
        const listed: Array<ConsumerRow> = []
        for (let after = ""; ; ) {
          const page = yield* consumers.rowsAfter(key, after, 500)
          listed.push(...page)
          if (page.length < 500) break
          after = page.at(-1)?.key ?? ""
        }
        assert.sameDeepMembers(listed, rows)
        assert.deepStrictEqual(yield* consumers.rowsAfter({ ...key, consumer: "other" }, "", 10), [])
      })
    )

    test(
      "a paused consumer stays where it is until it is resumed",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const before = some(yield* consumers.commit(yield* opened, moveTo(3, { rows: [row("a")] })))
        const paused = some(yield* consumers.pause(key, NOON + 1))
        assert.deepInclude(paused, { sequence: 3, paused: true, updatedAt: NOON + 1 })
        assert.isTrue(Option.isNone(yield* consumers.commit(before, moveTo(4))), "read before")
        assert.isTrue(Option.isNone(yield* consumers.commit(paused, moveTo(4))), "read since")
        const resumed = some(yield* consumers.resume(key, NOON + 2))
        assert.deepInclude(resumed, { sequence: 3, paused: false })
        assert.deepStrictEqual(yield* rowNames(["a"]), ["a"])
        assert.isTrue(Option.isNone(yield* consumers.commit(paused, moveTo(4))))
        assert.isTrue(Option.isSome(yield* consumers.commit(resumed, moveTo(4))))
      })
    )

    test(
      "a replay goes back, forgets the rows, and stops what was under way",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const rows = [row("a"), row("b", "2", NOON)]
        const before = some(yield* consumers.commit(yield* opened, moveTo(30, { rows })))
        const replayed = some(yield* consumers.replay(key, 4, NOON + 1))
        assert.deepInclude(replayed, { sequence: 4, paused: false, updatedAt: NOON + 1 })
        assert.deepStrictEqual(yield* rowNames(["a", "b"]), [])
        assert.isTrue(Option.isNone(yield* consumers.commit(before, moveTo(31))))
        assert.strictEqual((yield* opened).sequence, 4)
      })
    )

    test(
      "a held consumer is its holder's until the hold ends or is let go",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        yield* opened
        const hold = (holder: string, at: number, until: number) =>
          consumers.hold(key, { holder, at: NOON + at, until: NOON + until })
        const first = some(yield* hold("one", 0, 10))
        assert.isTrue(Option.isNone(yield* hold("other", 9, 20)), "held")
        const kept = some(yield* hold("one", 5, 15))
        assert.isTrue(Option.isNone(yield* hold("other", 10, 20)), "kept for longer")
        const committed = some(yield* consumers.commit(kept, moveTo(1)))
        assert.strictEqual(some(yield* hold("one", 12, 15)).version, committed.version)
        const taken = some(yield* hold("other", 15, 30))
        assert.isAbove(taken.version, committed.version)
        assert.isTrue(Option.isNone(yield* consumers.commit(committed, moveTo(2))), "taken over")
        yield* consumers.release(key, "one")
        assert.isTrue(Option.isNone(yield* hold("one", 16, 30)), "not its to let go")
        yield* consumers.release(key, "other")
        assert.isTrue(Option.isSome(yield* hold("one", 17, 30)))
        assert.strictEqual(first.sequence, BEFORE_FIRST_EVENT)
      })
    )

    test(
      "a hold that a clock running ahead has taken is not waited for",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        yield* opened
        const hold = (holder: string, at: number) =>
          consumers.hold(key, { holder, at: NOON + at, until: NOON + at + 10 })
        assert.isTrue(Option.isSome(yield* hold("ahead", 365 * Micros.DAY)))
        const taken = some(yield* hold("other", 0))
        assert.isTrue(Option.isSome(yield* consumers.commit(taken, moveTo(1))))
      })
    )

    test(
      "of many that reach for a consumer at once, one holds it",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        yield* opened
        const holds = yield* Effect.all(
          Array.from({ length: 8 }, (_, index) =>
            consumers.hold(key, { holder: `holder ${index}`, at: NOON, until: NOON + 10 })
          ),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(holds.filter(Option.isSome), 1)
      })
    )

    test(
      "consumers and logs do not mix",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        const keys = [
          { workspaceId: "wsp_1", consumer: "b" },
          { workspaceId: "wsp_1", consumer: "a" },
          { workspaceId: "wsp_2", consumer: "a" }
        ] as const
        for (const [index, each] of keys.entries()) {
          const position = yield* consumers.open(each, 0, NOON)
          yield* consumers.commit(position, moveTo(index + 1, { rows: [row("k", String(index))] }))
        }
        const places = (positions: ReadonlyArray<ConsumerPosition>) =>
          positions.map(({ workspaceId, consumer, sequence }) => [workspaceId, consumer, sequence])
        assert.deepStrictEqual(places(yield* consumers.list("wsp_1")), [
          ["wsp_1", "a", 2],
          ["wsp_1", "b", 1]
        ])
        assert.sameDeepMembers(places(yield* consumers.everywhere("a")), [
          ["wsp_1", "a", 2],
          ["wsp_2", "a", 3]
        ])
        yield* consumers.replay(keys[1], 0, NOON)
        yield* consumers.remove(keys[0])
        assert.deepStrictEqual(yield* consumers.rows(keys[2], ["k"]), [row("k", "2")])
        assert.deepStrictEqual(places(yield* consumers.list("wsp_1")), [["wsp_1", "a", 0]])
        yield* consumers.open(keys[0], 0, NOON)
        assert.deepStrictEqual(yield* consumers.rows(keys[0], ["k"]), [], "removed with its rows")
      })
    )

    test(
      "what was never opened cannot be commanded, held or committed",
      Effect.gen(function* () {
        const consumers = yield* Consumers
        assert.isTrue(Option.isNone(yield* consumers.pause(key, NOON)))
        assert.isTrue(Option.isNone(yield* consumers.resume(key, NOON)))
        assert.isTrue(Option.isNone(yield* consumers.replay(key, 0, NOON)))
        assert.isTrue(Option.isNone(yield* consumers.hold(key, { holder: "one", at: NOON, until: NOON + 1 })))
        const gone = yield* opened
        yield* consumers.remove(key)
        assert.isTrue(Option.isNone(yield* consumers.commit(gone, moveTo(1))))
        assert.deepStrictEqual(yield* consumers.list("wsp_1"), [])
      })
    )
  })
}
