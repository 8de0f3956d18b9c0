import { assert, describe, it } from "@effect/vitest"
import { FailureBudget } from "../../../src/http/limits/FailureBudget.ts"

const spend = (budget: FailureBudget, subject: string, count: number, now: number) => {
  for (let taken = 0; taken < count; taken++) budget.take(subject, now)
}

describe("FailureBudget", () => {
  it("lets a burst fail, then says how long to wait", () => {
    const budget = new FailureBudget({ burst: 3, refillMillis: 1000 })
    spend(budget, "a", 2, 0)
    assert.strictEqual(budget.wait("a", 0), 0)
    spend(budget, "a", 1, 0)
    assert.strictEqual(budget.wait("a", 0), 1000)
    assert.strictEqual(budget.wait("a", 400), 600)
    assert.strictEqual(budget.wait("a", 1000), 0)
  })

  it("gives a token back, up to the burst", () => {
    const budget = new FailureBudget({ burst: 1, refillMillis: 1000 })
    spend(budget, "a", 1, 0)
    budget.giveBack("a", 0)
    budget.giveBack("a", 0)
    assert.strictEqual(budget.wait("a", 0), 0)
    spend(budget, "a", 1, 0)
    assert.strictEqual(budget.wait("a", 0), 1000)
  })

  it("keeps subjects apart", () => {
    const budget = new FailureBudget({ burst: 1, refillMillis: 1000 })
    spend(budget, "a", 1, 0)
    assert.strictEqual(budget.wait("b", 0), 0)
  })

  it("never holds more than the burst, however long it waits, and never goes into debt", () => {
    const budget = new FailureBudget({ burst: 2, refillMillis: 1000 })
    spend(budget, "a", 10, 0)
    assert.strictEqual(budget.wait("a", 0), 1000)
    spend(budget, "a", 2, 1_000_000)
    assert.strictEqual(budget.wait("a", 1_000_000), 1000)
  })

  it("forgets the one that failed longest ago when there are too many", () => {
    const budget = new FailureBudget({ burst: 1, refillMillis: 1e9 })
    spend(budget, "first", 1, 0)
    for (let index = 0; index < 20_000; index++) budget.take(`s${index}`, 0)
    assert.strictEqual(budget.wait("first", 0), 0)
    assert.isAbove(budget.wait("s19999", 0), 0)
  })
})
