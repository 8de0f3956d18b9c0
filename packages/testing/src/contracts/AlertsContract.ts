/** The contract of the port `Alerts`, as tests. */

import { type AlertFilter, Alerts } from "@cairn/core/alert"
import { type Alert, Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { assert, describe } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type ConsumptionLayer, consumptionTest, listed, makeAlert, moveTo } from "./ConsumptionContract.ts"
import { NOON } from "./StorageSteps.ts"

/** Raises alerts in a workspace, in the order given. */
const raise = Effect.fnUntraced(function* (workspaceId: string, alerts: ReadonlyArray<Alert>) {
  const consumers = yield* Consumers
  const position = yield* consumers.open({ workspaceId, consumer: "alerts" }, 0, NOON)
  const raised = alerts.map((alert) => ({ alert, deliveries: [] }))
  yield* consumers.commit(position, moveTo(position.sequence + 1, { raised }))
})

/** Neighbouring microseconds, as two rules on one event make them. */
const neighbours = [0, 1, 2, 3, 1_000_000].map((micros, index) =>
  makeAlert(String(index), micros, { rule_type: index % 2 === 0 ? "off_hours" : "new_country" })
)

/** Registers the contract of `Alerts` for the storage called `name`. */
export const alertsContract = (name: string, storage: ConsumptionLayer): void => {
  const test = consumptionTest(storage, "wsp_1", "wsp_2", "wsp_3")
  describe(`${name}: Alerts`, () => {
    test(
      "there are none at first",
      Effect.gen(function* () {
        const alerts = yield* Alerts
        assert.deepStrictEqual(yield* alerts.page("wsp_1", { filter: {}, before: null, limit: 10 }), [])
        assert.strictEqual(yield* alerts.count("wsp_1", {}), 0)
        assert.strictEqual(yield* alerts.newest("wsp_1"), 0)
      })
    )

    test(
      "they come newest first and page one by one without loss or repetition",
      Effect.gen(function* () {
        const alerts = yield* Alerts
        yield* raise("wsp_1", neighbours)
        const seen: Array<Alert> = []
        let before: Micros.Micros | null = null
        for (;;) {
          const [alert]: ReadonlyArray<Alert> = yield* alerts.page("wsp_1", { filter: {}, before, limit: 1 })
          if (alert === undefined) break
          seen.push(alert)
          before = Micros.parse(alert.triggered_at) ?? 0
        }
        assert.deepStrictEqual(seen, neighbours.toReversed().map(listed))
        assert.strictEqual(yield* alerts.newest("wsp_1"), NOON + 1_000_000)
      })
    )

    const filters: ReadonlyArray<readonly [says: string, filter: AlertFilter, ids: ReadonlyArray<string>]> = [
      ["from includes its own moment", { from: NOON + 2 }, ["4", "3", "2"]],
      ["to includes its own moment", { to: NOON + 1 }, ["1", "0"]],
      ["a moment alone", { from: NOON + 3, to: NOON + 3 }, ["3"]],
      ["a type", { ruleType: "new_country" }, ["3", "1"]],
      ["a type that none is of", { ruleType: "ingestion_spike" }, []],
      ["a type within times", { ruleType: "off_hours", from: NOON + 1, to: NOON + 5 }, ["2"]]
    ]
    for (const [says, filter, ids] of filters) {
      test(
        `filtered: ${says}`,
        Effect.gen(function* () {
          const alerts = yield* Alerts
          yield* raise("wsp_1", neighbours)
          const found = yield* alerts.page("wsp_1", { filter, before: null, limit: 10 })
          assert.deepStrictEqual(
            found.map(({ id }) => id),
            ids.map((id) => `alt_${id}`)
          )
          assert.strictEqual(yield* alerts.count("wsp_1", filter), ids.length)
        })
      )
    }

    test(
      "one is acknowledged once, in its own workspace",
      Effect.gen(function* () {
        const alerts = yield* Alerts
        const alert = makeAlert("1", 0)
        yield* raise("wsp_1", [alert])
        yield* raise("wsp_2", [makeAlert("2", 0)])
        assert.deepStrictEqual(yield* alerts.get("wsp_1", alert.id), Option.some(listed(alert)))
        for (const [workspaceId, id] of [
          ["wsp_2", alert.id],
          ["wsp_1", "alt_none"]
        ] as const) {
          assert.isTrue(Option.isNone(yield* alerts.get(workspaceId, id)))
          assert.isTrue(Option.isNone(yield* alerts.acknowledge(workspaceId, id, { at: NOON, by: "key_0" })))
        }
        const done = Option.some({
          ...alert,
          acknowledged_at: Micros.format(NOON + 1),
          acknowledged_by: "key_1"
        })
        for (const by of [1, 2]) {
          const acknowledgement = { at: NOON + by, by: `key_${by}` }
          assert.deepStrictEqual(yield* alerts.acknowledge("wsp_1", alert.id, acknowledgement), done)
        }
        assert.deepStrictEqual(yield* alerts.get("wsp_1", alert.id), done)
        // An alert that a restarted process raises a second time stays acknowledged.
        const page = yield* alerts.page("wsp_1", { filter: {}, before: null, limit: 10 })
        assert.deepStrictEqual(page, Option.toArray(done))
      })
    )

    test(
      "workspaces have alerts of their own, also at the same moment",
      Effect.gen(function* () {
        const alerts = yield* Alerts
        yield* raise("wsp_1", [makeAlert("1", 0)])
        yield* raise("wsp_2", [makeAlert("2", 0)])
        assert.deepStrictEqual(yield* alerts.page("wsp_2", { filter: {}, before: null, limit: 10 }), [
          listed(makeAlert("2", 0))
        ])
        assert.strictEqual(yield* alerts.count("wsp_1", {}), 1)
        assert.strictEqual(yield* alerts.newest("wsp_3"), 0)
      })
    )
  })
}
