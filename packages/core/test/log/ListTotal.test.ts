import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { withTotal } from "../../src/log/ListTotal.ts"

describe("the total of a list", () => {
  it.effect.each([
    // Counts, one after the other; the page's length, whether there are more; the total.
    [[7], 7, false, 7],
    [[90], 25, true, 90],
    // Events came in between the count and the page.
    [[0], 3, false, 3],
    [[0, 100], 25, true, 100],
    [[25, 60], 25, true, 60],
    // Of a count that somebody else began before.
    [[0, 0], 25, true, 26]
  ] as const)(
    "counted as %j is never less than the page of %d, more: %s",
    ([counts, length, hasMore, total]) =>
      Effect.gen(function* () {
        const rest: Array<number> = [...counts]
        const count = Effect.sync(() => rest.shift() ?? Number.NaN)
        const page = { length, pagination: { has_more: hasMore } }
        assert.deepStrictEqual(yield* withTotal(count, Effect.succeed(page)), { page, total })
        assert.lengthOf(rest, 0)
      })
  )
})
