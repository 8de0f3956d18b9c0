import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { evaluate } from "../../src/alert/AlertEvaluation.ts"
import { type AlertStateRow, mergeState, rowCodec, stateId, stateTable } from "../../src/alert/AlertState.ts"
import { log, rule, sha256 } from "./rules/Cases.ts"

const numbers = rowCodec(Schema.Number)
const row = (key: string, value: string, expiresAt: number | null): AlertStateRow => ({
  ruleId: "rul_1",
  key,
  value,
  expiresAt
})
const stored = (...rows: ReadonlyArray<AlertStateRow>) => new Map(rows.map((one) => [stateId(one), one]))

describe("AlertState", () => {
  it("reads what was stored for the rule and nobody else", () => {
    const table = stateTable(
      numbers,
      "rul_1",
      stored(row("a", "1", null), { ...row("b", "2", null), ruleId: "rul_2" })
    )
    assert.strictEqual(table.get("a", 0), 1)
    assert.isUndefined(table.get("b", 0))
  })

  it("takes a row for absent from its expiry on, stored or set", () => {
    const table = stateTable(numbers, "rul_1", stored(row("a", "1", 100)))
    table.set("b", 2, 100)
    assert.deepStrictEqual([table.get("a", 99), table.get("b", 99)], [1, 2])
    assert.deepStrictEqual([table.get("a", 100), table.get("b", 100)], [undefined, undefined])
  })

  it("gives back what was set, as it stands at the end, and nothing that was only read", () => {
    const table = stateTable(numbers, "rul_1", stored(row("a", "1", null)))
    table.get("a", 0)
    table.set("b", 2, 50)
    table.set("b", 3, 60)
    assert.deepStrictEqual(table.changed(), [row("b", "3", 60)])
  })

  it("does not go on with a stored value that it cannot read", () => {
    const table = stateTable(numbers, "rul_1", stored(row("a", '"one"', null)))
    assert.throws(() => table.get("a", 0))
  })

  it("merges what changed over what there was, and leaves out what has expired", () => {
    const merged = mergeState(
      stored(row("a", "1", null), row("b", "1", 100), row("c", "1", 101)),
      [row("a", "2", null), row("d", "1", 100)],
      100
    )
    assert.deepStrictEqual([...merged.values()], [row("a", "2", null), row("c", "1", 101)])
  })

  it("gives the same alerts after a cooldown was made longer, whether or not the expired row was removed", () => {
    const [first, second] = log([{ at: 0 }, { at: 90 }])
    if (first === undefined || second === undefined) return assert.fail("two events were said")
    const nights = (cooldown_seconds: number) => [
      rule({ rule_type: "off_hours", cooldown_seconds, parameters: { days: [] } })
    ]
    const triggeredAt = () => 0
    const before = evaluate({ rules: nights(60), events: [first], rows: new Map(), triggeredAt, sha256 })
    const kept = stored(...before.changed)
    const swept = mergeState(kept, [], second.createdAt)
    assert.notStrictEqual(kept.size, swept.size)
    for (const rows of [kept, swept]) {
      const after = evaluate({ rules: nights(3600), events: [second], rows, triggeredAt, sha256 })
      assert.lengthOf(after.alerts, 1)
    }
  })
})
