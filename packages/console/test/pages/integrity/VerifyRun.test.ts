import { assert, describe, it } from "@effect/vitest"
import { addPart, beginningOf, MAX_BREAKS, type Part } from "../../../src/page/pages/integrity/VerifyRun.ts"

const part = (change: Partial<Part>): Part => ({
  valid: true,
  events_checked: 100,
  breaks: [],
  complete: false,
  total: 250,
  next: "2026-05-01T12:00:00.000000Z",
  ...change
})
const broken = (event_id: string) => ({
  event_id,
  type: "hash_mismatch" as const,
  expected_hash: "",
  actual_hash: ""
})

describe("addPart", () => {
  it("adds parts up, each of which counts the rest of the log", () => {
    const first = addPart(undefined, part({}))
    assert.deepInclude(first, { checked: 100, total: 250, next: "2026-05-01T12:00:00.000000Z" })
    const second = addPart(first, part({ total: 160 }))
    assert.deepInclude(second, { checked: 200, total: 260 })
    const last = addPart(second, part({ events_checked: 60, total: 60, complete: true, next: null }))
    assert.deepInclude(last, { checked: 260, total: 260, next: undefined, broken: 0 })
  })

  it("keeps the first breaks and counts all", () => {
    const breaks = Array.from({ length: MAX_BREAKS }, (_, index) => broken(String(index)))
    const run = addPart(addPart(undefined, part({ breaks })), part({ breaks: [broken("last")] }))
    assert.lengthOf(run.breaks, MAX_BREAKS)
    assert.strictEqual(run.broken, MAX_BREAKS + 1)
  })

  it("ends where the service says that everything was checked, whatever else it says", () => {
    assert.isUndefined(addPart(undefined, part({ complete: true })).next)
  })
})

describe("beginningOf", () => {
  it("is so many days ago, and nothing for all of the log", () => {
    const now = Date.parse("2026-05-08T12:00:00Z")
    assert.strictEqual(beginningOf("week", now), "2026-05-01T12:00:00.000Z")
    assert.isUndefined(beginningOf("all", now))
    assert.isUndefined(beginningOf("custom", now))
  })
})
