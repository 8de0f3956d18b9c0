import { withPeriod } from "@cairn/ui/place"
import { assert, describe, it } from "@effect/vitest"
import { othersThanSearch } from "../../../src/page/pages/events/Conditions.ts"

describe("The conditions beside a search", () => {
  const search = ["ada"]

  it("are all that are set but the search", () => {
    assert.strictEqual(othersThanSearch({ filter: { search }, period: undefined }), 0)
    const filter = { search, action: ["user.*", "*.deleted"], from: "2026-01-01T00:00:00Z" }
    assert.strictEqual(othersThanSearch({ filter, period: undefined }), 2)
  })

  it("have one for a period with a name, which has two ends", () => {
    const filter = withPeriod({ search, action: ["user.*"] }, "last_week", new Date())
    assert.strictEqual(othersThanSearch({ filter, period: "last_week" }), 2)
  })
})
